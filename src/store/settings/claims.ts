/**
 * Who works on which strings of a Hive, `claims/<slug>.json`. A claim keeps two from doing the same; nothing is lost with
 * it, so the file is no part of a backup, and is as an empty one where it cannot be read.
 */
import { hash } from "node:crypto";
import { z } from "zod";
import { groupBy } from "../../domain/group-by.ts";
import { isFileName, type HiveSlug } from "../../domain/names.ts";
import { maxClaimSeconds, skippedSeconds } from "../../domain/work/work.ts";
import type { Documents } from "../record/record.ts";
import { localeCode, positive, textThat } from "../../domain/hives/stored-fields.ts";
import { VolatileFiles, withoutFormat } from "./volatile-files.ts";

const claimedString = z.strictObject({
  file: textThat(isFileName),
  key: z.string(),
  source: z.string(),
  translation: z.string(),
});
const claimPlace = z.strictObject({
  /** The person who claims, whichever token they use, or the token that is nobody's; see `ownerOf`. */
  owner: z.string(),
  branch: z.string(),
  locale: localeCode,
});
const claim = z.strictObject({
  id: z.string(),
  /** The id of the person, or of the token that is nobody's. */
  by: z.string(),
  ...claimPlace.shape,
  /** In milliseconds since 1970. */
  ends: positive,
  items: z.array(claimedString).readonly(),
});
const skippedString = z.strictObject({ ...claimPlace.shape, ends: positive, ...claimedString.shape });
const claimsFile = z
  .strictObject({ format: z.literal(1), claims: z.array(claim), skipped: z.array(skippedString) })
  .transform(withoutFormat);

/** A string of a claim, with hashes of the texts that were there. */
export type ClaimedString = Readonly<z.infer<typeof claimedString>>;
export type ClaimPlace = Readonly<z.infer<typeof claimPlace>>;
/** Strings that somebody works on until a time. */
export type Claim = Readonly<z.infer<typeof claim>>;
/**
 * A string that is withheld from whoever skipped it, until a time or until one of its texts changes. Its key is a
 * {@link shortKey}.
 */
export type SkippedString = Readonly<z.infer<typeof skippedString>>;

/** What is claimed in a Hive; nothing of it has ended. */
export interface Claims {
  readonly claims: readonly Claim[];
  /** The oldest first. */
  readonly skipped: readonly SkippedString[];
}

/** How many strings of one Hive may be withheld, from one owner and in all; the oldest are handed out again. */
const maxSkippedOfOwner = 2_000;
const maxSkipped = 20_000;
/** How many strings of one Hive may be claimed in all; the oldest claims end for a new one. */
const maxClaimed = 10_000;
/** How many bytes either may take in the file, which each claim writes again. */
const maxBytes = 2 * 1024 * 1024;
/** Longer keys are stored as hashes. */
const longestKey = 64;
/** Stands before a hash; no key has it. */
const hashMark = "\0";

const none: Claims = { claims: [], skipped: [] };

export class ClaimStore extends VolatileFiles<HiveSlug, Claims> {
  /** @param now the time in milliseconds since 1970. */
  constructor(documents: Documents, now: () => number) {
    super(documents, {
      pathOf: (slug) => `claims/${slug}.json`,
      schema: claimsFile,
      empty: none,
      living: (claims) => living(claims, now()),
      toJson: (claims) => ({ format: 1, ...bounded(claims) }),
    });
  }

  /** Ends all claims on a Hive: one that gets its slug later may be another team's. */
  forget(slug: HiveSlug): Promise<void> {
    return this.change(slug, (before) => {
      const isEmpty = before.claims.length + before.skipped.length === 0;
      return [isEmpty ? before : none, undefined];
    });
  }
}

function living({ claims, skipped }: Claims, now: number): Claims {
  // Where a clock was set back, nothing is held for as long as it was wrong.
  const lives = (ends: number, seconds: number): boolean => ends > now && ends <= now + 2000 * seconds;
  return {
    claims: claims.filter(({ ends, items }) => lives(ends, maxClaimSeconds) && items.length > 0),
    skipped: skipped.filter(({ ends }) => lives(ends, skippedSeconds)),
  };
}

/** What stands for the key of a string in the file: the key, or the hash of a long one. */
export function shortKey(key: string): string {
  return key.length <= longestKey ? key : hashMark + hash("sha256", key, "base64url").slice(0, 22);
}

/** The keys of a file that stand behind some short ones. @param all all keys of the file; looked at only for hashes. */
export function keysOfShort(short: Iterable<string>, all: () => Iterable<string>): readonly string[] {
  const keys = new Set(short);
  const plain = Array.from(keys).filter((key) => !key.startsWith(hashMark));
  if (plain.length === keys.size) return plain;
  return [...plain, ...Array.from(all()).filter((key) => key.length > longestKey && keys.has(shortKey(key)))];
}

function bounded({ claims, skipped }: Claims): Claims {
  const counts = new Map<string, number>();
  const newest = skipped.toReversed().filter(({ owner }) => {
    const count = (counts.get(owner) ?? 0) + 1;
    counts.set(owner, count);
    return count <= maxSkippedOfOwner;
  });
  return {
    claims: within(
      maxBytes,
      bytesOf,
      within(maxClaimed, ({ items }) => items.length, claims),
    ),
    skipped: within(
      maxBytes,
      bytesOf,
      within(maxSkipped, () => 1, newest.toReversed()),
    ),
  };
}

function bytesOf(entry: Claim | SkippedString): number {
  return Buffer.byteLength(JSON.stringify(entry)) + 1;
}

/**
 * Entries that cost at most so much together. The oldest of whoever has most leave first, so that nobody takes the place of
 * others; of two who have as much, the oldest of both.
 * @param entries the oldest first.
 */
function within<T extends { readonly owner: string }>(
  most: number,
  costOf: (entry: T) => number,
  entries: readonly T[],
): readonly T[] {
  const costs = entries.map(costOf);
  let sum = costs.reduce((all, cost) => all + cost, 0);
  if (sum <= most) return entries;
  const owners = groupBy(entries.keys(), (i) => entries[i]?.owner);
  const shares = Array.from(owners.values(), (own) => ({
    own,
    first: 0,
    cost: own.reduce((all, i) => all + (costs[i] ?? 0), 0),
  }));
  const left = new Set<number>();
  while (sum > most) {
    const largest = shares.reduce((one, other) => {
      if (one.cost !== other.cost) return one.cost > other.cost ? one : other;
      return (one.own[one.first] ?? Infinity) < (other.own[other.first] ?? Infinity) ? one : other;
    });
    const oldest = largest.own[largest.first++];
    if (oldest === undefined) break;
    left.add(oldest);
    largest.cost -= costs[oldest] ?? 0;
    sum -= costs[oldest] ?? 0;
  }
  return entries.filter((_, i) => !left.has(i));
}
