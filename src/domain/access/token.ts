/** Access tokens: their format, abilities, reach and expiry. */
import type { LocaleCode } from "../hives/locale.ts";
import type { HiveSlug, TeamName, TokenId } from "../names.ts";
import { isTokenId } from "../names.ts";

export const abilities = ["read", "write", "admin"] as const;
export type Ability = (typeof abilities)[number];

/** The stored fields of a token; the token itself is never stored. */
export interface Token {
  readonly id: TokenId;
  /** SHA-256 of the whole token, in hexadecimal digits. */
  readonly hash: string;
  readonly team: TeamName;
  readonly name?: string;
  readonly abilities: readonly Ability[];
  /** The Hives within its reach: the listed ones, or all of the team's. */
  readonly hives: "all" | readonly HiveSlug[];
  /** The target locales into which it may write; undefined for no such limit. */
  readonly locales?: readonly LocaleCode[];
  /** Whether it may not let texts pass that checks refuse; undefined for no such limit. */
  readonly checks?: "strict";
  /** ISO 8601, UTC. */
  readonly created: string;
  readonly expires?: string;
  /** How often all sessions of the token were ended at once; it is part of their signatures. Undefined for never. */
  readonly sessionEpoch?: number;
  /** The sessions that were signed out of and would not have ended yet. */
  readonly endedSessions?: readonly EndedSession[];
}

/** A session of the console that was signed out of. */
export interface EndedSession {
  readonly id: string;
  /** When it would have ended, in seconds since 1970. */
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

/** The Hives of a team that a token reaches, in the team's order. */
export function reachedOf(token: Token, teamHives: readonly HiveSlug[]): readonly HiveSlug[] {
  if (token.hives === "all") return teamHives;
  const listed = new Set(token.hives);
  return teamHives.filter((slug) => listed.has(slug));
}

/** Whether a token reaches the Hive that a caller names. */
export function reaches(token: Token, teamHives: readonly HiveSlug[], slug: string): slug is HiveSlug {
  const listed = teamHives.find((hive) => hive === slug);
  return listed !== undefined && (token.hives === "all" || token.hives.includes(listed));
}
