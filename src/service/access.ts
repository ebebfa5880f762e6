/** Authentication of callers, authorisation of what they do, and the teams that have Hives. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { AuditEvent } from "../domain/access/audit.ts";
import type { Author, CommitMetadata } from "../domain/commits/commit-message.ts";
import { failure, isFailure, type PublicCode, type SkepError } from "../domain/errors.ts";
import { isPersonId, isTokenId, type HiveSlug, type PersonId, type TeamName } from "../domain/names.ts";
import type { LocaleCode } from "../domain/hives/locale.ts";
import { isActive, isTokenOf, signInAgainAt, type Person } from "../domain/access/person.ts";
import {
  authorOf,
  principalOfEngine,
  principalOfOwner,
  principalOfPerson,
  principalOfPersonalToken,
  principalOfToken,
  type Principal,
  type PrincipalId,
} from "../domain/access/principal.ts";
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
import type { AccessStorage, Storage, StorageBase } from "./storage.ts";
import type { WriteContext } from "../store/hives/write-context.ts";

export type { CommitResult, Preview, WriteContext } from "../store/hives/write-context.ts";

export interface Caller {
  readonly principal: Principal;
  readonly team: Team;
  /** The address of the client, where it is known. */
  readonly client?: string;
}

export interface HiveGrant extends PrincipalId {
  readonly slug: HiveSlug;
  readonly team: TeamName;
  readonly author: Author;
  readonly ability: Ability;
  /** The target locales that may be written to; undefined for all of the Hive. */
  readonly locales?: readonly LocaleCode[];
  /** See {@link Rights.checks}. */
  readonly checks?: "strict";
  /** See {@link Rights.review}. */
  readonly review?: ReviewRule;
  /** Whether they may delete the comments of others. */
  readonly moderates?: boolean;
}

export interface TeamGrant extends PrincipalId {
  readonly team: TeamName;
  readonly author: Author;
  readonly ability: Ability;
  /** Whether the token must reach all Hives of the team. */
  readonly requiresAllHives: boolean;
  /** See {@link Caller.client}. */
  readonly client?: string;
}

/** The SHA-256 hash of a token or a code. Only the hash is stored. */
export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/**
 * Authenticates a caller by the token that they present.
 * @throws SkepError `unauthenticated` when it is missing, unknown, revoked or expired, or its person is disabled. Only a
 * caller with the whole token learns that it has expired.
 */
export async function authenticate(storage: AccessStorage, presented: string | undefined): Promise<Caller> {
  const id = presented === undefined ? undefined : idInToken(presented);
  if (presented === undefined) throw unauthenticated("missing_token");
  if (id === undefined) throw unauthenticated();
  const token = await storage.registry.token(id);
  if (token === undefined) throw unauthenticated();
  if (!timingSafeEqual(Buffer.from(hashToken(presented)), Buffer.from(token.hash))) throw unauthenticated();
  const principal = await principalOf(storage, token, token.person);
  const team = await storage.registry.team(token.team);
  if (team === undefined) throw unauthenticated();
  storage.tokenUse.note(id, storage.now());
  return { principal, team };
}

/**
 * The owner of the storage as the caller of a command on its machine. Nothing that comes over the network makes one.
 * @param command its name, for the audit log.
 */
export function ownerCaller(command: string, team: Team): Caller {
  return { principal: principalOfOwner(command), team };
}

type Settings = Pick<Storage, "registry" | "now">;

/**
 * What a token, a person, or a token of a person may do now.
 * @throws SkepError `unauthenticated` when the token has expired, or the person is disabled, was removed or has to sign in.
 */
async function principalOf(
  { registry, now }: Settings,
  token: Token | undefined,
  id: PersonId | undefined,
): Promise<Principal> {
  if (token !== undefined && hasExpired(token, now())) throw unauthenticated("expired_token");
  const person = id && (await registry.person(id));
  if (id === undefined && token !== undefined) return principalOfToken(token);
  if (person === undefined || !isActive(person)) throw unauthenticated();
  if (token === undefined) return principalOfPerson(person);
  if (!isTokenOf(person, token)) throw unauthenticated();
  if (signInAgainAt(person) <= now()) throw unauthenticated("sign_in_needed");
  return principalOfPersonalToken(person, token);
}

