/** Tokens as tests make them: as the owner of the storage. */
import type { Ability, Token } from "../../../src/domain/access/token.ts";
import { commandAuthor } from "../../../src/domain/commits/commit-message.ts";
import type { LocaleCode } from "../../../src/domain/hives/locale.ts";
import type { HiveSlug, TeamName, TokenId } from "../../../src/domain/names.ts";
import type { TeamGrant } from "../../../src/service/access.ts";
import { createOwnToken, revokeOwnToken } from "../../../src/service/admin/own-tokens.ts";
import { teamOfToken, type MadeToken } from "../../../src/service/admin/tokens.ts";
import type { Storage } from "../../../src/service/storage.ts";

interface NewToken {
  readonly team: TeamName;
  readonly name?: string;
  /** An empty list means `read`. */
  readonly abilities: readonly Ability[];
  /** An empty list means all Hives of the team. */
  readonly hives: readonly HiveSlug[];
  /** Empty for no limit. */
  readonly locales?: readonly LocaleCode[];
  readonly checks?: Token["checks"];
  readonly review?: Token["review"];
  /** How long it is valid; for ever if undefined. */
  readonly lifetimeMs?: number;
}

/** The owner of the storage, who runs a command about a team. */
export function ownerGrant(team: TeamName, command = "test"): TeamGrant {
  return { team, author: commandAuthor, ability: "admin", requiresAllHives: false, command };
}

export async function createToken(
  storage: Storage,
  { team, hives, locales = [], lifetimeMs, ...others }: NewToken,
): Promise<MadeToken> {
  return createOwnToken(storage, ownerGrant(team, "token create"), {
    ...others,
    hives: hives.length > 0 ? hives : undefined,
    locales: locales.length > 0 ? locales : undefined,
    expires: lifetimeMs === undefined ? undefined : storage.now() + lifetimeMs,
  });
}

/** All tokens, or those of a team, by team and then the oldest first. */
export async function listTokens({ registry }: Storage, team?: TeamName): Promise<readonly Token[]> {
  const tokens = (await registry.tokens()).filter((token) => team === undefined || token.team === team);
  return tokens.toSorted((a, b) => `${a.team} ${a.created}`.localeCompare(`${b.team} ${b.created}`, "en"));
}

export async function revokeToken(storage: Storage, id: TokenId): Promise<void> {
  await revokeOwnToken(storage, ownerGrant(await teamOfToken(storage, id), "token delete"), id);
}
