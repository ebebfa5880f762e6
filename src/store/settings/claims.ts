/**
 * Who works on which strings of a Hive, `claims/<slug>.json`. A claim keeps two from doing the same; nothing is lost with
 * it, so the file is no part of a backup, and is as an empty one where it cannot be read.
 */
import { join } from "node:path";
import { z } from "zod";
import type { DurableFs } from "../../disk/durable-fs.ts";
import type { Locks } from "../../disk/locks/lock.ts";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import { jsonOrUndefined } from "../../domain/json.ts";
import { isFileName, type FileName, type HiveSlug } from "../../domain/names.ts";
import { maxClaimSeconds, skippedSeconds } from "../../domain/work/work.ts";
import { localeCode, positive, textThat } from "./fields.ts";

/** A string of a claim, with hashes of the texts that were there. */
export interface ClaimedString {
  readonly file: FileName;
  readonly key: string;
  readonly source: string;
  readonly translation: string;
}

/** Where a claim holds. */
export interface ClaimPlace {
  /** The token that claims, or the person in a session; see `ownerOf`. */
  readonly owner: string;
  readonly branch: string;
  readonly locale: LocaleCode;
}

/** Strings that somebody works on until a time. */
export interface Claim extends ClaimPlace {
  readonly id: string;
  /** The id of the person, or of the token that is nobody's. */
  readonly by: string;
  /** In milliseconds since 1970. */
  readonly ends: number;
  readonly items: readonly ClaimedString[];
}

/** A string that is withheld from whoever skipped it, until a time or until one of its texts changes. */
export interface SkippedString extends ClaimPlace, ClaimedString {
  readonly ends: number;
}

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

const placeFields = {
  owner: z.string(),
  branch: z.string(),
  locale: localeCode,
  ends: positive,
};
const string = { file: textThat(isFileName), key: z.string(), source: z.string(), translation: z.string() };
const claimsFile = z.strictObject({
  format: z.literal(1),
  claims: z.array(
    z.strictObject({
      id: z.string(),
      by: z.string(),
      ...placeFields,
      items: z.array(z.strictObject(string)),
    }),
  ),
  skipped: z.array(z.strictObject({ ...placeFields, ...string })),
});

const none: Claims = { claims: [], skipped: [] };

export class ClaimStore {
  readonly #fs: DurableFs;
  readonly #locks: Locks;
  readonly #folder: string;
  readonly #now: () => number;

  /** @param now the time in milliseconds since 1970. */
  constructor(fs: DurableFs, locks: Locks, root: string, now: () => number) {
    this.#fs = fs;
    this.#locks = locks;
    this.#folder = join(root, "claims");
    this.#now = now;
  }

  /** What is claimed in a Hive now. */
  async read(slug: HiveSlug): Promise<Claims> {
    return this.#living(parsed(await this.#fs.readText(this.#path(slug))));
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
    return this.#locks.hold(`claims-${slug}`, async (lock) => {
      const before = await this.read(slug);
      const [claims, result] = await change(before);
      if (claims === before) return result;
      const text = JSON.stringify({ format: 1, ...bounded(this.#living(claims)) });
      await this.#fs.write(this.#path(slug), `${text}\n`, lock);
      return result;
    });
  }

  /** Ends all claims on a Hive: one that gets its slug later may be another team's. */
  forget(slug: HiveSlug): Promise<void> {
    return this.change(slug, async (before) => {
      const isEmpty = before.claims.length + before.skipped.length === 0;
      return [isEmpty ? before : none, undefined];
    });
  }

  #path(slug: HiveSlug): string {
    return join(this.#folder, `${slug}.json`);
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
