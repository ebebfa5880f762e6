/** The Hives of a storage folder: open one, change it under its lock, make and remove them. */
import { join } from "node:path";
import type { CommitWords } from "../domain/commit-message.ts";
import { SkepError, isFailure } from "../domain/errors.ts";
import { hiveReadme, readmePath } from "../domain/hive-readme.ts";
import { formatHiveSettings, type HiveSettings } from "../domain/hive-settings.ts";
import type { PushableRefs } from "../domain/mirror.ts";
import type { HiveSlug, Oid, TeamName } from "../domain/names.ts";
import type { TrashEntry, TrashId } from "../domain/trash.ts";
import { BareRepo } from "./bare-repo.ts";
import type { PackReader } from "./cat-file.ts";
import { CheckedFolders } from "./checked-folders.ts";
import type { DurableFs } from "./durable-fs.ts";
import { toCommit, toGitObject } from "./git-object.ts";
import type { StreamGit } from "./git-stream.ts";
import type { OverviewAtHead } from "./hive-overview.ts";
import { commitFields, Hive, type HiveChange } from "./hive.ts";
import { together, type HeldLock } from "./lock-file.ts";
import type { Locks } from "./lock.ts";
import { MemoryBudget } from "./memory-budget.ts";
import { OpenHives } from "./open-hives.ts";
import { readPushableRefs } from "./pushable-refs.ts";
import { Past, type NewTag, type TagInfo } from "./past.ts";
import { settingsPath, type Snapshot } from "./snapshot.ts";
import type { Trash } from "./trash.ts";
import { changeTree, emptyTree } from "./tree.ts";

/** What a planning function answers: its result, and the commit to make, if any. */
export interface Planned<T> {
  readonly result: T;
  readonly change?: HiveChange | undefined;
}

/** What came of a planning function, and the commit that HEAD was at then: a new one if there was a change. */
export interface Changed<T> {
  readonly result: T;
  readonly commit: Oid;
}

/** How often a change is planned again because somebody else moved the branch meanwhile. */
const maxAttempts = 10;

export interface HiveStoreOptions {
  readonly fs: DurableFs;
  readonly locks: Locks;
  /** The folder of all repositories. */
  readonly folder: string;
  readonly trash: Trash;
  /** The installed git, for questions about much history. */
  readonly streamGit: StreamGit;
  /** The time in milliseconds since 1970. */
  readonly now: () => number;
  /** What reads packs; see {@link BareRepo}. */
  readonly packReader?: ((gitdir: string) => PackReader) | undefined;
  /** How many bytes of content may be in memory, about; no limit if not given. */
  readonly memoryBudget?: number | undefined;
  /** Hears of every commit and every tag that was made here, once it stands. */
  readonly committed: (slug: HiveSlug) => void;
}

export class HiveStore {
  readonly #options: HiveStoreOptions;
  readonly #memory: MemoryBudget;
  readonly #open: OpenHives<Hive>;

  constructor(options: HiveStoreOptions) {
    this.#options = options;
    this.#memory = new MemoryBudget(options.memoryBudget ?? Infinity);
    this.#open = new OpenHives(this.#memory);
  }

