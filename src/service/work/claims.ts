/**
 * Claims on strings: lists and ends them, and finds the strings that are claimed or withheld from an owner who skipped
 * them.
 */
import { hash } from "node:crypto";
import { writerOf } from "../../domain/access/principal.ts";
import { allows } from "../../domain/access/token.ts";
import { branchNameOf, slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import { failure } from "../../domain/errors.ts";
import { localeNamed, shownCodes, unknownLocale } from "../../domain/hives/hive-settings.ts";
import { pageOf, type OffsetLimit, type Page } from "../../domain/pagination.ts";
import type { FileName } from "../../domain/names.ts";
import { AddressMap, type StringAddress } from "../../domain/move.ts";
import { nameOf, type Caller } from "../access.ts";
import type { Versioned } from "../content/queries.ts";
import type { Change } from "../../domain/work/answers.ts";
import type { SeenTexts } from "../../domain/work/work.ts";
import {
  keysOfShort,
  shortKey,
  type Claim,
  type ClaimedString,
  type ClaimPlace,
  type Claims,
  type SkippedString,
} from "../../store/settings/claims.ts";
import type { ContentStorage } from "../storage.ts";

export interface ClaimQuery extends OffsetLimit {
  /** A code as the caller gave it; all locales when undefined. */
  readonly locale?: string;
}

/** A claim, as it is shown to others: who works on which strings, and for how long. */
export interface ShownClaim {
  readonly id: string;
  /** The name or the id of the person or token. */
  readonly by: string;
  readonly isOwn: boolean;
  /** The code that the Hive shows. */
  readonly locale: string;
  /** In milliseconds since 1970. */
  readonly expiresAt: number;
  readonly items: readonly StringAddress[];
}

/**
 * The claims of a branch that have not ended, the oldest first.
 * @throws SkepError `invalid` on `locale` when the Hive does not have it.
 */
export async function listClaims(
  storage: ContentStorage,
  caller: Caller,
  branch: HiveBranch,
  { locale: code, ...paging }: ClaimQuery,
): Promise<Versioned<Page<ShownClaim>>> {
  const { settings, commit } = await storage.hives.at(branch).snapshot();
  const locale = code === undefined ? undefined : localeNamed(settings, code);
  if (code !== undefined && locale === undefined) throw unknownLocale(settings, code);
  const { claims } = await storage.claims.read(slugOf(branch));
  const here = claims.filter(
    (claim) =>
      claim.branch === branchNameOf(branch) && (locale === undefined || claim.locale === locale.code),
  );
  const shown = shownCodes(settings);
  const page = pageOf(here, paging);
  const entries = await Promise.all(
    page.entries.map(async (claim): Promise<ShownClaim> => ({
      id: claim.id,
      by: await nameOf(storage, claim.by),
      isOwn: claim.owner === ownerOf(caller),
      locale: shown(claim.locale),
      expiresAt: claim.ends,
      items: claim.items.map(({ file, key }) => ({ file, key })),
    })),
  );
  const version = hash("sha256", JSON.stringify([entries, page.total]), "hex");
  return { commit: commit.oid, version, read: () => ({ ...page, entries }) };
}

/**
 * Ends a claim of the caller. An administrator can end every claim.
 * @returns how many strings were claimed.
 * @throws SkepError `not-found` (`unknown_claim`) for a claim that has ended, or belongs to somebody else.
 */
export async function releaseClaim(
  { claims: store }: ContentStorage,
  { principal }: Caller,
  branch: HiveBranch,
  id: string,
): Promise<number> {
  return store.change(slugOf(branch), async (before) => {
    const found = before.claims.find((claim) => claim.id === id);
    if (found === undefined || (found.by !== writerOf(principal) && !allows(principal, "admin"))) {
      throw failure("not-found", "There is no such claim; it may have ended.", {
        publicCode: "unknown_claim",
      });
    }
    const claims = before.claims.filter((claim) => claim !== found);
    return [{ ...before, claims }, found.items.length];
  });
}

/** The owner of claims: a person, whichever of their tokens they use, or a token that is nobody's. */
export function ownerOf({ principal: { token, person, engine } }: Caller): string {
  if (engine !== undefined) return `engine ${engine}`;
  return person === undefined ? `token ${token}` : `person ${person}`;
}

/** A short hash that stands for texts in a claim, so that the file of claims stays small. */
function digest(texts: Readonly<Record<string, string | null>>): string {
  return hash("sha256", JSON.stringify(texts), "base64url").slice(0, 22);
}

/** A string as a claim names it. */
export function toClaimed(at: StringAddress, { source, translation }: SeenTexts): ClaimedString {
  return { file: at.file, key: at.key, source: digest(source), translation: digest(translation) };
}

/** A string that is withheld, as it is stored. @param ends in milliseconds since 1970. */
export function toSkipped(
  place: ClaimPlace,
  at: StringAddress,
  texts: SeenTexts,
  ends: number,
): SkippedString {
  const { key, ...claimed } = toClaimed(at, texts);
  return { ...place, ends, ...claimed, key: shortKey(key) };
}

/** What has changed of a string since it was claimed or skipped. */
function changeSince(then: ClaimedString, now: SeenTexts): Change {
  if (then.source !== digest(now.source)) return "source";
  return then.translation === digest(now.translation) ? "nothing" : "translation";
}

/** The claimed strings of a branch and locale, and the strings that one owner has skipped there. */
export class ClaimIndex {
  readonly claimed = new AddressMap<ClaimedString>();
  /** By {@link shortKey}. */
  readonly #skipped = new AddressMap<ClaimedString>();
  readonly #own = new AddressMap<ClaimedString>();

  /** @param place the branch and locale, and the owner whose own claims and skipped strings are told apart. */
  constructor({ claims, skipped }: Claims, place: ClaimPlace) {
    for (const claim of claims) {
      if (!isSamePlace(claim, place)) continue;
      for (const item of claim.items) {
        this.claimed.set(item, item);
        if (claim.owner === place.owner) this.#own.set(item, item);
      }
    }
    for (const one of skipped) {
      if (isSamePlace(one, place) && one.owner === place.owner) this.#skipped.set(one, one);
    }
  }

  /** Whether the owner has claimed or skipped a string. */
  hasOwn(at: StringAddress): boolean {
    return this.#own.has(at) || this.#skipped.has(short(at));
  }

  /** The keys of a file that the owner has skipped. @param all all keys of the file. */
  skippedIn(file: FileName, all: () => Iterable<string>): readonly string[] {
    return keysOfShort(this.#skipped.of(file).keys(), all);
  }

  /** Whether a string is withheld because the owner has skipped it with the texts that it has. */
  isWithheld(at: StringAddress, now: () => SeenTexts): boolean {
    const skipped = this.#skipped.get(short(at));
    return skipped !== undefined && changeSince(skipped, now()) === "nothing";
  }

  /** What has changed of a string since the owner claimed it; undefined where they have no claim on it. */
  sinceClaim(at: StringAddress, now: SeenTexts): Change | undefined {
    const claimed = this.#own.get(at);
    return claimed && changeSince(claimed, now);
  }
}

function short({ file, key }: StringAddress): StringAddress {
  return { file, key: shortKey(key) };
}

/** Whether both are of the same branch and locale. */
function isSamePlace(one: ClaimPlace, { branch, locale }: ClaimPlace): boolean {
  return one.branch === branch && one.locale === locale;
}

/** How many strings somebody has claimed. */
export function countClaimed({ claims }: Claims, owner: string): number {
  return claims.reduce((sum, claim) => sum + (claim.owner === owner ? claim.items.length : 0), 0);
}

/** The claims without the claim with an id, if it belongs to the owner. */
export function withoutClaim(all: Claims, id: string, owner: string): Claims {
  return { ...all, claims: all.claims.filter((claim) => claim.id !== id || claim.owner !== owner) };
}

/** The claims after an owner has answered strings: the owner has no claim on these strings any more. */
export function withAnswers(
  { claims, skipped }: Claims,
  place: ClaimPlace,
  answered: readonly StringAddress[],
  newlySkipped: readonly SkippedString[],
): Claims {
  const gone = new AddressMap<true>();
  const notSkipped = new AddressMap<true>();
  for (const at of answered) {
    gone.set(at, true);
    notSkipped.set(short(at), true);
  }
  const isOwn = (claim: ClaimPlace): boolean => claim.owner === place.owner && isSamePlace(claim, place);
  const left = claims.map((claim): Claim =>
    isOwn(claim) ? { ...claim, items: claim.items.filter((item) => !gone.has(item)) } : claim,
  );
  const earlier = skipped.filter((one) => !isOwn(one) || !notSkipped.has(one));
  return { claims: left, skipped: [...earlier, ...newlySkipped] };
}
