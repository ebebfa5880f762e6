/** What the model knows of translations that wait for a review. */

export interface Review {
  readonly text: string;
  /** The text that was approved last. */
  readonly approved: string | undefined;
  /** The source text that it was made for, if the waiting text was made for another. */
  readonly approvedFrom: string | undefined;
  readonly by: string;
}

/** What reviews go with. */
interface State {
  readonly translations: ReadonlyMap<string, ReadonlyMap<string, ReadonlyMap<string, string>>>;
  readonly reviews: Map<string, Review>;
}

/** Who sends a request: one whose texts need no review, the same with texts of a model, or one who is always reviewed. */
export const writers = ["writer", "model", "reviewed"] as const;
export type Writer = (typeof writers)[number];

/** Whose texts wait, by whom lists call them. */
const reviewed: Readonly<Record<Writer, string | undefined>> = {
  writer: undefined,
  model: "writer",
  reviewed: "reviewed",
};

export function isSameReview(a: Review | undefined, b: Review | undefined): boolean {
  return (
    a?.text === b?.text &&
    a?.approved === b?.approved &&
    a?.approvedFrom === b?.approvedFrom &&
    a?.by === b?.by
  );
}

/** A translation as it is: its text, the source text that it was made for, and its source text now. */
interface Translation {
  readonly text: string | undefined;
  readonly madeFor: string | undefined;
  readonly source: string;
}

/** What was approved last before a translation is made for its present source text. */
function lastApproved(review: Review | undefined, { text, madeFor, source }: Translation) {
  const approved = review === undefined ? text : review.approved;
  const from = approved === undefined ? undefined : (review?.approvedFrom ?? madeFor);
  return { approved, approvedFrom: from === source ? undefined : from };
}

/** Somebody writes another text, which is made for the present source text. */
export function reviewText(
  { reviews }: Pick<State, "reviews">,
  id: string,
  before: Translation,
  text: string,
  writer: Writer,
): void {
  const last = lastApproved(reviews.get(id), before);
  const by = reviewed[writer];
  if (by === undefined || last.approved === text) reviews.delete(id);
  else reviews.set(id, { ...last, text, by });
}

/** Somebody says of a text that it is right for the present source text. */
export function reviewConfirmation(
  { reviews }: Pick<State, "reviews">,
  id: string,
  translation: Translation & { readonly text: string },
  writer: Writer,
): void {
  const review = reviews.get(id);
  const by = review?.by ?? reviewed[writer];
  if (by !== undefined) reviews.set(id, { text: translation.text, ...lastApproved(review, translation), by });
}

/** A text that waits, if it does, is made for another source text from then on; what was approved before it is not. */
export function forOtherSource<R extends Review | undefined>(review: R, was?: string, now?: string): R {
  if (review?.approved === undefined) return review;
  const from = review.approvedFrom ?? was;
  return { ...review, approvedFrom: from === now ? undefined : from };
}

/** A text that is there no more waits no more. */
export function dropLostReviews({ translations, reviews }: State): void {
  for (const [id, { text }] of reviews) {
    const [locale = "", file = "", ...key] = id.split(" ");
    if (translations.get(locale)?.get(file)?.get(key.join(" ")) !== text) reviews.delete(id);
  }
}
