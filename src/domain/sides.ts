/** The state that a merge changes, and the one whose changes it takes. */
export type Side = "ours" | "theirs";

/** Two sides that have changed, and what both started from. */
export interface Sides<T> {
  readonly base: T;
  readonly ours: T;
  readonly theirs: T;
}
