/** The Hives that are open in this process, at main and at other branches. */
import type { LRUCache } from "lru-cache";
import { boundedCache } from "../../disk/bounded-cache.ts";
import type { NamedBranch, HiveBranch } from "../../domain/commits/branch-name.ts";
import type { HiveSlug } from "../../domain/names.ts";
import type { Evictable, MemoryBudget } from "../../disk/memory-budget.ts";

interface Openable extends Evictable {
  /** Whether its repository exists. */
  readonly exists: () => boolean;
}

/** How many open Hives are checked for having been deleted whenever one is opened. */
const checksPerOpen = 4;
/** How many branches besides main are open, of all Hives together: callers can make very many. */
const maxOpenBranches = 256;

export class OpenHives<Hive extends Openable> {
  /** The Hive whose check is longest ago comes first. */
  readonly #hives = new Map<HiveSlug, Hive>();
  readonly #branches: LRUCache<string, Hive>;
  readonly #memory: MemoryBudget;

  /** @param memory drops what is closed. */
  constructor(memory: MemoryBudget) {
    this.#memory = memory;
    this.#branches = boundedCache(maxOpenBranches, (hive) => memory.remove(hive));
  }

  get(branch: HiveBranch): Hive | undefined {
    return typeof branch === "string" ? this.#hives.get(branch) : this.#branches.get(keyOf(branch));
  }

  add(branch: HiveBranch, hive: Hive): void {
    if (typeof branch !== "string") {
      this.#branches.set(keyOf(branch), hive);
      return;
    }
    this.#closeRemoved();
    this.#hives.set(branch, hive);
  }

  /** See {@link MemoryBudget.use}. A Hive that was closed meanwhile does not count. */
  use(branch: HiveBranch, hive: Hive): void {
    if (this.get(branch) === hive) this.#memory.use(hive);
  }

  /** Closes a Hive with all its branches, or one branch. */
  close(branch: HiveBranch): void {
    if (typeof branch !== "string") {
      this.#branches.delete(keyOf(branch));
      return;
    }
    const hive = this.#hives.get(branch);
    if (hive === undefined) return;
    this.#hives.delete(branch);
    this.#drop(branch, hive);
  }

  #drop(slug: HiveSlug, hive: Hive): void {
    this.#memory.remove(hive);
    const prefix = `${slug} `;
    const open = [...this.#branches.keys()].filter((key) => key.startsWith(prefix));
    for (const key of open) this.#branches.delete(key);
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
      else this.#drop(slug, hive);
    }
  }
}

function keyOf(branch: NamedBranch): string {
  return `${branch.slug} ${branch.branch}`;
}
