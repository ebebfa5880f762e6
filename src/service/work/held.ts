/** Which strings of a locale are claimed, and which are withheld from whoever skipped them. */
import { hash } from "node:crypto";
import { AddressMap, type StringAddress } from "../../domain/move.ts";
import type { Change } from "../../domain/work/answers.ts";
import type { SeenTexts } from "../../domain/work/work.ts";
import type { Caller } from "../access.ts";
import type { Claim, ClaimedString, ClaimPlace, Claims, SkippedString } from "../../store/settings/claims.ts";

/** Whose claims are told apart: those of each token, and those of each person in their sessions. */
export function ownerOf({ principal: { token, person } }: Caller): string {
  return token === undefined ? `person ${person}` : `token ${token}`;
}

/** Stands for texts in a claim, which is to stay small. */
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

export class Held {
  /** By whomever. */
  readonly claimed = new AddressMap<ClaimedString>();
  readonly skipped = new AddressMap<ClaimedString>();
  readonly #own = new AddressMap<ClaimedString>();

  /** @param place whose claims and skipped strings these are. */
  constructor({ claims, skipped }: Claims, place: ClaimPlace) {
    for (const claim of claims) {
      if (!isBeside(claim, place)) continue;
      for (const item of claim.items) {
        this.claimed.set(item, item);
        if (claim.owner === place.owner) this.#own.set(item, item);
      }
    }
    for (const one of skipped) {
      if (isBeside(one, place) && one.owner === place.owner) this.skipped.set(one, one);
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

  /** What has changed of a string since the owner claimed it; undefined where they have no living claim on it. */
  sinceClaim(at: StringAddress, now: SeenTexts): Change | undefined {
    const claimed = this.#own.get(at);
    return claimed && changeSince(claimed, now);
  }
}

function isBeside(one: ClaimPlace, { branch, locale }: ClaimPlace): boolean {
  return one.branch === branch && one.locale === locale;
}

/** How many strings an owner has claimed. */
export function countClaimed({ claims }: Claims, owner: string): number {
  return claims.reduce((sum, claim) => sum + (claim.owner === owner ? claim.items.length : 0), 0);
}

/** Claims without one of them, if an owner made it. */
export function withoutClaim(all: Claims, id: string, owner: string): Claims {
  return { ...all, claims: all.claims.filter((claim) => claim.id !== id || claim.owner !== owner) };
}

/** Claims after their owner has answered strings of a place: they are not claimed by them any more. */
export function withAnswers(
  { claims, skipped }: Claims,
  place: ClaimPlace,
  answered: readonly StringAddress[],
  newlySkipped: readonly SkippedString[],
): Claims {
  const gone = new AddressMap<true>();
  for (const at of answered) gone.set(at, true);
  const isOwn = (claim: ClaimPlace): boolean => claim.owner === place.owner && isBeside(claim, place);
  const left = claims.map((claim): Claim =>
    isOwn(claim) ? { ...claim, items: claim.items.filter((item) => !gone.has(item)) } : claim,
  );
  const earlier = skipped.filter((one) => !isOwn(one) || !gone.has(one));
  return { claims: left, skipped: [...earlier, ...newlySkipped] };
}
