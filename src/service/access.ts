/** Authentication of callers, and authorisation of what they do. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { AuditEvent } from "../domain/access/audit.ts";
import { tokenAuthor, type Author } from "../domain/commits/commit-message.ts";
import { failure, type PublicCode, type SkepError } from "../domain/errors.ts";
import type { HiveSlug, TeamName, TokenId } from "../domain/names.ts";
import type { LocaleCode } from "../domain/hives/locale.ts";
import type { Team } from "../domain/access/team.ts";
import {
  allows,
  hasExpired,
  idInToken,
  reaches,
  type Ability,
  type ReviewRule,
  type Token,
} from "../domain/access/token.ts";
import type { Storage } from "./storage.ts";

/** A caller with a valid token, and the token's team. */
export interface Caller {
  readonly token: Token;
  readonly team: Team;
  /** The address of the client, where it is known. */
  readonly client?: string;
}

/** A caller's access to a Hive with one ability. */
export interface HiveGrant {
  readonly slug: HiveSlug;
  readonly team: TeamName;
  readonly author: Author;
  readonly token: TokenId;
  /** The ability that was granted. */
  readonly ability: Ability;
  /** The target locales that may be written to; undefined for all of the Hive. */
  readonly locales?: readonly LocaleCode[];
  /** See {@link Token.checks}. */
  readonly checks?: "strict";
  /** See {@link Token.review}. */
  readonly review?: ReviewRule;
}

/** A caller's access to their team with one ability. */
export interface TeamGrant {
  readonly team: TeamName;
  readonly author: Author;
  readonly token: TokenId;
  /** The ability that was granted. */
  readonly ability: Ability;
  /** Whether the token must reach all Hives of the team. */
  readonly requiresAllHives: boolean;
  /** See {@link Caller.client}. */
  readonly client?: string;
}

/** The SHA-256 hash of a token. Only the hash is stored. */
export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/**
 * Authenticates a caller by the token that they present.
 * @throws SkepError `unauthenticated` when it is missing, unknown, revoked or expired. Only a caller with the whole
 * token learns that it has expired.
 */
export async function authenticate(storage: Storage, presented: string | undefined): Promise<Caller> {
  const id = presented === undefined ? undefined : idInToken(presented);
  if (presented === undefined) throw unauthenticated("missing_token");
  if (id === undefined) throw unauthenticated();
  const token = await storage.registry.token(id);
  if (token === undefined) throw unauthenticated();
  if (!timingSafeEqual(Buffer.from(hashToken(presented)), Buffer.from(token.hash))) throw unauthenticated();
  if (hasExpired(token, storage.now())) throw unauthenticated("expired_token");
  const team = await storage.registry.team(token.team);
  if (team === undefined) throw unauthenticated();
  storage.tokenUse.note(id, storage.now());
  return { token, team };
}

function unauthenticated(publicCode: PublicCode<"unauthenticated"> = "invalid_token"): SkepError {
  return failure("unauthenticated", "Unauthenticated.", { publicCode });
}

/** @throws SkepError `forbidden` when the token lacks the ability. */
export function requireAbility({ token }: Caller, ability: Ability): void {
  if (allows(token, ability)) return;
  throw failure("forbidden", `This token lacks the ${ability} ability.`, { publicCode: "missing_ability" });
}

/**
 * Grants access to a Hive of the caller's team, if the token is for it or for all Hives. Without access, the error is
 * the same for a Hive that exists and one that does not.
 * @throws SkepError `not-found` for reading, `forbidden` for anything else.
 */
export function authorizeHive({ token, team }: Caller, slug: string, ability: Ability): HiveGrant {
  if (!reaches(token, team.hives, slug)) {
    throw ability === "read"
      ? failure("not-found", "This token has access to no such Hive. GET /api/hives lists its Hives.", {
          publicCode: "unknown_hive",
        })
      : noAccess(ability);
  }
  const { id, name, locales, checks, review } = token;
  return {
    slug,
    team: team.name,
    author: tokenAuthor(id, name),
    token: id,
    ability,
    locales,
    checks,
    review,
  };
}

/** One message for Hives out of reach and for Hives that do not exist, most often a misspelt slug. */
function noAccess(ability: Ability): SkepError {
  return failure("forbidden", `This token has no ${ability} access to that Hive; is its slug right?`, {
    publicCode: "no_hive_access",
  });
}

/**
 * Grants access to the caller's team, for operations that are not about one of its Hives.
 * @param requiresAllHives whether the token must reach all Hives of the team.
 * @throws SkepError `forbidden` when the token is limited to some Hives and must not be.
 */
export function authorizeTeam(
  { token, team, client }: Caller,
  ability: Ability,
  requiresAllHives: boolean,
): TeamGrant {
  checkReachesAllHives(token, requiresAllHives);
  return {
    team: team.name,
    author: tokenAuthor(token.id, token.name),
    token: token.id,
    ability,
    requiresAllHives,
    client,
  };
}

/** Who does something, as the audit log names them. */
export function auditedBy({
  team,
  token,
  client,
}: Pick<TeamGrant, "team" | "token" | "client">): Pick<AuditEvent, "team" | "by" | "client"> {
  return { team, by: { token }, client };
}

function checkReachesAllHives({ hives }: Token, requiresAllHives: boolean): void {
  if (!requiresAllHives || hives === "all") return;
  throw failure("forbidden", "This token is limited to some Hives.", { publicCode: "limited_token" });
}

/**
 * Authorises a caller again under the team's lock.
 * @returns their current token and team.
 * @throws SkepError `unauthenticated` or `forbidden` when the token, its ability or its reach was revoked meanwhile.
 */
export async function reauthoriseTeam(
  { registry, now }: Pick<Storage, "registry" | "now">,
  { token: id, team: name, ability, requiresAllHives }: TeamGrant,
): Promise<Caller> {
  const token = await registry.token(id);
  const team = await registry.team(name);
  if (token === undefined || team === undefined) throw unauthenticated();
  if (hasExpired(token, now())) throw unauthenticated("expired_token");
  const caller = { token, team };
  requireAbility(caller, ability);
  checkReachesAllHives(token, requiresAllHives);
  return caller;
}

/**
 * Authorises a caller again under the Hive's lock, because the body and the lock may have taken minutes to arrive.
 * @throws SkepError `unauthenticated` or `forbidden` when the token, its abilities or its reach was revoked meanwhile.
 */
export async function reauthoriseHive(
  { registry, now }: Pick<Storage, "registry" | "now">,
  hive: HiveGrant,
): Promise<void> {
  const token = await registry.token(hive.token);
  const team = await registry.team(hive.team);
  if (token === undefined) throw unauthenticated();
  if (hasExpired(token, now())) throw unauthenticated("expired_token");
  if (team === undefined || !reaches(token, team.hives, hive.slug) || !allows(token, hive.ability)) {
    throw noAccess(hive.ability);
  }
}
