/** Access tokens: their format, abilities, Hives and expiry. */
import { z } from "zod";
import { hash, hiveSlug, localeCode, personId, positive, teamName, time } from "../hives/stored-fields.ts";
import type { Decoded } from "../json-codec.ts";
import { isTokenId, type HiveSlug, type TokenId } from "../names.ts";

export const abilities = ["read", "write", "approve", "admin"] as const;
export type Ability = (typeof abilities)[number];

export const reviewRules = ["always", "never"] as const;
export type ReviewRule = (typeof reviewRules)[number];

/** What tokens and persons may do, as it is stored. */
export const storedRights = z.strictObject({
  abilities: z.array(z.enum(abilities)),
  /** The Hives that they give access to: the listed ones, or all Hives of the team. */
  hives: z.union([z.literal("all"), z.array(hiveSlug)]),
  /** The target locales into which may be written; undefined for all. */
  locales: z.array(localeCode).optional(),
  /** `strict`: texts that checks refuse cannot be stored. Undefined: they can, with `?checks=warn`. */
  checks: z.literal("strict").optional(),
  /** Whether written translations wait for a review; undefined where the origin decides: those of models do. */
  review: z.enum(reviewRules).optional(),
});

export interface Rights extends Decoded<z.output<typeof storedRights>> {
  /** ISO 8601, UTC; it never expires where this is undefined. */
  readonly expires?: string;
}

const endedSession = z.strictObject({
  id: z.string(),
  /** When it would have expired, in seconds since 1970. */
  ends: positive,
});

/** The stored fields of a token; the token itself is never stored. Its id is the name of its file. */
export const storedToken = z.strictObject({
  /** SHA-256 of the whole token. */
  hash,
  team: teamName,
  /** The person whose token it is: it may do at most what they may, and their name is on its commits. */
  person: personId.optional(),
  name: z.string().optional(),
  ...storedRights.shape,
  created: time,
  /** It never expires where this is undefined. */
  expires: time.optional(),
  /** How often all sessions of the token were ended at once; part of their signatures. Undefined for never. */
  session_epoch: positive.optional(),
  ended_sessions: z.array(endedSession).optional(),
});

export interface Token extends Decoded<z.output<typeof storedToken>> {
  readonly id: TokenId;
}

/** Base62: an id and a secret of at least 160 random bits. */
const tokenPattern = /^skep_([0-9A-Za-z]{1,64})_[0-9A-Za-z]{27,128}$/;

/** The id in a token; undefined when the text does not have the form of a token. */
export function idInToken(text: string): TokenId | undefined {
  const id = tokenPattern.exec(text)?.[1];
  return id !== undefined && isTokenId(id) ? id : undefined;
}

/** Whether somebody has an ability; `admin` implies the others, `write` does not imply `read`. */
export function allows(rights: Pick<Rights, "abilities">, ability: Ability): boolean {
  return rights.abilities.includes(ability) || rights.abilities.includes("admin");
}

/** Whether rights have expired. @param now in milliseconds since 1970. */
export function hasExpired({ expires }: Pick<Rights, "expires">, now: number): boolean {
  return expires !== undefined && Date.parse(expires) <= now;
}

/** The Hives of a team that somebody has access to, in the team's order. */
export function reachedOf({ hives }: Rights, teamHives: readonly HiveSlug[]): readonly HiveSlug[] {
  if (hives === "all") return teamHives;
  const listed = new Set(hives);
  return teamHives.filter((slug) => listed.has(slug));
}

/** Whether somebody has access to the Hive that they name. */
export function reaches({ hives }: Rights, teamHives: readonly HiveSlug[], slug: string): slug is HiveSlug {
  const listed = teamHives.find((hive) => hive === slug);
  return listed !== undefined && (hives === "all" || hives.includes(listed));
}
