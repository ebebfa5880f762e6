/** Creates, lists and revokes tokens, for commands. */
import { randomInt } from "node:crypto";
import { failure, invalid } from "../../domain/errors.ts";
import { toDisplayName } from "../../domain/hives/hive-settings.ts";
import { checkRoom } from "../../domain/plans/quota.ts";
import { toTokenId, type HiveSlug, type TeamName, type TokenId } from "../../domain/names.ts";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import { tokenFacts, type AuditEvent } from "../../domain/access/audit.ts";
import type { Ability, Rights, Token } from "../../domain/access/token.ts";
import type { HeldLock } from "../../disk/held-lock.ts";
import { hashToken } from "../access.ts";
import type { Storage } from "../storage.ts";
import { findTeam } from "./teams.ts";

export interface NewToken {
  readonly team: TeamName;
  readonly name?: string;
  /** An empty list means `read`. */
  readonly abilities: readonly Ability[];
  /** An empty list means all Hives of the team. */
  readonly hives: readonly HiveSlug[];
  /** The target locales into which it may write, where that is to be limited; empty for no limit. */
  readonly locales?: readonly LocaleCode[];
  readonly checks?: Token["checks"];
  readonly review?: Token["review"];
  /** How long it is valid; for ever if undefined. */
  readonly lifetimeMs?: number;
}

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** Ids are in one case, because they are used as file names, and some file systems ignore case. */
const base36 = "0123456789abcdefghijklmnopqrstuvwxyz";
const idLength = 12;
/** 32 digits of base 62 are 190 bits. */
const secretLength = 32;

function randomText(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join("");
}

/** A new id, which may be a part of a file's name. */
export function randomId(): string {
  return randomText(base36, idLength);
}

/** A secret, which only its owner keeps. */
export function randomSecret(): string {
  return randomText(base62, secretLength);
}

export interface MadeToken {
  /** Shown once; only its hash is stored. */
  readonly token: string;
  readonly id: TokenId;
  readonly stored: Token;
}

/**
 * Creates a token for a team.
 * @throws SkepError `not-found` when there is no such team; `invalid` on `hive` when the team does not have that Hive.
 */
export function createToken(storage: Storage, request: NewToken): Promise<MadeToken> {
  const name = request.name === undefined ? undefined : toDisplayName(request.name);
  return storage.lockTeam(request.team, async (lock) => {
    const team = await findTeam(storage, request.team);
    const missing = request.hives.find((slug) => !team.hives.includes(slug));
    if (missing !== undefined) throw invalid("hive", `the team "${team.name}" has no Hive "${missing}"`);
    const { locales = [] } = request;
    const { lifetimeMs, checks, review } = request;
    const created = storage.now();
    requireNoAdmin({ ...request, locales: locales.length > 0 ? locales : undefined }, "ability");
    return mintToken(storage, lock, {
      team: team.name,
      name,
      abilities: request.abilities,
      hives: request.hives.length > 0 ? request.hives : "all",
      locales: locales.length > 0 ? locales : undefined,
      checks,
      review,
      created,
      expires: lifetimeMs === undefined ? undefined : created + lifetimeMs,
      by: { by: { command: "token create" } },
    });
  });
}

export interface TokenFields extends Omit<Rights, "expires">, Pick<Token, "team" | "person" | "name"> {
  /** In milliseconds since 1970; without it, now. */
  readonly created?: number;
  /** In milliseconds since 1970. */
  readonly expires: number | undefined;
  /** Who creates it, for the audit log. */
  readonly by: Pick<AuditEvent, "by" | "client">;
}

/**
 * Creates and stores a token. The caller holds the team's lock and has checked the token's reach.
 * @throws SkepError `quota` when the team has reached its limit of tokens.
 */
export async function mintToken(
  { registry, audit, limits, now }: Storage,
  lock: HeldLock,
  { team, person, name, checks, review, created = now(), expires, by, ...rights }: TokenFields,
): Promise<MadeToken> {
  if (limits.maxTokens < Infinity) {
    checkRoom("This team", "token", await registry.countTokensOf(team), limits.maxTokens);
  }
  const id = toTokenId(randomId());
  const token = `skep_${id}_${randomSecret()}`;
  const stored: Token = {
    id,
    hash: hashToken(token),
    team,
    person,
    name,
    ...withoutRepeats(rights),
    checks,
    review,
    created: new Date(created).toISOString(),
    expires: expires === undefined ? undefined : new Date(expires).toISOString(),
  };
  const event = { event: "token_created", team, ...by, after: tokenFacts(stored) } as const;
  await audit.recordChange(event, () => registry.saveToken(stored, lock));
  return { token, id, stored };
}

/** Rights as they are stored: each once, and the ability `read` where none is named. */
export function withoutRepeats<R extends Pick<Rights, "abilities" | "hives" | "locales">>(rights: R): R {
  const { abilities, hives, locales } = rights;
  return {
    ...rights,
    abilities: abilities.length > 0 ? [...new Set(abilities)] : ["read"],
    hives: hives === "all" ? hives : [...new Set(hives)],
    locales: locales && [...new Set(locales)],
  };
}

/**
 * Checks the abilities of a token that is limited to some locales, or strict about checks.
 * @throws SkepError `invalid` on the field for `admin`, which implies more than these limits leave.
 */
export function requireNoAdmin(
  { abilities, locales, checks }: Pick<Rights, "abilities" | "checks"> & { readonly locales?: unknown },
  field: string,
): void {
  if (!abilities.includes("admin")) return;
  if (locales !== undefined) throw invalid(field, "admin cannot be limited to some locales");
  if (checks !== undefined)
    throw invalid(field, "admin cannot be strict about checks, which it may turn off");
}

/**
 * All tokens, or the tokens of one team, by team and then the oldest first.
 * @throws SkepError `not-found` when there is no such team.
 */
export async function listTokens(storage: Storage, team?: TeamName): Promise<readonly Token[]> {
  if (team !== undefined) await findTeam(storage, team);
  const tokens = (await storage.registry.tokens()).filter(
    (token) => team === undefined || token.team === team,
  );
  return tokens.toSorted((a, b) => `${a.team} ${a.created}`.localeCompare(`${b.team} ${b.created}`, "en"));
}

/**
 * Revokes a token; it is refused from the next request on.
 * @throws SkepError `not-found` when there is no such token.
 */
export async function revokeToken(storage: Storage, id: TokenId): Promise<void> {
  const missing = failure("not-found", `There is no token "${id}".`, { publicCode: "unknown_token" });
  const token = await storage.registry.token(id);
  if (token === undefined) throw missing;
  await storage.lockTeam(token.team, async (lock) => {
    const present = await storage.registry.token(id);
    if (present === undefined) throw missing;
    await removeToken(storage, lock, present, { by: { command: "token revoke" } });
  });
}

/** Removes a token. The caller holds the team's lock. @param by who revokes it, for the audit log. */
export function removeToken(
  { audit, registry }: Storage,
  lock: HeldLock,
  token: Token,
  by: Pick<AuditEvent, "by" | "client">,
): Promise<void> {
  const event = { event: "token_revoked", team: token.team, ...by, before: tokenFacts(token) } as const;
  return audit.recordChange(event, () => registry.removeToken(token.id, lock));
}
