/** Lets callers create, list and revoke tokens, within the reach of their own token. */
import { failure, Issues } from "../../domain/errors.ts";
import { toDisplayName } from "../../domain/hives/hive-settings.ts";
import type { Rights, Token } from "../../domain/access/token.ts";
import { auditedBy, reauthoriseTeam, type Caller, type TeamGrant } from "../access.ts";
import type { StorageBase } from "../storage.ts";
import { isWithinRights, rightsWithin, type WantedRights } from "./granted-rights.ts";
import { mintToken, removeToken, requireNoAdmin, type MadeToken } from "./tokens.ts";

export interface TokenRequest extends WantedRights {
  readonly name?: string;
  readonly checks?: Token["checks"];
  /** In milliseconds since 1970; by default as the caller's own token. */
  readonly expires?: number;
}

/**
 * Creates a token with at most the rights of the caller's own: for their team, for Hives that they reach, and with an
 * expiry that is not later.
 * @throws SkepError `invalid` on each field that would exceed the caller's rights; what {@link reauthoriseTeam} throws.
 */
export function createOwnToken(
  storage: StorageBase,
  grant: TeamGrant,
  request: TokenRequest,
): Promise<MadeToken> {
  const name = request.name === undefined ? undefined : toDisplayName(request.name);
  return storage.lockTeam(grant.team, async (lock) => {
    const caller = await reauthoriseTeam(storage, grant);
    const { checks } = request;
    const issues = new Issues();
    const rights = rightsWithin(caller, request, issues);
    requireNoAdmin({ ...rights, checks }, "abilities");
    const expires = expiryWithin(caller.principal, request.expires, storage.now(), issues);
    issues.throwIfAny();
    return mintToken(storage, lock, {
      team: grant.team,
      name,
      ...rights,
      checks,
      expires,
      by: auditedBy(grant),
    });
  });
}

/** Later years are formatted in a way that would not be accepted. */
const latestExpiry = Date.parse("9999-12-31T23:59:59.999Z");

/** When a new token expires: as is asked for, or with the caller's own. An issue is added for a later time. */
export function expiryWithin(
  token: Pick<Rights, "expires">,
  asked: number | undefined,
  now: number,
  issues: Issues,
): number | undefined {
  const own = token.expires === undefined ? undefined : Date.parse(token.expires);
  if (asked === undefined) return own;
  if (asked <= now) issues.add("expires", "must be in the future");
  if (asked > latestExpiry) issues.add("expires", "must not be after the year 9999");
  if (own !== undefined && asked > own) {
    issues.add("expires", `must not be after this token's own, ${new Date(own).toISOString()}`);
  }
  return asked;
}

/** Whether a caller may manage a token: their own, or one of their team whose reach is within their own. */
function manages(caller: Caller, token: Token): boolean {
  return (
    token.team === caller.team.name && (token.id === caller.principal.token || isWithinRights(caller, token))
  );
}

/** The tokens that a caller may manage, the oldest first. Unreadable files are left out. */
export async function listOwnTokens({ registry }: StorageBase, caller: Caller): Promise<readonly Token[]> {
  const tokens = await registry.tokensOf(caller.team.name);
  return tokens.filter((token) => manages(caller, token)).toSorted(byAge);
}

const missing = "This token may manage no such token.";

/** A token that a caller may manage. @throws SkepError `not-found` for any other, whether it exists or not. */
export async function findOwnToken(storage: StorageBase, caller: Caller, id: string): Promise<Token> {
  const found = (await listOwnTokens(storage, caller)).find((token) => token.id === id);
  if (found === undefined) throw failure("not-found", missing, { publicCode: "unknown_token" });
  return found;
}

/**
 * Revokes a token that a caller may manage, which may be their own.
 * @throws SkepError `not-found` for any other token, whether it exists or not; what {@link reauthoriseTeam} throws.
 */
export function revokeOwnToken(storage: StorageBase, grant: TeamGrant, id: string): Promise<Token> {
  return revokeAmong(storage, grant, id, { list: (caller) => listOwnTokens(storage, caller), missing });
}

/** Revokes one of the tokens that a list has under the lock. @param missing what is said where it has none of that id. */
export function revokeAmong(
  storage: StorageBase,
  grant: TeamGrant,
  id: string,
  among: { readonly list: (caller: Caller) => Promise<readonly Token[]>; readonly missing: string },
): Promise<Token> {
  return storage.lockTeam(grant.team, async (lock) => {
    const caller = await reauthoriseTeam(storage, grant);
    const token = (await among.list(caller)).find((other) => other.id === id);
    if (token === undefined) throw failure("not-found", among.missing, { publicCode: "unknown_token" });
    await removeToken(storage, lock, token, auditedBy(grant));
    return token;
  });
}

/** Orders tokens from the oldest to the newest, for `sort`. */
export function byAge(one: Token, other: Token): number {
  return Date.parse(one.created) - Date.parse(other.created) || (one.id < other.id ? -1 : 1);
}
