/** Operations on tokens. */
import { randomInt } from "node:crypto";
import { failure, invalid } from "../domain/errors.ts";
import { toDisplayName } from "../domain/hive-settings.ts";
import type { HiveSlug, TeamName, TokenId } from "../domain/names.ts";
import { toTokenId } from "../domain/names.ts";
import type { Ability, Token } from "../domain/token.ts";
import { hashToken } from "./access.ts";
import type { Storage } from "./storage.ts";
import { findTeam } from "./teams.ts";

export interface NewToken {
  readonly team: TeamName;
  readonly name?: string | undefined;
  /** None is `read`. */
  readonly abilities: readonly Ability[];
  /** None is all Hives of the team. */
  readonly hives: readonly HiveSlug[];
  /** How long it is good for; undefined is for ever. */
  readonly lifetimeMs?: number | undefined;
}

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** Ids name files: they are of one case, so that no file system takes two for one. */
const base36 = "0123456789abcdefghijklmnopqrstuvwxyz";
const idLength = 12;
/** 32 digits of base 62 are 190 bits. */
const secretLength = 32;

function randomText(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join("");
}

/**
 * Makes a token. What it returns is shown once; only its hash is stored.
 * @throws SkepError `not-found` when there is no such team; `invalid` on `hive` when the team has not that Hive.
 */
export async function createToken(
  storage: Storage,
  request: NewToken,
): Promise<{ token: string; id: TokenId }> {
  const name = request.name === undefined ? undefined : toDisplayName(request.name);
  const id = toTokenId(randomText(base36, idLength));
  const token = `skep_${id}_${randomText(base62, secretLength)}`;
  await storage.lockTeam(request.team, async (lock) => {
    const team = await findTeam(storage, request.team);
    const missing = request.hives.find((slug) => !team.hives.includes(slug));
    if (missing !== undefined) throw invalid("hive", `the team "${team.name}" has no Hive "${missing}"`);
    const now = storage.now();
    const { lifetimeMs } = request;
    const record: Token = {
      id,
      hash: hashToken(token),
      team: team.name,
      ...(name === undefined ? {} : { name }),
      abilities: request.abilities.length > 0 ? [...new Set(request.abilities)] : ["read"],
      hives: request.hives.length > 0 ? [...new Set(request.hives)] : "all",
      created: new Date(now).toISOString(),
      ...(lifetimeMs === undefined ? {} : { expires: new Date(now + lifetimeMs).toISOString() }),
    };
    await storage.registry.saveToken(record, lock);
  });
  return { token, id };
}

/** All tokens, by team and then the oldest first. */
export async function listTokens({ registry }: Storage): Promise<readonly Token[]> {
  const tokens = await registry.tokens();
  return tokens.toSorted((a, b) => `${a.team} ${a.created}`.localeCompare(`${b.team} ${b.created}`, "en"));
}

/**
 * Revokes a token; it is refused from the next request on.
 * @throws SkepError `not-found` when there is no such token.
 */
export async function revokeToken(storage: Storage, id: TokenId): Promise<void> {
  const missing = failure("not-found", `There is no token "${id}".`);
  const token = await storage.registry.token(id);
  if (token === undefined) throw missing;
  await storage.lockTeam(token.team, async (lock) => {
    if ((await storage.registry.token(id)) === undefined) throw missing;
    await storage.registry.removeToken(id, lock);
  });
}
