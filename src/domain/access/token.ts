/** Access tokens: their format, abilities, Hives and expiry. */
import type { LocaleCode } from "../hives/locale.ts";
import type { HiveSlug, TeamName, TokenId } from "../names.ts";
import { isTokenId } from "../names.ts";

export const abilities = ["read", "write", "approve", "admin"] as const;
export type Ability = (typeof abilities)[number];

export const reviewRules = ["always", "never"] as const;
export type ReviewRule = (typeof reviewRules)[number];

/** The stored fields of a token; the token itself is never stored. */
export interface Token {
  readonly id: TokenId;
  /** SHA-256 of the whole token, in hexadecimal digits. */
  readonly hash: string;
  readonly team: TeamName;
  readonly name?: string;
  readonly abilities: readonly Ability[];
  /** The Hives that it gives access to: the listed ones, or all Hives of the team. */
  readonly hives: "all" | readonly HiveSlug[];
  /** The target locales into which it may write; undefined for all. */
  readonly locales?: readonly LocaleCode[];
  /** `strict`: it cannot store texts that checks refuse. Undefined: it can, with `?checks=warn`. */
  readonly checks?: "strict";
  /** Whether translations that it writes wait for a review; undefined where the origin decides: those of models do. */
  readonly review?: ReviewRule;
  /** ISO 8601, UTC. */
  readonly created: string;
  readonly expires?: string;
  /** How often all sessions of the token were ended at once; part of their signatures. Undefined for never. */
  readonly sessionEpoch?: number;
  /** Sessions that were signed out before their end. */
  readonly endedSessions?: readonly EndedSession[];
}

/** A session of the console that was signed out. */
export interface EndedSession {
  readonly id: string;
  /** When it would have expired, in seconds since 1970. */
  readonly ends: number;
}

/** Base62: an id and a secret of at least 160 random bits. */
const tokenPattern = /^skep_([0-9A-Za-z]{1,64})_[0-9A-Za-z]{27,128}$/;

/** The id in a token; undefined when the text does not have the form of a token. */
export function idInToken(text: string): TokenId | undefined {
  const id = tokenPattern.exec(text)?.[1];
  return id !== undefined && isTokenId(id) ? id : undefined;
}

/** Whether a token has an ability; `admin` implies the others, `write` does not imply `read`. */
export function allows(token: Token, ability: Ability): boolean {
  return token.abilities.includes(ability) || token.abilities.includes("admin");
}

/** Whether a token has expired. @param now in milliseconds since 1970. */
export function hasExpired(token: Token, now: number): boolean {
  return token.expires !== undefined && Date.parse(token.expires) <= now;
}

/** The Hives of a team that a token gives access to, in the team's order. */
export function reachedOf(token: Token, teamHives: readonly HiveSlug[]): readonly HiveSlug[] {
  if (token.hives === "all") return teamHives;
  const listed = new Set(token.hives);
  return teamHives.filter((slug) => listed.has(slug));
}

/** Whether a token gives access to the Hive that a caller names. */
export function reaches(token: Token, teamHives: readonly HiveSlug[], slug: string): slug is HiveSlug {
  const listed = teamHives.find((hive) => hive === slug);
  return listed !== undefined && (token.hives === "all" || token.hives.includes(listed));
}
