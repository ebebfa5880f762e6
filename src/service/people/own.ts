/** What persons manage for themselves: their tokens and their sessions. */
import type { PersonSession } from "../../domain/access/person.ts";
import type { Token } from "../../domain/access/token.ts";
import { failure, Issues } from "../../domain/errors.ts";
import { toDisplayName } from "../../domain/hives/hive-settings.ts";
import type { PersonId } from "../../domain/names.ts";
import { checkRoom } from "../../domain/plans/quota.ts";
import { auditedBy, reauthoriseTeam, type TeamGrant } from "../access.ts";
import { expiryWithin, byAge, revokeAmong } from "../admin/own-tokens.ts";
import { rightsWithin, type WantedRights } from "../admin/granted-rights.ts";
import { mintToken, requireNoAdmin, type MadeToken } from "../admin/tokens.ts";
import { endPersonSessions } from "../sessions.ts";
import type { AccessStorage, StorageBase } from "../storage.ts";

const maxPersonalTokens = 50;
/** How long a token of a person is valid where nothing else is asked for. */
const usualLifetimeMs = 90 * 24 * 60 * 60 * 1000;

export interface PersonalTokenRequest extends WantedRights {
  readonly name?: string;
  /** In milliseconds since 1970; in 90 days by default, but not after the token that asks. */
  readonly expires?: number;
}

/** @throws SkepError `forbidden` for a caller that is a token of nobody. */
export function personOf({ person }: Pick<TeamGrant, "person">): PersonId {
  if (person !== undefined) return person;
  throw failure("forbidden", "This token belongs to no person.", { publicCode: "no_person" });
}

/**
 * Creates a token of the caller's own person, with at most the caller's rights. What it may do is at each request only what
 * the person may do then, too.
 * @throws SkepError `forbidden` for a token of nobody; `invalid` on each field that exceeds the caller's rights; `quota`.
 */
export function createPersonalToken(
  storage: StorageBase,
  grant: TeamGrant,
  request: PersonalTokenRequest,
): Promise<MadeToken> {
  const person = personOf(grant);
  const name = request.name === undefined ? undefined : toDisplayName(request.name);
  return storage.lockTeam(grant.team, async (lock) => {
    const caller = await reauthoriseTeam(storage, grant);
    checkRoom("You", "token", (await listPersonalTokens(storage, grant)).length, maxPersonalTokens);
    const issues = new Issues();
    const within = rightsWithin(caller, request, issues);
    // What a person makes in a session follows their own limit, as it is at each request; what a token makes must not lose
    // the token's.
    const follows = grant.token === undefined && request.locales === undefined;
    const rights = { ...within, locales: follows ? undefined : within.locales };
    requireNoAdmin(rights, "abilities");
    const now = storage.now();
    const presented = grant.token && (await storage.registry.token(grant.token));
    const own = presented?.expires;
    const usual = Math.min(now + usualLifetimeMs, own === undefined ? Infinity : Date.parse(own));
    const expires = expiryWithin({ expires: own }, request.expires ?? usual, now, issues);
    issues.throwIfAny();
    return mintToken(storage, lock, {
      team: grant.team,
      person,
      name,
      ...rights,
      checks: caller.principal.checks,
      expires,
      by: auditedBy(grant),
    });
  });
}

/** The tokens of the caller's own person, the oldest first. @throws SkepError `forbidden` for a token of nobody. */
export async function listPersonalTokens(
  { registry }: StorageBase,
  grant: Pick<TeamGrant, "team" | "person">,
): Promise<readonly Token[]> {
  const person = personOf(grant);
  const tokens = await registry.tokensOf(grant.team);
  return tokens.filter((token) => token.person === person).toSorted(byAge);
}

/**
 * Revokes a token of the caller's own person.
 * @throws SkepError `forbidden` for a token of nobody; `not-found` for any other token.
 */
export function revokePersonalToken(storage: StorageBase, grant: TeamGrant, id: string): Promise<Token> {
  const missing = "You have no such token.";
  return revokeAmong(storage, grant, id, { list: () => listPersonalTokens(storage, grant), missing });
}

/** The sessions of the caller's own person, the oldest first. @throws SkepError `forbidden` for a token of nobody. */
export function listOwnSessions(
  { personSessions, now }: AccessStorage,
  grant: Pick<TeamGrant, "person">,
): readonly PersonSession[] {
  return personSessions.of(personOf(grant), now());
}

/**
 * Ends a session of the caller's own person, on every server of the storage at its next request.
 * @throws SkepError `forbidden` for a token of nobody; `not-found` for any other session.
 */
export async function endOwnSession(
  storage: AccessStorage,
  grant: TeamGrant,
  id: string,
): Promise<PersonSession> {
  const session = listOwnSessions(storage, grant).find((other) => other.id === id);
  if (session === undefined) {
    throw failure("not-found", "You have no such session.", { publicCode: "unknown_session" });
  }
  const person = personOf(grant);
  const event = { event: "session_ended", ...auditedBy(grant), person, after: { sessions: "one" } } as const;
  await endPersonSessions(storage, person, event, id);
  return session;
}
