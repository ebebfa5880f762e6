/** Finds the strings of a locale that are claimed, or withheld from an owner who has skipped them. */
import { hash } from "node:crypto";
import { AddressMap, type StringAddress } from "../../domain/move.ts";
import type { Change } from "../../domain/work/answers.ts";
import type { SeenTexts } from "../../domain/work/work.ts";
import type { Caller } from "../access.ts";
import type { Claim, ClaimedString, ClaimPlace, Claims, SkippedString } from "../../store/settings/claims.ts";

/** The owner of claims: a token, or a person who works in the console. */
export function ownerOf({ principal: { token, person } }: Caller): string {
  return token === undefined ? `person ${person}` : `token ${token}`;
}

/** A short hash that stands for texts in a claim, so that the file of claims stays small. */
function digest(texts: Readonly<Record<string, string | null>>): string {
  return hash("sha256", JSON.stringify(texts), "base64url").slice(0, 22);
}

/** A string as a claim names it. */
export function toClaimed(at: StringAddress, { source, translation }: SeenTexts): ClaimedString {
  return { file: at.file, key: at.key, source: digest(source), translation: digest(translation) };
}

/** What has changed of a string since it was claimed or skipped. */
function changeSince(then: ClaimedString, now: SeenTexts): Change {
  if (then.source !== digest(now.source)) return "source";
  return then.translation === digest(now.translation) ? "nothing" : "translation";
}

/** The claimed strings of a branch and locale, and the strings that one owner has skipped there. */
export class Held {
  readonly claimed = new AddressMap<ClaimedString>();
  readonly skipped = new AddressMap<ClaimedString>();
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
      if (isSamePlace(one, place) && one.owner === place.owner) this.skipped.set(one, one);
    }
  }

  /** Whether the owner has claimed or skipped a string. */
  hasOwn(at: StringAddress): boolean {
    return this.#own.has(at) || this.skipped.has(at);
  }

  /** Whether a string is withheld because the owner has skipped it with the texts that it has. */
  isSkipped(at: StringAddress, now: () => SeenTexts): boolean {
    const skipped = this.skipped.get(at);
    return skipped !== undefined && changeSince(skipped, now()) === "nothing";
  }

  /** What has changed of a string since the owner claimed it; undefined where they have no claim on it. */
  sinceClaim(at: StringAddress, now: SeenTexts): Change | undefined {
    const claimed = this.#own.get(at);
    return claimed && changeSince(claimed, now);
  }
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
  for (const at of answered) gone.set(at, true);
  const isOwn = (claim: ClaimPlace): boolean => claim.owner === place.owner && isSamePlace(claim, place);
  const left = claims.map((claim): Claim =>
    isOwn(claim) ? { ...claim, items: claim.items.filter((item) => !gone.has(item)) } : claim,
  );
  const earlier = skipped.filter((one) => !isOwn(one) || !gone.has(one));
  return { claims: left, skipped: [...earlier, ...newlySkipped] };
}
