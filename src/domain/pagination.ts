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

/** A page of a list that is found one by one: only its entries are made. */
export class PageCollector<T> {
  readonly #paging: OffsetLimit;
  readonly #entries: T[] = [];
  #total = 0;

  constructor(paging: OffsetLimit) {
    this.#paging = paging;
  }

  /** Counts an entry of the list. @param make makes it, if it is on the page. */
  add(make: () => T): void {
    const { offset, limit } = this.#paging;
    if (this.#total >= offset && this.#total < offset + limit) this.#entries.push(make());
    this.#total++;
  }

  get page(): Page<T> {
    return { entries: this.#entries, total: this.#total };
  }
}
