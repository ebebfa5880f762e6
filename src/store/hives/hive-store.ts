/** The Hives of a storage, at main and at other branches: opens them, and locks them. */
import { join } from "node:path";
import type { LRUCache } from "lru-cache";
import type { DurableFs } from "../../disk/durable-fs.ts";
import type { HeldLock, LockScope } from "../../disk/held-lock.ts";
import type { LockPriority, Locks } from "../../disk/locks/lock.ts";
import type { MemoryBudget } from "../../disk/memory-budget.ts";
import { type HiveBranch, type NamedBranch, isMain } from "../../domain/commits/branch-name.ts";
import type { PushableRefs } from "../../domain/hives/mirror.ts";
import type { HiveSlug, TeamName } from "../../domain/names.ts";
import { BareRepo } from "../../git/bare-repo.ts";
import type { GitPrograms } from "../../git/programs.ts";
import { readPushableRefs } from "../../git/refs/refs.ts";
import { mapInGroups } from "../../slices.ts";
import { HiveCache } from "../content/hive-cache.ts";
import { RevisionStore } from "../history/revision-store.ts";
import { Hive } from "./hive.ts";
import { RecordedHive, type HiveRecord } from "../record/record.ts";
import { boundedCache } from "../../bounded-cache.ts";

export interface HiveStoreOptions {
  readonly fs: DurableFs;
  readonly locks: Locks;
  /** The folder of all repositories. */
  readonly folder: string;
  /** Reads packs and long histories. */
  readonly git: Pick<GitPrograms, "stream" | "packReader">;
  /** Bounds the content in memory. */
  readonly memory: MemoryBudget;
  readonly record: HiveRecord;
}

export class HiveStore {
  readonly #options: HiveStoreOptions;
  readonly #open: OpenHives;

  constructor(options: HiveStoreOptions) {
    this.#options = options;
    this.#open = new OpenHives(options.memory);
  }

  /** A Hive, or a branch of it, which may be missing: nothing is read yet. */
  at(branch: HiveBranch): Hive {
    const present = this.#open.get(branch);
    if (present !== undefined) return present;
    const used = (hive: Hive): void => this.#open.use(branch, hive);
    const hive = isMain(branch)
      ? this.#openFolder(this.folderOf(branch), this.recorded(branch), used)
      : this.at(branch.slug).branch(branch.branch, used);
    this.#open.add(branch, hive);
    return hive;
  }

  /** A Hive or branch that was opened before; undefined for any other. */
  opened(branch: HiveBranch): Hive | undefined {
    return this.#open.get(branch);
  }

  close(branch: HiveBranch): void {
    this.#open.close(branch);
  }

  /** Opens a repository that is in no Hive's place, to be read. */
  openFolder(gitdir: string): Hive {
    return this.#openFolder(gitdir, undefined, () => {});
  }

  #openFolder(gitdir: string, recorded: RecordedHive | undefined, used: (hive: Hive) => void): Hive {
    const { fs, git } = this.#options;
    const repo = this.#repo(gitdir, recorded);
    // Made when it is first used: of very many Hives only the overview is ever read.
    let made: RevisionStore | undefined;
    const revisions = (): RevisionStore => (made ??= new RevisionStore({ repo, stream: git.stream }));
    return new Hive(
      { repo, recorded, cache: new HiveCache(fs, gitdir), revisions },
      { ref: repo.main, used },
    );
  }

  repo(slug: HiveSlug): BareRepo {
    return this.#repo(this.folderOf(slug), this.recorded(slug));
  }

  recorded(slug: HiveSlug): RecordedHive {
    return new RecordedHive(this.#options.record, slug);
  }

  #repo(gitdir: string, recorded: RecordedHive | undefined): BareRepo {
    const { fs, git } = this.#options;
    return new BareRepo(fs, gitdir, git.packReader?.(gitdir), { move: recorded?.move });
  }

  folderOf(slug: HiveSlug): string {
    return join(this.#options.folder, `${slug}.git`);
  }

  /** The number of source strings of some Hives, for quotas. A Hive that cannot be read at all counts as 0. */
  async countStrings(slugs: readonly HiveSlug[]): Promise<number> {
    const recorded = await this.#options.record.repositories.strings(slugs);
    if (recorded !== undefined) return recorded;
    const found = await mapInGroups(slugs, (slug) => this.at(slug).overview());
    return found.reduce((sum, { overview }) => sum + (overview?.stringCount ?? 0), 0);
  }

  /** See {@link readPushableRefs}. */
  async pushableRefs(slug: HiveSlug): Promise<PushableRefs> {
    await this.recorded(slug).catchUp();
    return readPushableRefs(this.#options.fs, this.folderOf(slug));
  }

  /**
   * Runs a function under a team's lock. A Hive's lock is taken inside it, never around it.
   * @param priority `first` by default: changes of rights and other settings do not wait behind queued content.
   * @param scope the settings that the function reads; any when undefined.
   */
  lockTeam<T>(
    team: TeamName,
    run: (lock: HeldLock) => Promise<T>,
    priority: LockPriority = "first",
    scope?: LockScope,
  ): Promise<T> {
    return this.#options.locks.hold(`team-${team}`, run, priority, scope);
  }

  /**
   * Holds a Hive's lock while a function runs. A team's lock, where both are needed, is taken first.
   * @param priority `first` by default: operations that hold only this lock are about more than content.
   * @param scope the settings that the function reads; any when undefined.
   */
  lock<T>(
    slug: HiveSlug,
    run: (lock: HeldLock) => Promise<T>,
    priority: LockPriority = "first",
    scope?: LockScope,
  ): Promise<T> {
    return this.#options.locks.hold(`hive-${slug}`, run, priority, scope);
  }
}

/** How many branches besides main are open, of all Hives together: callers can make very many. */
const maxOpenBranches = 256;

/** The Hives that are open in this process, at main and at other branches. */
class OpenHives {
  readonly #hives = new Map<HiveSlug, Hive>();
  readonly #branches: LRUCache<string, Hive>;
  readonly #memory: MemoryBudget;

  /** @param memory drops the content of a Hive that is closed. */
  constructor(memory: MemoryBudget) {
    this.#memory = memory;
    this.#branches = boundedCache(maxOpenBranches, (hive) => memory.remove(hive));
  }

  get(branch: HiveBranch): Hive | undefined {
    return isMain(branch) ? this.#hives.get(branch) : this.#branches.get(keyOf(branch));
  }

  add(branch: HiveBranch, hive: Hive): void {
    if (isMain(branch)) this.#hives.set(branch, hive);
    else this.#branches.set(keyOf(branch), hive);
  }

  /** See {@link MemoryBudget.use}. A Hive that was closed meanwhile does not count. */
  use(branch: HiveBranch, hive: Hive): void {
    if (this.get(branch) === hive) this.#memory.use(hive);
  }

  close(branch: HiveBranch): void {
    if (!isMain(branch)) {
      this.#branches.delete(keyOf(branch));
      return;
    }
    const hive = this.#hives.get(branch);
    if (hive === undefined) return;
    this.#hives.delete(branch);
    this.#memory.remove(hive);
    const prefix = `${branch} `;
    const open = [...this.#branches.keys()].filter((key) => key.startsWith(prefix));
    for (const key of open) this.#branches.delete(key);
  }
}

function keyOf(branch: NamedBranch): string {
  return `${branch.slug} ${branch.branch}`;
}
