/**
 * Who works on which strings of a Hive, `claims/<slug>.json`. A claim keeps two from doing the same; nothing is lost with
 * it, so the file is no part of a backup, and is as an empty one where it cannot be read.
 */
import { z } from "zod";
import { jsonOrUndefined } from "../../domain/json.ts";
import { isFileName, type HiveSlug } from "../../domain/names.ts";
import { maxClaimSeconds, skippedSeconds } from "../../domain/work/work.ts";
import type { Documents } from "../record/record.ts";
import { localeCode, positive, textThat } from "./fields.ts";

const claimedString = z.strictObject({
  file: textThat(isFileName),
  key: z.string(),
  source: z.string(),
  translation: z.string(),
});
const claimPlace = z.strictObject({
  /** The token that claims, or the person in a session; see `ownerOf`. */
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
const claimsFile = z.strictObject({
  format: z.literal(1),
  claims: z.array(claim),
  skipped: z.array(skippedString),
});

/** A string of a claim, with hashes of the texts that were there. */
export type ClaimedString = Readonly<z.infer<typeof claimedString>>;
export type ClaimPlace = Readonly<z.infer<typeof claimPlace>>;
/** Strings that somebody works on until a time. */
export type Claim = Readonly<z.infer<typeof claim>>;
/** A string that is withheld from whoever skipped it, until a time or until one of its texts changes. */
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

const none: Claims = { claims: [], skipped: [] };

export class ClaimStore {
  readonly #documents: Documents;
  readonly #now: () => number;

  /** @param now the time in milliseconds since 1970. */
  constructor(documents: Documents, now: () => number) {
    this.#documents = documents;
    this.#now = now;
  }

  async read(slug: HiveSlug): Promise<Claims> {
    return this.#living(parsed(await this.#documents.read(pathOf(slug))));
  }

  /**
   * Changes what is claimed in a Hive, under a lock of its own.
   * @param change gives what is claimed then; what it was given if nothing changes.
   * @throws SkepError `busy`, `disk-full`, `storage-missing`; what `change` throws.
   */
  change<T>(
    slug: HiveSlug,
    change: (claims: Claims) => Promise<readonly [claims: Claims, result: T]>,
  ): Promise<T> {
    return this.#documents.change(pathOf(slug), async (stored) => {
      const before = this.#living(parsed(stored));
      const [claims, result] = await change(before);
      if (claims === before) return [stored, result];
      return [`${JSON.stringify({ format: 1, ...bounded(this.#living(claims)) })}\n`, result];
    });
  }

  /** Ends all claims on a Hive: one that gets its slug later may be another team's. */
  forget(slug: HiveSlug): Promise<void> {
    return this.change(slug, async (before) => {
      const isEmpty = before.claims.length + before.skipped.length === 0;
      return [isEmpty ? before : none, undefined];
    });
  }

  #living({ claims, skipped }: Claims): Claims {
    const now = this.#now();
    // Where a clock was set back, nothing is held for as long as it was wrong.
    const lives = (ends: number, seconds: number): boolean => ends > now && ends <= now + 2000 * seconds;
    return {
      claims: claims.filter(({ ends, items }) => lives(ends, maxClaimSeconds) && items.length > 0),
      skipped: skipped.filter(({ ends }) => lives(ends, skippedSeconds)),
    };
  }
}

function pathOf(slug: HiveSlug): string {
  return `claims/${slug}.json`;
}

function bounded({ claims, skipped }: Claims): Claims {
  const counts = new Map<string, number>();
  const newest = skipped.toReversed().filter(({ owner }) => {
    const count = (counts.get(owner) ?? 0) + 1;
    counts.set(owner, count);
    return count <= maxSkippedOfOwner;
  });
  let claimed = 0;
  const newestClaims = claims.toReversed().filter(({ items }) => (claimed += items.length) <= maxClaimed);
  return { claims: newestClaims.toReversed(), skipped: newest.slice(0, maxSkipped).toReversed() };
}

function parsed(text: string | undefined): Claims {
  const { data = none } = claimsFile.safeParse(text === undefined ? undefined : jsonOrUndefined(text));
  return { claims: data.claims, skipped: data.skipped };
}
