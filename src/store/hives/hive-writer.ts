/** Changes Hives under their locks: by commits, tags and branches. */
import type { DurableFs } from "../../disk/durable-fs.ts";
import { combineLocks, type HeldLock } from "../../disk/held-lock.ts";
import type { LockPriority, Locks } from "../../disk/locks/lock.ts";
import { slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import { SkepError, isFailure } from "../../domain/errors.ts";
import type { TermIndex } from "../../domain/glossary/term-index.ts";
import type { HiveSlug, Oid } from "../../domain/names.ts";
import { checkFileStrings } from "../../domain/plans/file-strings.ts";
import type { PushedPack } from "../../git/packs/quarantine.ts";
import type { GitPrograms } from "../../git/programs.ts";
import type { Branches } from "../../git/refs/branches.ts";
import { inSlices } from "../../slices.ts";
import { acceptanceWrites } from "../content/accepted-findings.ts";
import type { Snapshot } from "../content/snapshot.ts";
import { changedNotes } from "../content/stored-notes.ts";
import type { RevisionStore, TagInfo, TagPlan } from "../history/revision-store.ts";
import type { HiveStore } from "./hive-store.ts";
import { isNotesAlone } from "./hive-commit.ts";
import type { Hive } from "./hive.ts";
import { reviewsOf } from "./review-writes.ts";
import { changedPictures } from "../content/stored-pictures.ts";
import { receivePush, type PushedObjects } from "./pushed-objects.ts";
import { checkWrite, checkedMetadata, withRecordedSyntax } from "./write-checks.ts";
import {
  checkLocales,
  checkPreconditions,
  type WriteContext,
  type WritePreconditions,
} from "./write-context.ts";
import type { CheckedPlan, CommitResult, NewBranch, Planner } from "./write-plan.ts";

/** How often a change is planned again because another process moved the branch meanwhile. */
const maxAttempts = 10;

export interface HiveWriterOptions {
  readonly fs: DurableFs;
  readonly locks: Locks;
  /** The time in milliseconds since 1970. */
  readonly now: () => number;
  /** Puts pushed objects into quarantine. */
  readonly git: Pick<GitPrograms, "unpack">;
  /** See {@link checkFileStrings}. */
  readonly fileStrings: number;
  /** The terms that translations of a Hive are to have. */
  readonly terms: (slug: HiveSlug) => Promise<TermIndex | undefined>;
  /** Called after every commit made here, with how long it took, and after every tag. */
  readonly committed: (slug: HiveSlug, ms?: number) => void;
  /** Called with the checks that a write was refused for. */
  readonly refused: (checks: ReadonlySet<string>) => void;
}

export interface CommitOptions {
  /** The lock of the Hive's team, if the plan relies on it; it is checked too before HEAD moves. */
  readonly teamLock?: HeldLock;
  /** `first` for settings: they do not wait behind queued content. */
  readonly priority?: LockPriority;
  /** The branch that the commit makes, instead of moving one that there is. */
  readonly creates?: NewBranch;
}

export class HiveWriter {
  readonly #hives: HiveStore;
  readonly #options: HiveWriterOptions;

  constructor(hives: HiveStore, options: HiveWriterOptions) {
    this.#hives = hives;
    this.#options = options;
  }

  /** Checks the preconditions of a write at the current HEAD; see {@link checkPreconditions}. */
  async checkPreconditions(branch: HiveBranch, preconditions: WritePreconditions): Promise<void> {
    const hive = this.#hives.at(branch);
    await checkPreconditions(preconditions, hive.revisions, hive.head(), this.#seconds());
  }

  /**
   * Changes a Hive by one commit under its lock: the caller is authorised again, the preconditions are checked, `plan`
   * turns the snapshot at HEAD into a change, and HEAD moves. If HEAD was moved meanwhile, all is done again. A dry run
   * plans once, without the lock.
   * @throws what {@link WriteCaller.reauthorise}, {@link Hive.snapshot}, {@link checkPreconditions}, the plan and
   * {@link checkWrite} throw; SkepError `busy` when the lock is not free in time.
   */
  async commit<T>(
    branch: HiveBranch,
    context: WriteContext,
    plan: Planner<T>,
    { teamLock, priority = "in-order", creates }: CommitOptions = {},
  ): Promise<CommitResult<T>> {
    if (context.dryRun === true) return this.#preview(branch, context, plan);
    const committed = async (lock: HeldLock): Promise<CommitResult<T>> => {
      const held = teamLock === undefined ? lock : combineLocks(teamLock, lock);
      for (let attempt = 1; ; attempt++) {
        try {
          return await this.#commitOnce(branch, context, plan, held, creates);
        } catch (error) {
          if (!isFailure(error, "head-moved")) throw error;
          if (attempt === maxAttempts) {
            throw new SkepError("busy", error.message, { retryAfter: 1 }, { cause: error });
          }
        }
      }
    };
    return this.#hives.lock(slugOf(branch), committed, priority);
  }

  async #commitOnce<T>(
    branch: HiveBranch,
    context: WriteContext,
    plan: Planner<T>,
    lock: HeldLock,
    creates: NewBranch | undefined,
  ): Promise<CommitResult<T>> {
    const planned = await this.#plan(branch, context, plan, creates?.from).catch((error: unknown) => {
      if (isFailure(error, "check-failed"))
        this.#options.refused(new Set(error.data.findings.map(({ check }) => check)));
      throw error;
    });
    const { hive, snapshot, result, change, findings } = planned;
    if (change === undefined) return { result, commit: snapshot.commit.oid };
    const metadata = checkedMetadata(context, change.metadata, findings);
    const start = performance.now();
    const how = { now: this.#seconds(), lock, creates: creates?.limit };
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
    await context.caller.reauthorise();
    const hive = this.#hives.at(branch);
    const snapshot = await (from === undefined ? hive.snapshot() : hive.beginningAt(from));
    await checkPreconditions(context, hive.revisions, snapshot.commit.oid, this.#seconds());
    const {
      acceptances,
      reviews,
      confirmed,
      notes: changeNotes,
      pictures: changePictures,
      ...planned
    } = await plan(snapshot);
    const { moves = [] } = planned;
    const { writes = [] } = planned.change ?? {};
    const accepted = await acceptanceWrites(snapshot, moves, acceptances, writes);
    const notes = await changedNotes(snapshot, moves, changeNotes, writes);
    const pictures = await changedPictures(snapshot, moves, changePictures, writes);
    const isMain = typeof branch === "string";
    let { change } = planned;
    if (change) {
      const review = await reviewsOf(snapshot, { change, moves, given: reviews, confirmed }, context);
      change = { accepted, review, notes: notes.writes, pictures, ...change };
    }
    // Places in the app's code change all the time, and are not worth a commit of their own.
    if (change && changeNotes && notes.isPlacesAlone && isNotesAlone(change)) change = undefined;
    if (change && isMain) change = withRecordedSyntax(snapshot, change);
    if (change) checkLocales(context, change);
    checkFileStrings(snapshot.index, change?.writes ?? [], this.#options.fileStrings);
    const main = isMain ? undefined : () => this.#hives.at(branch.slug).snapshot();
    const terms = (): Promise<TermIndex | undefined> => this.#options.terms(slugOf(branch));
    const findings = await checkWrite(snapshot, { ...planned, change }, context, { main, terms });
    return { hive, snapshot, ...planned, change, findings };
  }

  /**
   * Creates the tag that `plan` gives.
   * @throws as {@link changeRefs}; what the plan and {@link RevisionStore.tag} throw.
   */
  tag(
    slug: HiveSlug,
    context: WriteContext,
    plan: (revisions: RevisionStore) => Promise<TagPlan>,
  ): Promise<TagInfo> {
    return this.#changeRefs(slug, context, async (lock) => {
      const { revisions } = this.#hives.at(slug);
      const planned = await plan(revisions);
      const metadata = { ...context.metadata, ...planned.metadata };
      return revisions.tag({ ...planned, metadata }, this.#seconds(), lock);
    });
  }

  /**
   * Changes the branches of a Hive.
   * @param branch whose HEAD the preconditions are about.
   * @throws as {@link changeRefs}; what `change` throws.
   */
  changeBranches<T>(
    branch: HiveBranch,
    context: WriteContext,
    change: (branches: Branches, lock: HeldLock) => Promise<T>,
  ): Promise<T> {
    return this.#changeRefs(branch, context, async (lock) => {
      const result = await change(this.#hives.at(slugOf(branch)).branches, lock);
      // Nothing of a deleted branch stays in memory.
      if (typeof branch !== "string") this.#hives.close(branch);
      return result;
    });
  }

  /**
   * Changes refs of a Hive under its lock, for callers of requests.
   * @throws what {@link WriteCaller.reauthorise}, {@link checkLocales} and {@link checkPreconditions} throw.
   */
  #changeRefs<T>(
    branch: HiveBranch,
    context: WriteContext,
    change: (lock: HeldLock) => Promise<T>,
  ): Promise<T> {
    const changed = async (lock: HeldLock): Promise<T> => {
      await context.caller.reauthorise();
      checkLocales(context, undefined);
      await this.checkPreconditions(branch, context);
      const result = await change(lock);
      this.#options.committed(slugOf(branch));
      return result;
    };
    return this.#hives.lock(slugOf(branch), changed, "in-order");
  }

  /** Puts a pushed pack into quarantine while a function runs; see {@link receivePush}. */
  receive<T>(slug: HiveSlug, pack: PushedPack, run: (pushed: PushedObjects) => Promise<T>): Promise<T> {
    const { fs, locks, git } = this.#options;
    const gitdir = this.#hives.folderOf(slug);
    const into = { fs, gitdir, unpack: git.unpack, repo: this.#hives.repo(gitdir) };
    return locks.hold(`push-${slug}`, () => receivePush(into, pack, run));
  }

  #seconds(): number {
    return Math.floor(this.#options.now() / 1000);
  }
}
