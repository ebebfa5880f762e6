/** A page of a list, as offset and limit. */

export interface OffsetLimit {
  /** How many items come before the page. */
  readonly offset: number;
  /** The most items on the page. */
  readonly limit: number;
}
