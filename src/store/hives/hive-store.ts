/** The Hives of a storage, at main and at other branches: opens them, and locks them. */
import { join } from "node:path";
import type { DurableFs } from "../../disk/durable-fs.ts";
import type { HeldLock } from "../../disk/held-lock.ts";
import type { LockPriority, Locks } from "../../disk/locks/lock.ts";
import type { MemoryBudget } from "../../disk/memory-budget.ts";
import type { HiveBranch } from "../../domain/commits/branch-name.ts";
import type { PushableRefs } from "../../domain/hives/mirror.ts";
import type { HiveSlug } from "../../domain/names.ts";
import { BareRepo } from "../../git/bare-repo.ts";
import type { GitPrograms } from "../../git/programs.ts";
import { readPushableRefs } from "../../git/refs/refs.ts";
import { mapInGroups } from "../../slices.ts";
import { HiveCache } from "../content/hive-cache.ts";
import { RevisionStore } from "../history/revision-store.ts";
import { Hive } from "./hive.ts";
import { OpenHives } from "./open-hives.ts";

export interface HiveStoreOptions {
  readonly fs: DurableFs;
  readonly locks: Locks;
  /** The folder of all repositories. */
  readonly folder: string;
  /** Reads packs and long histories. */
  readonly git: Pick<GitPrograms, "stream" | "packReader">;
  /** Bounds the content in memory. */
  readonly memory: MemoryBudget;
}

export class HiveStore {
  readonly #options: HiveStoreOptions;
  readonly #open: OpenHives<Hive>;

  constructor(options: HiveStoreOptions) {
    this.#options = options;
    this.#open = new OpenHives<Hive>(options.memory);
  }

  /** A Hive, or a branch of it, which may be missing: nothing is read yet. */
  at(branch: HiveBranch): Hive {
    const present = this.#open.get(branch);
    if (present !== undefined) return present;
    const hive =
      typeof branch === "string"
        ? this.openFolder(this.folderOf(branch), (used) => this.#open.use(branch, used))
        : this.at(branch.slug).branch(branch.branch, (used) => this.#open.use(branch, used));
    this.#open.add(branch, hive);
    return hive;
  }

  /** A Hive or branch that was opened before; undefined for any other. */
  opened(branch: HiveBranch): Hive | undefined {
    return this.#open.get(branch);
  }

  /** Drops a Hive with its branches, or one branch, from memory. */
  close(branch: HiveBranch): void {
    this.#open.close(branch);
  }

  /**
   * Opens a repository wherever it is.
   * @param used is called whenever its content was read into memory.
   */
  openFolder(gitdir: string, used: (hive: Hive) => void = () => {}): Hive {
    const { fs, git } = this.#options;
    const repo = this.repo(gitdir);
    // Of very many Hives only the overview is ever read.
    let made: RevisionStore | undefined;
    const revisions = (): RevisionStore => (made ??= new RevisionStore({ repo, stream: git.stream }));
    return new Hive({ repo, cache: new HiveCache(fs, gitdir), revisions }, { ref: repo.main, used });
  }

  /** The git repository in a folder. */
  repo(gitdir: string): BareRepo {
    return new BareRepo(this.#options.fs, gitdir, this.#options.git.packReader?.(gitdir));
  }

  /** The folder of a Hive's repository. */
  folderOf(slug: HiveSlug): string {
    return join(this.#options.folder, `${slug}.git`);
  }

  /** The number of source strings of some Hives, for quotas: 0 for one that cannot be read at all. */
  async countStrings(slugs: readonly HiveSlug[]): Promise<number> {
    const found = await mapInGroups(slugs, (slug) => this.at(slug).overview());
    return found.reduce((sum, { overview }) => sum + (overview?.stringCount ?? 0), 0);
  }

  /** See {@link readPushableRefs}. */
  pushableRefs(slug: HiveSlug): Promise<PushableRefs> {
    return readPushableRefs(this.#options.fs, this.folderOf(slug));
  }

  /**
   * Holds a Hive's lock while a function runs. A team's lock, where both are needed, is taken first.
   * @param priority `first` by default: operations that hold only this lock are about more than content.
   */
  lock<T>(slug: HiveSlug, run: (lock: HeldLock) => Promise<T>, priority: LockPriority = "first"): Promise<T> {
    return this.#options.locks.hold(`hive-${slug}`, run, priority);
  }
}
