/** A part of a list: what a page is, whatever it is a page of. */

export interface OffsetLimit {
  /** How many come before it. */
  readonly offset: number;
  /** How many it has at most. */
  readonly limit: number;
}
