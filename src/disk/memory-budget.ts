/** Which of many things stay in memory: those used last, as far as a number of bytes goes. */
import { LRUCache } from "lru-cache";

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
  /** What each took when it was used last. */
  readonly #used: LRUCache<Droppable, number>;

  constructor(maxBytes: number) {
    // The library takes sizes from 1 to the limit. What is larger fills the budget alone, so that it is kept too.
    const maxSize = Math.max(1, Math.min(maxBytes, Number.MAX_SAFE_INTEGER));
    this.#used = new LRUCache({
      maxSize,
      sizeCalculation: (bytes) => Math.max(1, Math.min(bytes, maxSize)),
      dispose: (_, item, reason) => {
        if (reason === "evict") item.forget();
      },
    });
  }

  /** How much is in memory, about. */
  get usage(): MemoryUsage {
    return { items: this.#used.size, bytes: [...this.#used.values()].reduce((sum, bytes) => sum + bytes, 0) };
  }

  /** Says that something was used; others are forgotten if there is no room for all, the longest unused first. */
  use(item: Droppable): void {
    this.#used.set(item, item.bytes);
  }

  /** Says that something is gone. */
  remove(item: Droppable): void {
    this.#used.delete(item);
  }
}