/** The caller of a session. @returns undefined when its token or person may do nothing any more. */
export async function callerOf(storage: Settings, holder: Token | Person): Promise<Caller | undefined> {
  const [token, person] = "hash" in holder ? [holder, holder.person] : [undefined, holder.id];
  try {
    const principal = await principalOf(storage, token, person);
    const team = await storage.registry.team(holder.team);
    return team && { principal, team };
  } catch (error) {
    if (!isFailure(error, "unauthenticated")) throw error;
    return undefined;
  }
}

/** A principal as it is now. @throws SkepError `unauthenticated` when there is none any more. */
export async function currentPrincipal(
  storage: Settings,
  { token: id, person, command, engine }: PrincipalId,
): Promise<Principal> {
  if (command !== undefined) return principalOfOwner(command);
  if (engine !== undefined) return principalOfEngine(engine);
  const token = id && (await storage.registry.token(id));
  if (id !== undefined && token === undefined) throw unauthenticated();
  return principalOf(storage, token, person);
}

function unauthenticated(publicCode: PublicCode<"unauthenticated"> = "invalid_token"): SkepError {
  return failure("unauthenticated", "Unauthenticated.", { publicCode });
}

/** @throws SkepError `forbidden` when the caller lacks the ability. */
export function requireAbility({ principal }: Caller, ability: Ability): void {
  if (allows(principal, ability)) return;
  const who = principal.token === undefined ? "You lack" : "This token lacks";
  throw failure("forbidden", `${who} the ${ability} ability.`, { publicCode: "missing_ability" });
}

/**
 * Grants access to a Hive of the caller's team, if they reach it. Without access, the error is
 * the same for a Hive that exists and one that does not.
 * @throws SkepError `not-found` for reading, `forbidden` for anything else.
 */
export function authorizeHive({ principal, team }: Caller, slug: string, ability: Ability): HiveGrant {
  if (!reaches(principal, team.hives, slug)) {
    throw ability === "read"
      ? failure("not-found", "This token has access to no such Hive. GET /api/hives lists its Hives.", {
          publicCode: "unknown_hive",
        })
      : noAccess(ability);
  }
  const { locales, checks, review } = principal;
  const moderates = allows(principal, "admin");
  return { slug, ...granted({ principal, team }, ability), locales, checks, review, moderates };
}

/** What grants of access to a Hive and to a team have in common. */
function granted({ principal, team }: Caller, ability: Ability) {
  const { token, person, command, engine } = principal;
  const owner = { ...(command !== undefined && { command }), ...(engine !== undefined && { engine }) };
  return { team: team.name, author: authorOf(principal, team), token, person, ability, ...owner };
}

/** One message for Hives out of reach and for Hives that do not exist, most often a misspelt slug. */
function noAccess(ability: Ability): SkepError {
  return failure("forbidden", `This token has no ${ability} access to that Hive; is its slug right?`, {
    publicCode: "no_hive_access",
  });
}

/**
 * Grants access to the caller's team, for operations that are not about one of its Hives.
 * @param requiresAllHives whether the caller must reach all Hives of the team.
 * @throws SkepError `forbidden` when they are limited to some Hives and must not be.
 */
export function authorizeTeam(
  { principal, team, client }: Caller,
  ability: Ability,
  requiresAllHives: boolean,
): TeamGrant {
  checkReachesAllHives(principal, requiresAllHives);
  return { ...granted({ principal, team }, ability), requiresAllHives, client };
}

/** Whose doing an entry of the audit log is, from the access that was granted. */
export function auditedBy({
  team,
  token,
  person,
  command,
  client,
}: PrincipalId & Pick<TeamGrant, "team" | "client">): Pick<AuditEvent, "team" | "by" | "client"> {
  return { team, by: { token, person, command }, client };
}

