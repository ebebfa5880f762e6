/** Who asks, and what they may do. */
import { createHash, timingSafeEqual } from "node:crypto";
import { tokenAuthor, type Author } from "../domain/commits/commit-message.ts";
import { failure, type PublicCode, type SkepError } from "../domain/errors.ts";
import type { HiveSlug, TeamName, TokenId } from "../domain/names.ts";
import type { Team } from "../domain/access/team.ts";
import { allows, hasExpired, idInToken, reaches, type Ability, type Token } from "../domain/access/token.ts";
import type { Storage } from "./storage.ts";

/** A token that was presented and is good, with its team as it is now. */
export interface Caller {
  readonly token: Token;
  readonly team: Team;
}

/** A Hive that a caller may work on in the way they asked for. */
export interface HiveGrant {
  readonly slug: HiveSlug;
  readonly team: TeamName;
  readonly author: Author;
  readonly token: TokenId;
  /** What was allowed. */
  readonly ability: Ability;
}

/** A team that a caller may manage, as far as their token reaches. */
export interface TeamGrant {
  readonly team: TeamName;
  readonly author: Author;
  readonly token: TokenId;
  /** What was allowed. */
  readonly ability: Ability;
  /** Whether it takes a token that reaches all Hives of the team. */
  readonly requiresAllHives: boolean;
}

/** The SHA-256 of a token, as it is stored. */
export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/**
 * Finds out who presents a token.
 * @throws SkepError `unauthenticated` when it is missing, unknown, revoked or expired. That it expired is told only to
 * those who have the whole token.
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
 * The Hive that a caller names, if it is within reach: the team's present Hives that the token lists, or all.
 * Outside it a Hive that exists and one that does not are answered alike.
 * @throws SkepError `forbidden` for anything but reading, `not-found` for reading.
 */
export function reachHive({ token, team }: Caller, slug: string, ability: Ability): HiveGrant {
  if (!reaches(token, team.hives, slug)) {
    throw ability === "read"
      ? failure(
          "not-found",
          "There is no such Hive within this token's reach. GET /api/hives lists those that are.",
          { publicCode: "unknown_hive" },
        )
      : noAccess(ability);
  }
  return { slug, team: team.name, author: tokenAuthor(token.id, token.name), token: token.id, ability };
}

/** The same bytes for a Hive that is out of reach and for one that does not exist, most often a misspelt slug. */
function noAccess(ability: Ability): SkepError {
  return failure("forbidden", `This token has no ${ability} access to that Hive; is its slug right?`, {
    publicCode: "no_hive_access",
  });
}

/**
 * The caller's team, for what is not about one of its Hives.
 * @param requiresAllHives whether that takes a token which reaches all Hives of the team.
 * @throws SkepError `forbidden` when the token is limited to some Hives and must not be.
 */
export function reachTeam({ token, team }: Caller, ability: Ability, requiresAllHives: boolean): TeamGrant {
  checkReachesAllHives(token, requiresAllHives);
  return {
    team: team.name,
    author: tokenAuthor(token.id, token.name),
    token: token.id,
    ability,
    requiresAllHives,
  };
}

function checkReachesAllHives({ hives }: Token, requiresAllHives: boolean): void {
  if (!requiresAllHives || hives === "all") return;
  throw failure("forbidden", "This token is limited to some Hives.", { publicCode: "limited_token" });
}

/**
 * Asks again, under the team's lock, whether a caller may still do what they were let in for.
 * @returns their token and team as they are now.
 * @throws SkepError `unauthenticated` or `forbidden` when the token, its ability or its reach went in the meantime.
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
 * Asks again, under the Hive's lock, whether a caller may still do what they were let in for: their body may have
 * taken minutes to arrive, and the lock its time to come.
 * @throws SkepError `unauthenticated` or `forbidden` when the token, its abilities or its reach went in the meantime.
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
