/** Changes Hives under their locks: by commits, tags and branches. */
import type { DurableFs } from "../../disk/durable-fs.ts";
import { combineLocks, type HeldLock } from "../../disk/held-lock.ts";
import type { LockPriority, Locks } from "../../disk/locks/lock.ts";
import { slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import { SkepError, isFailure } from "../../domain/errors.ts";
import type { TermIndex } from "../../domain/glossary/term-index.ts";
import type { HiveSlug, TeamName } from "../../domain/names.ts";
import { recordOf } from "../../domain/moves/recorded.ts";
import { checkDeletions, checkFileStrings, checkQuota } from "../../domain/plans/quota.ts";
import type { Team } from "../../domain/access/team.ts";
import type { PushedPack } from "../../git/packs/quarantine.ts";
import type { GitPrograms } from "../../git/programs.ts";
import type { Branches } from "../../git/refs/branches.ts";
import { acceptanceWrites } from "../content/accepted-findings.ts";
import type { Snapshot } from "../content/snapshot.ts";
import { changedNotes } from "../content/stored-notes.ts";
import type { RevisionStore, TagInfo, TagPlan } from "../history/revision-store.ts";
import type { QuotaClaim } from "../record/record.ts";
import type { Registry } from "../settings/registry.ts";
import type { HiveStore } from "./hive-store.ts";
import { writesOnlyNotes, type HiveChange } from "./hive-commit.ts";
import type { Hive } from "./hive.ts";
import { changedPictures } from "../content/stored-pictures.ts";
import { receivePush, type PushedObjects } from "./pushed-commits.ts";
import { checkWrite, checkedMetadata, withRecordedSyntax } from "./write-checks.ts";
import {
  checkLocales,
  checkPreconditions,
  requireNew,
  type WriteContext,
  type WritePreconditions,
  type CommitResult,
  type NewBranch,
  type Planner,
  type WriteFindings,
  type WritePlan,
} from "./write-context.ts";
import type { Move } from "../../domain/move.ts";
import { translationMovesOf } from "../../domain/moves/moved-content.ts";
import { reviewWrites, type ReviewChange, type ReviewWrite } from "../../domain/review/review.ts";

/** How often a change is planned again because another process, or another server, moved the branch meanwhile. */
const maxAttempts = 50;

export interface HiveWriterOptions {
  readonly fs: DurableFs;
  readonly locks: Locks;
  /** The time in milliseconds since 1970. */
  readonly now: () => number;
  /** Puts pushed objects into quarantine. */
  readonly git: Pick<GitPrograms, "unpack">;
  /** See {@link checkFileStrings}. */
  readonly fileStrings: number;
  readonly terms: (slug: HiveSlug) => Promise<TermIndex | undefined>;
  readonly registry: Registry;
  /** Called after every commit made here, with how long it took, and after every tag. */
  readonly committed: (slug: HiveSlug, ms?: number) => void;
  /** Called with the checks for which a write was refused. */
  readonly refused: (checks: ReadonlySet<string>) => void;
}

export class HiveWriter {
  readonly #hives: HiveStore;
  readonly #options: HiveWriterOptions;

  constructor(hives: HiveStore, options: HiveWriterOptions) {
    this.#hives = hives;
    this.#options = options;
  }

  /**
   * Checks the preconditions of a write at the current HEAD; see {@link checkPreconditions}. A request that was done before
   * is detected in the deleted branches of the name, too: it may be repeated because nobody has heard of its commit.
   * @throws SkepError `not-found` for a branch that is neither there nor has it.
   */
  async checkPreconditions(branch: HiveBranch, preconditions: WritePreconditions): Promise<void> {
    await this.#hives.recorded(slugOf(branch)).catchUp();
    const { idempotency } = preconditions;
    const { revisions } = this.#hives.at(slugOf(branch));
    if (idempotency !== undefined && typeof branch !== "string") {
      const kept = await this.#hives.at(branch.slug).branches.deleted();
      for (const { name, commit } of kept)
        if (name === branch.branch) await requireNew(idempotency, revisions, commit, this.#seconds());
    }
    await checkPreconditions(preconditions, revisions, this.#hives.at(branch).head(), this.#seconds());
  }

  /**
   * Changes a Hive by one commit under its lock: the caller is authorised again, the preconditions are checked, `plan`
   * turns the snapshot at HEAD into a change, and HEAD moves. If HEAD was moved meanwhile, all of this is done again. A dry
   * run plans once, without the lock. The moves of the plan are recorded.
   * @throws as {@link WriteCaller.reauthorise}, {@link Hive.snapshot}, {@link checkPreconditions}, the plan and
   * {@link checkWrite}; SkepError `busy` when the lock is not free in time.
   */
  async commit<T>(branch: HiveBranch, context: WriteContext, plan: Planner<T>): Promise<CommitResult<T>> {
    return this.#commit({ branch, context, plan }, "in-order");
  }

  /**
   * As {@link commit}, and under the lock of the Hive's team, which is taken first and is also checked before HEAD moves. The
   * strings of the plan are held to the limits.
   * @param priority `first` for settings: they do not wait behind queued content.
   * @param creates the branch that the commit creates, instead of moving an existing one.
   * @throws as {@link commit}; SkepError `not-found` when no team has the Hive; `invalid` on `max_deletions`; `quota` when
   * the team would have more strings than it may, and more than before.
   */
  async commitUnderTeamLock<T>(
    branch: HiveBranch,
    context: WriteContext,
    priority: LockPriority,
    plan: Planner<T>,
    creates?: NewBranch,
  ): Promise<CommitResult<T>> {
    const team = context.caller.team ?? (await this.#options.registry.teamOfHive(slugOf(branch))).name;
    return this.#commit({ branch, context, plan, team, creates }, priority);
  }

  #commit<T>(order: CommitOrder<T>, priority: LockPriority): Promise<CommitResult<T>> {
    const { branch, context, team } = order;
    const { scope } = context.caller;
    if (context.dryRun === true) return this.#preview(order);
    const slug = slugOf(branch);
    const commit = (...teamLocks: readonly HeldLock[]): Promise<CommitResult<T>> => {
      const committed = (lock: HeldLock): Promise<CommitResult<T>> =>
        this.#untilUnmoved(slug, () => this.#commitOnce(order, combineLocks(...teamLocks, lock)));
      return this.#hives.lock(slug, committed, priority, scope);
    };
    return team === undefined ? commit() : this.#hives.lockTeam(team, commit, priority, scope);
  }

  /**
   * Makes a change of a Hive's refs again when another process or server has moved them meanwhile, then without other
   * servers: a change that takes long would be overtaken for ever by short ones.
   */
  async #untilUnmoved<T>(slug: HiveSlug, change: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await (attempt === 1 ? change() : this.#hives.recorded(slug).alone(change));
      } catch (error) {
        if (!isFailure(error, "head-moved")) throw error;
        if (attempt === maxAttempts) {
          throw new SkepError("busy", error.message, { retryAfter: 1 }, { cause: error });
        }
      }
    }
  }

  async #commitOnce<T>(order: CommitOrder<T>, lock: HeldLock): Promise<CommitResult<T>> {
    const { branch, context, creates } = order;
    const planned = await this.#plan(order).catch((error: unknown) => {
      if (isFailure(error, "check-failed"))
        this.#options.refused(new Set(error.data.findings.map(({ check }) => check)));
      throw error;
    });
    const { hive, snapshot, result, change, quota, findings } = planned;
    if (change === undefined) return { result, commit: snapshot.commit.oid, isUnchanged: true };
    const metadata = checkedMetadata(context, change.metadata, findings);
    const start = performance.now();
    const how = { now: this.#seconds(), lock, creates: creates?.limit, quota };
    const commit = await hive.commit(snapshot, { ...change, metadata }, how);
    this.#options.committed(slugOf(branch), performance.now() - start);
    return { result, commit, findings };
  }

  async #preview<T>(order: CommitOrder<T>): Promise<CommitResult<T>> {
    const { snapshot, result, findings, ...planned } = await this.#plan(order);
    const { changes = [], rejectedKeys: reject, moves } = planned;
    const { settings, commit } = snapshot;
    const preview = { changes, rejectedKeys: reject && (await reject()), moves, settings };
    return { result, commit: commit.oid, preview, findings };
  }

  async #plan<T>({ branch, context, plan, team, creates }: CommitOrder<T>): Promise<CheckedPlan<T>> {
    // First, so that a caller whose Hive was deleted meanwhile gets the same answer as for another team's Hive.
    await context.caller.reauthorise();
    const hive = this.#hives.at(branch);
    const snapshot = await (creates ? hive.beginningAt(creates.from) : hive.snapshot());
    await checkPreconditions(context, hive.revisions, snapshot.commit.oid, this.#seconds());
    const {
      acceptances,
      reviews,
      confirmed,
      notes: changeNotes,
      isDiscussion = false,
      pictures: changePictures,
      ...planned
    } = await plan(snapshot);
    const { moves = [], strings } = planned;
    const { writes = [] } = planned.change ?? {};
    let quota: QuotaClaim | undefined;
    if (strings) {
      checkDeletions(strings, context.maxDeletions ?? snapshot.settings.maxDeletions);
      const quotaOf = await this.teamQuota(team && (await this.#options.registry.team(team)), slugOf(branch));
      const { stringCount: before } = snapshot.index;
      quota = quotaOf?.(before, before + strings.created - strings.deleted);
    }
    const accepted = await acceptanceWrites(snapshot, moves, acceptances, writes);
    const notes = await changedNotes(snapshot, moves, changeNotes, writes);
    const pictures = await changedPictures(snapshot, moves, changePictures, writes);
    const isMain = typeof branch === "string";
    let { change } = planned;
    if (change) {
      const review = await reviewsOf(snapshot, { change, moves, given: reviews, confirmed }, context);
      change = { accepted, review, notes: notes.writes, pictures, ...change };
      if (moves.length > 0) {
        const record = await recordOf(moves, await snapshot.content([]), writes);
        change = { ...change, metadata: { ...change.metadata, moves: record } };
      }
    }
    // Positions in the app's code change all the time, and are not worth a commit of their own.
    if (change && changeNotes && notes.changesOnlyPlaces && writesOnlyNotes(change)) change = undefined;
    if (change && isMain) change = withRecordedSyntax(snapshot, change);
    if (change) checkLocales(context, isDiscussion ? { ...change, notes: [] } : change);
    checkFileStrings(snapshot.index, change?.writes ?? [], this.#options.fileStrings);
    const main = isMain ? undefined : () => this.#hives.at(branch.slug).snapshot();
    const terms = (): Promise<TermIndex | undefined> => this.#options.terms(slugOf(branch));
    const findings = await checkWrite(snapshot, { ...planned, change }, context, { main, terms });
    return { hive, snapshot, ...planned, change, quota, findings };
  }

  /**
   * The check of a team's quota. It counts the strings at the HEADs of the other Hives once, so the caller holds the lock of
   * the team.
   * @param slug the Hive that changes, which does not count.
   * @returns undefined where the team has no quota.
   */
  async teamQuota(team: Team | undefined, slug?: HiveSlug): Promise<QuotaCheck | undefined> {
    if (team?.maxStrings === undefined) return undefined;
    const { name, maxStrings } = team;
    const others = team.hives.filter((other) => other !== slug);
    const elsewhere = await this.#hives.countStrings(others);
    return (before, after) => {
      const check = (strings: number): void => checkQuota({ maxStrings, elsewhere: strings, before, after });
      check(elsewhere);
      return after > before ? { team: name, others, check } : undefined;
    };
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
   * @param branch the branch whose HEAD the preconditions are about.
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
   * Changes refs of a Hive under its lock, for callers of requests. If refs were moved meanwhile, it is done again.
   * @throws as {@link WriteCaller.reauthorise}, {@link checkLocales} and {@link checkPreconditions}.
   */
  #changeRefs<T>(
    branch: HiveBranch,
    context: WriteContext,
    change: (lock: HeldLock) => Promise<T>,
  ): Promise<T> {
    const slug = slugOf(branch);
    const changed = async (lock: HeldLock): Promise<T> => {
      await context.caller.reauthorise();
      checkLocales(context, undefined);
      await this.checkPreconditions(branch, context);
      const result = await change(lock);
      this.#options.committed(slug);
      return result;
    };
    const { scope } = context.caller;
    return this.#hives.lock(slug, (lock) => this.#untilUnmoved(slug, () => changed(lock)), "in-order", scope);
  }

  /** Puts a pushed pack into quarantine while a function runs; see {@link receivePush}. */
  receive<T>(slug: HiveSlug, pack: PushedPack, run: (pushed: PushedObjects) => Promise<T>): Promise<T> {
    const { fs, locks, git } = this.#options;
    const gitdir = this.#hives.folderOf(slug);
    const into = { fs, gitdir, unpack: git.unpack, repo: this.#hives.repo(slug) };
    return locks.hold(`push-${slug}`, () => receivePush(into, pack, run));
  }

  #seconds(): number {
    return Math.floor(this.#options.now() / 1000);
  }
}

/**
 * Checks the numbers of strings that a Hive has before and after a change, beside the other Hives of its team.
 * @returns for a change that adds strings, the check that the record repeats with the numbers at the moment of the commit.
 * @throws SkepError `quota` when the team would have more strings than it may, and more than before.
 */
type QuotaCheck = (before: number, after: number) => QuotaClaim | undefined;

interface CommitOrder<T> {
  readonly branch: HiveBranch;
  readonly context: WriteContext;
  readonly plan: Planner<T>;
  /** The team whose lock is to be held. */
  readonly team?: TeamName;
  readonly creates?: NewBranch;
}

interface CheckedPlan<T> extends WritePlan<T> {
  readonly hive: Hive;
  readonly snapshot: Snapshot;
  /** The team's quota, which holds although other servers make commits at the same time. */
  readonly quota: QuotaClaim | undefined;
  readonly findings: WriteFindings | undefined;
}

interface PlannedChange {
  readonly change: Pick<HiveChange<unknown>, "writes" | "review">;
  readonly moves: readonly Move[];
  readonly given: ReviewChange["given"];
  readonly confirmed: ReviewChange["confirmed"] | undefined;
}

/**
 * The files of markers that a planned change writes; see {@link reviewWrites}. No content is read where no text waits and
 * no text of the change has to wait.
 * @throws SkepError `content-invalid` when markers cannot be read.
 */
async function reviewsOf(
  snapshot: Snapshot,
  { change: { writes = [], review }, moves, given, confirmed = [] }: PlannedChange,
  { caller, metadata }: Pick<WriteContext, "caller" | "metadata">,
): Promise<readonly ReviewWrite[]> {
  if (review !== undefined) return review;
  const { targetLocales } = snapshot.settings;
  const touched = new Set([...writes, ...confirmed].map(({ locale }) => locale));
  for (const code of given?.locales ?? []) touched.add(code);
  const codes = targetLocales.map(({ code }) => code).filter((code) => touched.has(code));
  const rule = caller.review ?? (metadata.origin?.kind === "model" ? "always" : "never");
  const by = metadata.person ?? metadata.token ?? metadata.author.name;
  const writer: ReviewChange["writer"] = ({ review: all }) =>
    rule === "always" || all === "all" ? by : undefined;
  const markers = await snapshot.review.read(codes);
  const isNothing = [...markers.values()].every(({ size }) => size === 0) && (given?.isEmpty ?? true);
  if (isNothing && !targetLocales.some((locale) => markers.has(locale.code) && writer(locale) !== undefined))
    return [];
  const content = await snapshot.content(codes);
  const translationMoves = translationMovesOf(content.source, moves);
  const stale = await snapshot.staleMarkers.read(codes);
  return reviewWrites(content, { markers, stale }, { translationMoves, writes, given, confirmed, writer });
}