function checkReachesAllHives({ hives, token }: Principal, requiresAllHives: boolean): void {
  if (!requiresAllHives || hives === "all") return;
  const who = token === undefined ? "You are" : "This token is";
  throw failure("forbidden", `${who} limited to some Hives.`, { publicCode: "limited_token" });
}

/**
 * Authorises a caller again under the team's lock.
 * @returns their current rights and team.
 * @throws SkepError `unauthenticated` or `forbidden` when the token or person, its ability or its reach was revoked meanwhile.
 */
export async function reauthoriseTeam(
  storage: Settings,
  { ability, requiresAllHives, ...grant }: TeamGrant,
): Promise<Caller> {
  const principal = await currentPrincipal(storage, grant);
  const team = await storage.registry.team(grant.team);
  if (team === undefined) throw unauthenticated();
  const caller = { principal, team };
  requireAbility(caller, ability);
  checkReachesAllHives(principal, requiresAllHives);
  return caller;
}

/**
 * Authorises a caller again under the Hive's lock, because the body and the lock may have taken minutes to arrive.
 * @returns their current rights.
 * @throws SkepError `unauthenticated` or `forbidden` when the token or person, abilities or reach were revoked meanwhile.
 */
export async function reauthoriseHive(storage: Settings, hive: HiveGrant): Promise<Principal> {
  const principal = await currentPrincipal(storage, hive);
  const team = await storage.registry.team(hive.team);
  if (team === undefined || !reaches(principal, team.hives, hive.slug) || !allows(principal, hive.ability)) {
    throw noAccess(hive.ability);
  }
  return principal;
}

/** The team, if it has the Hive; the caller holds its lock. @throws SkepError `not-found` when it does not. */
export async function requireTeamOfHive(
  { registry }: StorageBase,
  name: TeamName,
  slug: HiveSlug,
): Promise<Team> {
  const team = await registry.team(name);
  if (team === undefined || !team.hives.includes(slug))
    throw failure("not-found", `There is no Hive "${slug}".`);
  return team;
}

/** The team of a caller, which has the Hive; for the operator, the one that has it. @throws as {@link Registry.teamOfHive}. */
export async function teamOf(
  storage: StorageBase,
  slug: HiveSlug,
  { caller }: Pick<WriteContext, "caller">,
): Promise<TeamName> {
  return caller.team ?? (await storage.registry.teamOfHive(slug)).name;
}

/** The name of the person or token with an id; the id itself where there is no name. */
export async function nameOf({ registry }: Pick<Storage, "registry">, by: string): Promise<string> {
  const person = isPersonId(by) ? await registry.person(by) : undefined;
  if (person !== undefined) return person.name;
  return (isTokenId(by) && (await registry.token(by))?.name) || by;
}

/** The message, reference and origin that a caller gives for the commit of their request. */
export type CallerMetadata = Pick<CommitMetadata, "message" | "ref" | "origin">;

/** The context of a write to a Hive. @param given what the caller says about the commit. */
export function hiveWriteContext(
  storage: StorageBase,
  hive: HiveGrant,
  given: CallerMetadata = {},
): WriteContext {
  const { author, token, person, team, locales, checks, review, moderates } = hive;
  const reauthorise = (): Promise<unknown> => reauthoriseHive(storage, hive);
  return {
    metadata: { author, token, person, ...given },
    caller: {
      team,
      locales,
      checks,
      review,
      moderates,
      reauthorise,
      scope: storage.registry.scopeOf(team, token),
    },
  };
}

/** The context of a write to a team's settings. @param given what the caller says about the commit. */
export function teamWriteContext(
  storage: StorageBase,
  grant: TeamGrant,
  given: CallerMetadata,
): WriteContext {
  const { author, token, person, team } = grant;
  const reauthorise = (): Promise<unknown> => reauthoriseTeam(storage, grant);
  return {
    metadata: { author, token, person, ...given },
    caller: { team, reauthorise, scope: storage.registry.scopeOf(team, token) },
  };
}
