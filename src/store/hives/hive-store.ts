/** The Hives of a storage: reads them, changes them under their locks, creates and removes them. */
import { join } from "node:path";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { combineLocks, type HeldLock } from "../../disk/locks/lock-file.ts";
import type { LockPriority, Locks } from "../../disk/locks/lock.ts";
import type { MemoryBudget } from "../../disk/memory-budget.ts";
import { slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import { branchExpiry } from "../../domain/commits/deleted-branch.ts";
import type { CommitMetadata } from "../../domain/commits/commit-message.ts";
import { SkepError, isFailure } from "../../domain/errors.ts";
import type { HiveSettings } from "../../domain/hives/hive-settings.ts";
import type { PushableRefs } from "../../domain/hives/mirror.ts";
import type { TrashEntry, TrashId } from "../../domain/hives/trash.ts";
import type { HiveSlug, Oid } from "../../domain/names.ts";
import { BareRepo } from "../../git/bare-repo.ts";
import type { PushedPack, UnpackGit } from "../../git/packs/quarantine.ts";
import type { PackReader } from "../../git/process/cat-file.ts";
import type { StreamGit } from "../../git/process/git-stream.ts";
import type { Branches } from "../../git/refs/branches.ts";
import { readPushableRefs } from "../../git/refs/refs.ts";
import type { TagTarget } from "../../git/refs/tags.ts";
import { inSlices } from "../../slices.ts";
import { HiveCache } from "../content/hive-cache.ts";
import type { Snapshot, StoredSettings } from "../content/snapshot.ts";
import { RevisionStore, type TagInfo, type TagPlan } from "../history/revision-store.ts";
import type { OverviewAtHead } from "./hive-overview.ts";
import { Hive, initHive } from "./hive.ts";
import type { Deletion } from "../settings/settings-files.ts";
import { OpenHives } from "./open-hives.ts";
import { receivePush, type PushedObjects } from "./pushed-objects.ts";
import { findUnreadableSettings, mendSettings } from "./settings-mend.ts";
import type { Trash } from "./trash.ts";
import {
  checkLocales,
  checkPreconditions,
  type WriteContext,
  type WritePreconditions,
} from "./write-context.ts";
import { checkFileStrings } from "../../domain/plans/file-strings.ts";
import { checkWrite, checkedMetadata } from "./write-checks.ts";
import type { CheckedPlan, CommitResult, NewBranch, Planner } from "./write-plan.ts";

/** How often a change is planned again because another process moved the branch meanwhile. */
const maxAttempts = 10;

export interface HiveStoreOptions {
  readonly fs: DurableFs;
  readonly locks: Locks;
  /** The folder of all repositories. */
  readonly folder: string;
  readonly trash: Trash;
  /** Streams the output of the installed git, for long histories. */
  readonly streamGit: StreamGit;
  /** The time in milliseconds since 1970. */
  readonly now: () => number;
  /** Puts pushed objects into quarantine. */
  readonly unpackGit: UnpackGit;
  /** Makes a reader of packs; see {@link BareRepo}. */
  readonly packReader?: (gitdir: string) => PackReader;
  /** Bounds the content in memory. */
  readonly memory: MemoryBudget;
  /** See {@link checkFileStrings}. */
  readonly fileStrings: number;
  /** Called after every commit made here, with how long it took, and after every tag. */
  readonly committed: (slug: HiveSlug, ms?: number) => void;
}

export class HiveStore {
  readonly #options: HiveStoreOptions;
  readonly #open: OpenHives<Hive>;

  constructor(options: HiveStoreOptions) {
    this.#options = options;
    this.#open = new OpenHives<Hive>(options.memory);
  }

  /** Checks the preconditions of a write at the current HEAD; see {@link checkPreconditions}. */
  async checkPreconditions(branch: HiveBranch, preconditions: WritePreconditions): Promise<void> {
    const { revisions } = this.#hive(branch);
    await checkPreconditions(preconditions, revisions, this.head(branch), this.#seconds());
  }

  /** See {@link Hive.settings}. */
  settings(slug: HiveSlug): Promise<StoredSettings> {
    return this.#hive(slug).settings();
  }

  /** The commit of HEAD; see {@link Hive.head}. */
  head(branch: HiveBranch, as?: "now" | "recent"): Oid {
    return this.#hive(branch).head(as);
  }

  /** The folder of a Hive's repository. */
  folderOf(slug: HiveSlug): string {
    return join(this.#options.folder, `${slug}.git`);
  }

  /** See {@link Hive.snapshot}. */
  async snapshot(branch: HiveBranch): Promise<Snapshot> {
    const hive = this.#hive(branch);
    const snapshot = await hive.snapshot();
    this.#open.use(branch, hive);
    return snapshot;
  }

  /** Whether a Hive that was read before is still at a commit; see {@link Hive.isAt}. */
  isAt(branch: HiveBranch, oid: Oid, tag?: TagTarget): boolean {
    return this.#open.get(branch)?.isAt(oid, tag) === true;
  }

  /** See {@link Hive.overview}. */
  overview(slug: HiveSlug): Promise<OverviewAtHead> {
    return this.#hive(slug).overview();
  }

  /** See {@link Hive.hasOverview}. */
  hasOverview(slug: HiveSlug): boolean {
    return this.#open.get(slug)?.hasOverview === true;
  }

  /** What is cached of a Hive in a file of its repository. */
  cache(slug: HiveSlug): HiveCache {
    return this.#hive(slug).cache;
  }

  /** See {@link readPushableRefs}. */
  pushableRefs(slug: HiveSlug): Promise<PushableRefs> {
    return readPushableRefs(this.#options.fs, this.folderOf(slug));
  }

  /** The earlier commits of a Hive, its tags and its history, which its branches share. */
  revisions(branch: HiveBranch): RevisionStore {
    return this.#hive(slugOf(branch)).revisions;
  }

  /** The Hive at a commit that {@link RevisionStore.resolve} gave; see {@link RevisionStore.snapshotAt}. */
  async snapshotAt(branch: HiveBranch, oid: Oid, field: string): Promise<Snapshot> {
    const slug = slugOf(branch);
    const hive = this.#hive(slug);
    const snapshot = await hive.revisions.snapshotAt(oid, field, hive.last);
    this.#open.use(slug, hive);
    return snapshot;
  }

  /** A commit with the settings that main has now; see {@link Hive.beginningAt}. */
  snapshotWithCurrentSettings(slug: HiveSlug, oid: Oid): Promise<Snapshot> {
    return this.#hive(slug).beginningAt(oid);
  }

  /**
   * Creates the tag that `plan` gives, under the Hive's lock.
   * @throws as {@link WriteCaller.reauthorise}, {@link checkPreconditions}, the plan and {@link RevisionStore.tag} do.
   */
  tag(
    slug: HiveSlug,
    context: WriteContext,
    plan: (revisions: RevisionStore) => Promise<TagPlan>,
  ): Promise<TagInfo> {
    const tagged = async (lock: HeldLock): Promise<TagInfo> => {
      await context.caller?.reauthorise();
      checkLocales(context, undefined);
      await this.checkPreconditions(slug, context);
      const revisions = this.revisions(slug);
      const planned = await plan(revisions);
      const metadata = { ...context.metadata, ...planned.metadata };
      const tag = await revisions.tag({ ...planned, metadata }, this.#seconds(), () => lock.assertHeld());
      this.#options.committed(slug);
      return tag;
    };
    return this.lock(slug, tagged, "in-order");
  }

  /** The branches of a Hive. */
  branches(slug: HiveSlug): Branches {
    return this.#hive(slug).branches;
  }

  /** Removes the deleted branches of a Hive that have expired, for good. */
  async purgeBranches(slug: HiveSlug): Promise<void> {
    const now = this.#options.now();
    const branches = this.#open.get(slug)?.branches ?? this.#repo(this.folderOf(slug)).branches;
    const expired = (await branches.deleted()).some(({ deleted }) => branchExpiry(deleted) <= now);
    if (!expired) return;
    await this.lock(slug, (lock) => branches.forgetDeleted({ now, assertLockHeld: () => lock.assertHeld() }));
  }

  /**
   * Changes the branches of a Hive under its lock, for callers of requests.
   * @param branch whose HEAD the preconditions are about.
   * @throws what {@link WriteCaller.reauthorise}, {@link checkPreconditions} and `change` throw.
   */
  changeBranches<T>(
    branch: HiveBranch,
    context: WriteContext,
    change: (branches: Branches, assertLockHeld: () => Promise<void>) => Promise<T>,
  ): Promise<T> {
    const slug = slugOf(branch);
    const changed = async (lock: HeldLock): Promise<T> => {
      await context.caller?.reauthorise();
      checkLocales(context, undefined);
      await this.checkPreconditions(branch, context);
      const result = await change(this.branches(slug), () => lock.assertHeld());
      // Nothing of a deleted branch stays in memory.
      this.#open.closeBranch(branch);
      this.#options.committed(slug);
      return result;
    };
    return this.lock(slug, changed, "in-order");
  }

  /**
   * Changes a Hive by one commit under its lock: the caller is authorised again, the preconditions are checked, `plan`
   * turns the snapshot at HEAD into a change, and HEAD moves. If HEAD was moved meanwhile, all is done again. A dry run
   * plans once, without the lock.
   * @param options.teamLock the lock of the Hive's team, if the plan relies on it; it is checked too before HEAD moves.
   * @param options.priority `first` for settings: they do not wait behind queued content.
   * @param options.creates the branch that the commit makes, instead of moving one that there is.
   * @throws what {@link WriteCaller.reauthorise}, {@link Hive.snapshot}, {@link checkPreconditions}, the plan and
   * {@link checkWrite} throw; SkepError `busy` when the lock is not free in time.
   */
  async commit<T>(
    branch: HiveBranch,
    context: WriteContext,
    plan: Planner<T>,
    options: {
      readonly teamLock?: HeldLock;
      readonly priority?: LockPriority;
      readonly creates?: NewBranch;
    } = {},
  ): Promise<CommitResult<T>> {
    if (context.dryRun === true) return this.#preview(branch, context, plan);
    const { teamLock, priority = "in-order", creates } = options;
    const committed = async (lock: HeldLock): Promise<CommitResult<T>> => {
      const held = teamLock === undefined ? lock : combineLocks(teamLock, lock);
      for (let attempt = 1; ; attempt++) {
        try {
          const assertLockHeld = (): Promise<void> => held.assertHeld();
          return await this.#commitOnce(branch, context, plan, { creates, assertLockHeld });
        } catch (error) {
          if (!isFailure(error, "head-moved")) throw error;
          if (attempt === maxAttempts) {
            throw new SkepError("busy", error.message, { retryAfter: 1 }, { cause: error });
          }
        }
      }
    };
    return this.lock(slugOf(branch), committed, priority);
  }

  async #commitOnce<T>(
    branch: HiveBranch,
    context: WriteContext,
    plan: Planner<T>,
    {
      creates,
      assertLockHeld,
    }: { readonly creates: NewBranch | undefined; readonly assertLockHeld: () => Promise<void> },
  ): Promise<CommitResult<T>> {
    const planned = await this.#plan(branch, context, plan, creates?.from);
    const { hive, snapshot, result, change, findings } = planned;
    if (change === undefined) return { result, commit: snapshot.commit.oid };
    const metadata = checkedMetadata(context, change.metadata, findings);
    const start = performance.now();
    const how = { now: this.#seconds(), assertLockHeld, creates: creates?.limit };
    const commit = await hive.commit(snapshot, { ...change, metadata }, how);
    this.#options.committed(slugOf(branch), performance.now() - start);
    return { result, commit, findings };
  }

  async #preview<T>(branch: HiveBranch, context: WriteContext, plan: Planner<T>): Promise<CommitResult<T>> {
    const { snapshot, result, findings, ...planned } = await this.#plan(branch, context, plan);
    const { changes = [], rejectedKeys: reject, moves } = planned;
    const { settings, commit } = snapshot;
    const preview = { changes, rejectedKeys: reject && (await inSlices(reject())), moves, settings };
    return { result, commit: commit.oid, preview, findings };
  }

  async #plan<T>(
    branch: HiveBranch,
    context: WriteContext,
    plan: Planner<T>,
    from?: Oid,
  ): Promise<CheckedPlan<T> & { readonly hive: Hive; readonly snapshot: Snapshot }> {
    // First of all, so that a caller whose Hive was deleted meanwhile gets the answer for a Hive out of reach.
    await context.caller?.reauthorise();
    const hive = this.#hive(branch);
    const snapshot = await (from === undefined ? hive.snapshot() : hive.beginningAt(from));
    await checkPreconditions(context, hive.revisions, snapshot.commit.oid, this.#seconds());
    const planned = await plan(snapshot);
    if (planned.change) checkLocales(context, planned.change);
    checkFileStrings(snapshot.index, planned.change?.writes ?? [], this.#options.fileStrings);
    return { hive, snapshot, ...planned, findings: await checkWrite(snapshot, planned, context) };
  }

  /**
   * Holds a Hive's lock while a function runs. A team's lock, where both are needed, is taken first.
   * @param priority `first` by default: operations that hold only this lock are about more than content.
   */
  lock<T>(slug: HiveSlug, run: (lock: HeldLock) => Promise<T>, priority: LockPriority = "first"): Promise<T> {
    return this.#options.locks.hold(`hive-${slug}`, run, priority);
  }

  /** Puts a pushed pack into quarantine while a function runs; see {@link receivePush}. */
  receive<T>(slug: HiveSlug, pack: PushedPack, run: (pushed: PushedObjects) => Promise<T>): Promise<T> {
    const { fs, locks, unpackGit: unpack } = this.#options;
    const gitdir = this.folderOf(slug);
    const into = { fs, gitdir, unpack, repo: this.#repo(gitdir) };
    return locks.hold(`push-${slug}`, () => receivePush(into, pack, run));
  }

  /**
   * Creates the repository of a new Hive with a first commit, and then moves it into place. The caller holds the Hive's
   * lock; a repository that is in that place is orphaned and is moved to the trash.
   */
  async create(slug: HiveSlug, settings: HiveSettings, metadata: CommitMetadata): Promise<void> {
    const { fs, folder } = this.#options;
    const aside = join(folder, `.new-${slug}`);
    await fs.removeFolder(aside);
    await initHive(fs, aside, { settings, metadata, now: this.#seconds() });
    await this.setAside(slug);
    await fs.moveFolder(aside, this.folderOf(slug));
  }

  /** Whether a Hive's settings can be mended; see {@link findUnreadableSettings}. */
  async hasMendableSettings(slug: HiveSlug): Promise<boolean> {
    return (await findUnreadableSettings(this.#repo(this.folderOf(slug)))) !== undefined;
  }

  /** Restores a Hive's last readable settings; false when there is nothing to mend. */
  mendSettings(slug: HiveSlug): Promise<boolean> {
    return this.lock(slug, async (lock) => {
      const repo = this.#repo(this.folderOf(slug));
      const found = await findUnreadableSettings(repo);
      if (found === undefined) return false;
      await mendSettings(repo, found, { now: this.#seconds(), assertLockHeld: () => lock.assertHeld() });
      this.#options.committed(slug);
      return true;
    });
  }

  /**
   * Moves a repository that no team lists to the trash. The caller holds the Hive's lock.
   * @param at when it was deleted, in milliseconds since 1970.
   * @returns its new path; undefined when there was none.
   */
  async setAside(slug: HiveSlug, at = this.#options.now()): Promise<string | undefined> {
    const { fs, trash } = this.#options;
    this.#open.close(slug);
    if (!(await fs.isFolder(this.folderOf(slug)))) return undefined;
    return trash.put(slug, this.folderOf(slug), at);
  }

  /** Writes the deletion note into a Hive's repository before its team removes it. The caller holds the Hive's lock. */
  async noteDeletion(slug: HiveSlug, deletion: Deletion): Promise<void> {
    const { fs, trash } = this.#options;
    if (await fs.isFolder(this.folderOf(slug))) await trash.note(this.folderOf(slug), deletion);
  }

  /** The slugs of repositories with a deletion note, by {@link noteDeletion}; a team may list them again. */
  deletedSlugs(): Promise<readonly HiveSlug[]> {
    return this.#options.trash.notedIn(this.#options.folder);
  }

  /** The number of source strings of a repository in the trash. */
  async countTrashed(id: TrashId): Promise<number> {
    const { overview } = await this.#build(this.#options.trash.folderOf(id)).overview();
    return overview?.stringCount ?? 0;
  }

  /** Moves a repository from the trash to its place. The caller holds the Hive's lock, and then lists the Hive. */
  async restore({ id, slug }: TrashEntry): Promise<void> {
    await this.setAside(slug);
    await this.#options.trash.take(id, this.folderOf(slug));
  }

  #hive(branch: HiveBranch): Hive {
    const present = this.#open.get(branch);
    if (present !== undefined) return present;
    const hive =
      typeof branch === "string"
        ? this.#build(this.folderOf(branch))
        : this.#hive(branch.slug).branch(branch.branch);
    this.#open.add(branch, hive);
    return hive;
  }

  #repo(gitdir: string): BareRepo {
    return new BareRepo(this.#options.fs, gitdir, this.#options.packReader?.(gitdir));
  }

  #build(gitdir: string): Hive {
    const { fs, streamGit } = this.#options;
    const repo = this.#repo(gitdir);
    // Of very many Hives only the overview is ever read.
    let made: RevisionStore | undefined;
    const revisions = (): RevisionStore => (made ??= new RevisionStore(repo, fs, gitdir, streamGit));
    return new Hive({ repo, cache: new HiveCache(fs, gitdir), revisions });
  }

  #seconds(): number {
    return Math.floor(this.#options.now() / 1000);
  }
}
