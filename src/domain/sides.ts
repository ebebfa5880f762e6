/** The one that is changed, and the other one. */
export type Side = "ours" | "theirs";

/** Two sides that have changed, and what both started from. */
export interface Sides<T> {
  readonly base: T;
  readonly ours: T;
  readonly theirs: T;
}
