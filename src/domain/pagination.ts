/** Pages of lists. */

export interface OffsetLimit {
  readonly offset: number;
  readonly limit: number;
}

export interface Page<T> {
  readonly entries: readonly T[];
  /** How many entries the whole list has. */
  readonly total: number;
}

/** A part of a list, with the length of the whole. */
export function pageOf<T>(list: readonly T[], { offset, limit }: OffsetLimit): Page<T> {
  return { entries: list.slice(offset, offset + limit), total: list.length };
}