  /** The folder of a Hive's repository. */
  folderOf(slug: HiveSlug): string {
    return join(this.#options.folder, `${slug}.git`);
  }

  /** See {@link Hive.snapshot}. */
  async snapshot(slug: HiveSlug): Promise<Snapshot> {
    const hive = this.#hive(slug);
    const snapshot = await hive.snapshot();
    this.#memory.use(hive);
    return snapshot;
  }

  /** Whether a Hive that was read before is still at a commit; see {@link Hive.isAt}. */
  isAt(slug: HiveSlug, oid: Oid): boolean {
    return this.#open.get(slug)?.isAt(oid) === true;
  }

  /** See {@link Hive.overview}. */
  overview(slug: HiveSlug): Promise<OverviewAtHead> {
    return this.#hive(slug).overview();
  }

  /** The number of source strings, for the team's quota: 0 for a Hive that cannot be read at all. */
  async countStrings(slug: HiveSlug): Promise<number> {
    const { overview } = await this.overview(slug);
    return overview?.stringCount ?? 0;
  }

  /** See {@link readPushableRefs}. */
  pushableRefs(slug: HiveSlug): Promise<PushableRefs> {
    return readPushableRefs(this.#options.fs, this.folderOf(slug));
  }

  /** The Hive as it was at earlier commits, its tags and its history. */
  past(slug: HiveSlug): Past {
    return this.#hive(slug).past;
  }

  /** The Hive at a commit that {@link Past.resolve} gave; see {@link Past.at}. */
  async snapshotAt(slug: HiveSlug, oid: Oid, field: string): Promise<Snapshot> {
    const hive = this.#hive(slug);
    const snapshot = await hive.past.at(oid, field, hive.last);
    this.#memory.use(hive);
    return snapshot;
  }

  /** Makes the tag that `plan` gives, under the Hive's lock. @throws what the plan and {@link Past.tag} throw. */
  tag(slug: HiveSlug, plan: (past: Past) => Promise<NewTag>): Promise<TagInfo> {
    return this.lock(slug, async (lock) => {
      const past = this.past(slug);
      const tag = await past.tag(await plan(past), this.#seconds(), () => lock.assertHeld());
      this.#options.committed(slug);
      return tag;
    });
  }

  /** See {@link change}, for those who need not know the commit. */
  async update<T>(
    slug: HiveSlug,
    plan: (snapshot: Snapshot) => Planned<T> | Promise<Planned<T>>,
    outer: readonly HeldLock[] = [],
  ): Promise<T> {
    const { result } = await this.change(slug, plan, outer);
    return result;
  }

  /**
   * Changes a Hive by one commit under its lock: `plan` gets the snapshot at HEAD and says what to commit. It runs
   * again when HEAD moved under it, so it must be without effects.
   * @param outer locks that the plan relies on besides the Hive's; they are checked just before the branch moves.
   * @throws what {@link Hive.snapshot} and the plan throw; SkepError `busy` when the turn does not come in time.
   */
  change<T>(
    slug: HiveSlug,
    plan: (snapshot: Snapshot) => Planned<T> | Promise<Planned<T>>,
    outer: readonly HeldLock[] = [],
  ): Promise<Changed<T>> {
    return this.lock(slug, async (lock) => {
      const confirm = (): Promise<void> => together(...outer, lock).assertHeld();
      for (let attempt = 1; ; attempt++) {
        try {
          const hive = this.#hive(slug);
          const snapshot = await hive.snapshot();
          const { result, change } = await plan(snapshot);
          if (change === undefined) return { result, commit: snapshot.commit.oid };
          const commit = await hive.commit(snapshot, change, { now: this.#seconds(), confirm });
          this.#options.committed(slug);
          return { result, commit };
        } catch (error) {
          if (!isFailure(error, "head-moved")) throw error;
          if (attempt === maxAttempts) {
            throw new SkepError("busy", error.message, { retryAfter: 1 }, { cause: error });
          }
        }
      }
    });
  }

  /** Holds a Hive's lock while a function runs. A team's lock, where both are needed, is taken first. */
  lock<T>(slug: HiveSlug, run: (lock: HeldLock) => Promise<T>): Promise<T> {
    return this.#options.locks.hold(`hive-${slug}`, run);
  }

  /**
   * Makes the repository of a new Hive with a first commit, aside, and puts it in its place as a whole. The caller
   * holds the Hive's lock; what is in that place is an unlisted leftover and goes to the trash.
   */
  async create(slug: HiveSlug, settings: HiveSettings, words: CommitWords): Promise<void> {
    const { fs, folder } = this.#options;
    const aside = join(folder, `.new-${slug}`);
    await fs.removeFolder(aside);
    const repo = await BareRepo.init(fs, aside);
    const blob = toGitObject("blob", formatHiveSettings(settings));
    const readme = toGitObject("blob", hiveReadme);
    const paths = new Map([
      [settingsPath, blob.oid],
      [readmePath, readme.oid],
    ]);
    const { tree, objects } = changeTree(emptyTree, paths);
    const commit = toCommit({ ...commitFields(words), tree: tree.oid, parents: [], time: this.#seconds() });
    const prepare = (): Promise<void> => repo.writeObjects([blob, readme, ...objects, commit]);
    await repo.main.move({ expected: undefined, next: commit.oid, prepare });
    await this.setAside(slug);
    await fs.moveFolder(aside, this.folderOf(slug));
  }

  /**
   * Moves a repository that no team lists to the trash. The caller holds the Hive's lock.
   * @returns where it is now; undefined when there was none.
   */
  async setAside(slug: HiveSlug): Promise<string | undefined> {
    const { fs, trash, now } = this.#options;
    this.#open.close(slug);
    if (!(await fs.isFolder(this.folderOf(slug)))) return undefined;
    return trash.put(slug, this.folderOf(slug), now());
  }

  /** Notes in a Hive's repository that its team is about to give it up. The caller holds the Hive's lock. */
  async noteDeletion(slug: HiveSlug, team: TeamName): Promise<void> {
    const { fs, trash } = this.#options;
    if (await fs.isFolder(this.folderOf(slug))) await trash.note(this.folderOf(slug), team);
  }

  /** The slugs of the repositories that were deleted once, by {@link noteDeletion}; a team may have them again. */
  deletedSlugs(): Promise<readonly HiveSlug[]> {
    return this.#options.trash.notedIn(this.#options.folder);
  }

  /** The number of source strings of a repository in the trash. */
  async countTrashed(id: TrashId): Promise<number> {
    const { overview } = await this.#build(this.#options.trash.folderOf(id)).overview();
    return overview?.stringCount ?? 0;
  }

  /** Moves a repository from the trash to its place. The caller holds the Hive's lock, and lists it then. */
  async restore({ id, slug }: TrashEntry): Promise<void> {
    await this.setAside(slug);
    await this.#options.trash.take(id, this.folderOf(slug));
  }

  #hive(slug: HiveSlug): Hive {
    const present = this.#open.get(slug);
    if (present !== undefined) return present;
    const hive = this.#build(this.folderOf(slug));
    this.#open.add(slug, hive);
    return hive;
  }

  #build(gitdir: string): Hive {
    const { fs, packReader, streamGit } = this.#options;
    const repo = new BareRepo(fs, gitdir, packReader?.(gitdir));
    return new Hive(repo, new CheckedFolders(fs, gitdir), new Past(repo, fs, gitdir, streamGit));
  }

  #seconds(): number {
    return Math.floor(this.#options.now() / 1000);
  }
}
