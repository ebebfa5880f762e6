/**
 * Translations that wait for a review. A value only counts while its text is the stored one, so an edit by another program
 * ends the waiting.
 */
import { isRecord } from "../record.ts";
import type { LocaleValues, Sidecar } from "./sidecar.ts";

export interface Review {
  readonly text: string;
  /** The last approved text; undefined where there is none. */
  readonly approved: string | undefined;
  /** The source text that it was made for, if the text that waits was made for another. */
  readonly approvedSource?: string;
  /** Who wrote the text: the id of a token, or the name of an author without one. */
  readonly by: string;
}

export type Reviews = LocaleValues<Review>;

export const reviewKind: Sidecar<Review> = {
  folder: "review",
  by: "translation",
  countsByText: true,
  isOptional: false,
  words: ["marker", "of another text"],
  parse(stored) {
    if (!isRecord(stored)) throw new TypeError("must be an object");
    const { text, approved, approved_source: approvedSource, by, ...others } = stored;
    const isReview = typeof text === "string" && typeof by === "string" && Object.keys(others).length === 0;
    if (!isReview || (typeof approved !== "string" && approved !== null))
      throw new TypeError("is not a review");
    if (approvedSource === undefined) return { text, approved: approved ?? undefined, by };
    if (typeof approvedSource !== "string" || approved === null)
      throw new TypeError("has no approved text with that source text");
    return { text, approved, approvedSource, by };
  },
  toJson: ({ text, approved = null, approvedSource, by }) => ({
    text,
    approved,
    approved_source: approvedSource,
    by,
  }),
  isSame: (one, other) =>
    one.text === other.text &&
    one.approved === other.approved &&
    one.approvedSource === other.approvedSource &&
    one.by === other.by,
  counts: (review, { source, text }) => source !== undefined && review.text === text,
};

/** A review, if a translation waits for it: its text is the stored one. */
export function waitingFor(review: Review | undefined, text: string | undefined): Review | undefined {
  return review !== undefined && text !== undefined && review.text === text ? review : undefined;
}

/** A review whose text was made for one source text, and is made for another from then on; the approved text is not. */
export function forOtherSource(review: Review, was: string | undefined, now: string | undefined): Review {
  const { approvedSource = was, ...others } = review;
  if (others.approved === undefined || approvedSource === undefined || approvedSource === now) return others;
  return { ...others, approvedSource };
}
