/** The Hives that are open in this process. */
import type { HiveSlug } from "../../domain/names.ts";
import type { Evictable, MemoryBudget } from "../../disk/memory-budget.ts";

interface Openable extends Evictable {
  /** Whether its repository exists. */
  readonly exists: () => boolean;
}

/** How many open Hives are checked for having been deleted whenever one is opened. */
const checksPerOpen = 4;

export class OpenHives<Hive extends Openable> {
  /** The Hive whose check is longest ago comes first. */
  readonly #hives = new Map<HiveSlug, Hive>();
  readonly #memory: MemoryBudget;

  /** @param memory drops what is closed. */
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
   * Removes Hives from memory that another process deleted. Each opened Hive checks only a few of the others in turn:
   * checking all of them would take too long when a thousand Hives are opened at once.
   */
  #closeRemoved(): void {
    let left = checksPerOpen;
    for (const [slug, hive] of this.#hives) {
      if (left-- === 0) break;
      this.#hives.delete(slug);
      if (hive.exists()) this.#hives.set(slug, hive);
      else this.#memory.remove(hive);
    }
  }
}
