/** Lets callers create, list and revoke tokens, within the reach of their own token. */
import { failure, Issues } from "../../domain/errors.ts";
import { toDisplayName } from "../../domain/hives/hive-settings.ts";
import { toLocale } from "../../domain/hives/locale.ts";
import type { HiveSlug } from "../../domain/names.ts";
import { excerpt } from "../../domain/text.ts";
import { allows, reaches, type Ability, type Token } from "../../domain/access/token.ts";
import { auditedBy, reauthoriseTeam, type Caller, type TeamGrant } from "../access.ts";
import type { Storage } from "../storage.ts";
import { mintToken, removeToken, requireNoAdmin, type MadeToken } from "./tokens.ts";

/** A caller's request for a new token. */
export interface TokenRequest {
  readonly name?: string;
  /** An empty list means `read`. */
  readonly abilities: readonly Ability[];
  /** By default the reach of the caller's own token. */
  readonly hives?: "all" | readonly string[];
  /** Codes of the target locales into which it may write; no limit if undefined. */
  readonly locales?: readonly string[];
  readonly checks?: Token["checks"];
  /** As the caller's own if that is reviewed always. */
  readonly review?: Token["review"];
  /** In milliseconds since 1970; by default as the caller's own token. */
  readonly expires?: number;
}

/**
 * Creates a token with at most the rights of the caller's own: for their team, for Hives that they reach, and with an
 * expiry that is not later.
 * @throws SkepError `invalid` on each field that would exceed the caller's rights; what {@link reauthoriseTeam} throws.
 */
export function createOwnToken(
  storage: Storage,
  grant: TeamGrant,
  request: TokenRequest,
): Promise<MadeToken> {
  const name = request.name === undefined ? undefined : toDisplayName(request.name);
  return storage.lockTeam(grant.team, async (lock) => {
    const caller = await reauthoriseTeam(storage, grant);
    const { abilities, checks } = request;
    const isReviewed = caller.token.review === "always";
    const { review = isReviewed ? "always" : undefined } = request;
    const issues = new Issues();
    const lacking = abilities.find((ability) => !allows(caller.token, ability));
    if (lacking !== undefined) issues.add("abilities", `this token lacks the ${lacking} ability itself`);
    const hives = hivesWithin(caller, request.hives, issues);
    const locales = request.locales?.map((code, i) => toLocale(code, `locales.${i}`).code);
    if (locales?.length === 0) issues.add("locales", "must name a locale");
    requireNoAdmin({ abilities, locales, checks }, "abilities");
    if (isReviewed && review !== "always")
      issues.add("review", "must be always, as it is for this token itself");
    const expires = expiryWithin(caller.token, request.expires, storage.now(), issues);
    issues.throwIfAny();
    return mintToken(storage, lock, {
      team: grant.team,
      name,
      abilities,
      hives,
      locales,
      checks,
      review,
      expires: expires === undefined ? undefined : () => expires,
      by: auditedBy(grant),
    });
  });
}

function hivesWithin({ token, team }: Caller, asked: TokenRequest["hives"], issues: Issues): Token["hives"] {
  if (asked === undefined) {
    return token.hives === "all" ? "all" : token.hives.filter((slug) => team.hives.includes(slug));
  }
  if (asked === "all") {
    if (token.hives !== "all") issues.add("hives", "this token is limited to some Hives itself");
    return token.hives;
  }
  if (asked.length === 0) issues.add("hives", "must name a Hive, or be all");
  return asked.filter((slug): slug is HiveSlug => {
    const isReached = reaches(token, team.hives, slug);
    if (!isReached) issues.add("hives", () => `this token has access to no Hive "${excerpt(slug)}"`);
    return isReached;
  });
}

/** Later years are formatted in a way that would not be accepted. */
const latestExpiry = Date.parse("9999-12-31T23:59:59.999Z");

function expiryWithin(
  token: Token,
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
function manages({ token, team }: Caller, other: Token): boolean {
  if (other.team !== team.name) return false;
  if (other.id === token.id || token.hives === "all") return true;
  const own = token.hives;
  return other.hives !== "all" && other.hives.length > 0 && other.hives.every((slug) => own.includes(slug));
}

/** The tokens that a caller may manage, the oldest first. Unreadable files are left out. */
export async function listOwnTokens({ registry }: Storage, caller: Caller): Promise<readonly Token[]> {
  const tokens = await registry.tokensOf(caller.team.name);
  return tokens.filter((token) => manages(caller, token)).toSorted(byAge);
}

/**
 * Revokes a token that a caller may manage, which may be their own.
 * @throws SkepError `not-found` for any other token, whether it exists or not; what {@link reauthoriseTeam} throws.
 */
export function revokeOwnToken(storage: Storage, grant: TeamGrant, id: string): Promise<Token> {
  return storage.lockTeam(grant.team, async (lock) => {
    const caller = await reauthoriseTeam(storage, grant);
    const token = (await listOwnTokens(storage, caller)).find((other) => other.id === id);
    if (token === undefined)
      throw failure("not-found", "This token may manage no such token.", {
        publicCode: "unknown_token",
      });
    await removeToken(storage, lock, token, auditedBy(grant));
    return token;
  });
}

function byAge(one: Token, other: Token): number {
  return Date.parse(one.created) - Date.parse(other.created) || (one.id < other.id ? -1 : 1);
}
