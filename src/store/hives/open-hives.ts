/** The Hives that are open in this process. */
import type { HiveSlug } from "../../domain/names.ts";
import type { Evictable, MemoryBudget } from "../../disk/memory-budget.ts";

interface Openable extends Evictable {
  /** Whether its repository is there. */
  readonly exists: () => boolean;
}

/** How many others are looked at when one is opened. */
const looks = 4;

export class OpenHives<Hive extends Openable> {
  /** The one that was looked at longest ago first. */
  readonly #hives = new Map<HiveSlug, Hive>();
  readonly #memory: MemoryBudget;

  /** @param memory forgets what is closed. */
  constructor(memory: MemoryBudget) {
    this.#memory = memory;
  }

  get(slug: HiveSlug): Hive | undefined {
    return this.#hives.get(slug);
  }

  add(slug: HiveSlug, hive: Hive): void {
    this.#closeRemoved();
    this.#hives.set(slug, hive);
  }

  /** See {@link MemoryBudget.use}. */
  use(hive: Hive): void {
    this.#memory.use(hive);
  }

  close(slug: HiveSlug): void {
    const hive = this.#hives.get(slug);
    if (hive === undefined) return;
    this.#hives.delete(slug);
    this.#memory.remove(hive);
  }

  /**
   * A Hive that another process deleted is asked for no more; it goes from memory when others come. Each that comes
   * looks at a few in turn: where a thousand come at once, to look at all of them each time would be most of the work.
   */
  #closeRemoved(): void {
    let left = looks;
    for (const [slug, hive] of this.#hives) {
      if (left-- === 0) break;
      this.#hives.delete(slug);
      if (hive.exists()) this.#hives.set(slug, hive);
      else this.#memory.remove(hive);
    }
  }
}
