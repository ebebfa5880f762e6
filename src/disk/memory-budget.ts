/** Bounds the memory of caches: the most recently used items stay, up to a number of bytes. */
import { LRUCache } from "lru-cache";

/** An item in memory that can be loaded again. */
export interface Evictable {
  /** Its approximate size at the moment. */
  readonly bytes: number;
  readonly evict: () => void;
}

export interface MemoryUsage {
  readonly items: number;
  readonly bytes: number;
}

export class MemoryBudget {
  /** The size that each item had when it was last used. */
  readonly #used: LRUCache<Evictable, number>;

  constructor(maxBytes: number) {
    // The library accepts sizes from 1 to the limit. A larger item counts as the limit, so that it is kept, alone.
    const maxSize = Math.max(1, Math.min(maxBytes, Number.MAX_SAFE_INTEGER));
    this.#used = new LRUCache({
      maxSize,
      sizeCalculation: (bytes) => Math.max(1, Math.min(bytes, maxSize)),
      dispose: (_, item, reason) => {
        if (reason === "evict") item.evict();
      },
    });
  }

  /** Approximately how much is in memory. */
  get usage(): MemoryUsage {
    return { items: this.#used.size, bytes: [...this.#used.values()].reduce((sum, bytes) => sum + bytes, 0) };
  }

  /** Records a use of an item; if the budget is exceeded, the least recently used others are evicted. */
  use(item: Evictable): void {
    this.#used.set(item, item.bytes);
  }

  /** Removes an item that no longer exists. */
  remove(item: Evictable): void {
    this.#used.delete(item);
  }
}

/** A cache of results of about a number of bytes, which can be found again. Each is set with its size. */
export class SizedCache<V extends {}> extends LRUCache<string, V> implements Evictable {
  constructor(maxBytes: number) {
    super({ maxSize: maxBytes });
  }

  get bytes(): number {
    return this.calculatedSize;
  }

  evict(): void {
    this.clear();
  }
}
