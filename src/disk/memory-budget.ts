/** Which of many things stay in memory: those used last, as far as a number of bytes goes. */

/** Something in memory that can be made again. */
export interface Droppable {
  /** How much it takes at the moment, about. */
  readonly bytes: number;
  readonly forget: () => void;
}

export interface MemoryUsage {
  readonly items: number;
  readonly bytes: number;
}

export class MemoryBudget {
  readonly #maxBytes: number;
  /** What each took when it was used last, in the order of use. */
  readonly #used = new Map<Droppable, number>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** How much is in memory, about. */
  get usage(): MemoryUsage {
    return { items: this.#used.size, bytes: this.#bytes };
  }

  /** Says that something was used; others are forgotten if there is no room for all, the longest unused first. */
  use(item: Droppable): void {
    this.remove(item);
    const { bytes } = item;
    this.#used.set(item, bytes);
    this.#bytes += bytes;
    for (const oldest of this.#used.keys()) {
      if (this.#bytes <= this.#maxBytes || oldest === item) break;
      this.remove(oldest);
      oldest.forget();
    }
  }

  /** Says that something is gone. */
  remove(item: Droppable): void {
    this.#bytes -= this.#used.get(item) ?? 0;
    this.#used.delete(item);
  }
}
