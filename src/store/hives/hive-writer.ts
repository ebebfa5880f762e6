/** Changes Hives under their locks: by commits, tags and branches. */
import type { DurableFs } from "../../disk/durable-fs.ts";
import { combineLocks, type HeldLock } from "../../disk/held-lock.ts";
import type { LockPriority, Locks } from "../../disk/locks/lock.ts";
import { isMain, slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import { SkepError, isFailure } from "../../domain/errors.ts";
import type { TermIndex } from "../../domain/glossary/term-index.ts";
import type { HiveSlug, TeamName } from "../../domain/names.ts";
import { recordOf } from "../../domain/moves/recorded.ts";
import { checkDeletions, checkFileStrings, checkQuota } from "../../domain/plans/quota.ts";
import type { Team } from "../../domain/access/team.ts";
import type { PushedPack } from "../../git/packs/quarantine.ts";
import type { GitPrograms } from "../../git/programs.ts";
import type { Branches } from "../../git/refs/branches.ts";
import type { Snapshot } from "../content/snapshot.ts";
import type { RevisionStore, TagInfo, TagPlan } from "../history/revision-store.ts";
import type { QuotaClaim } from "../record/record.ts";
import type { Registry } from "../settings/registry.ts";
import type { HiveStore } from "./hive-store.ts";
import { waitingOf, withFollowingValues } from "./following-values.ts";
import { withoutValuesOfStrings, type HiveChange } from "./hive-commit.ts";
import type { Hive } from "./hive.ts";
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
import type { ChangeMetadata } from "../../domain/commits/commit-message.ts";
import type { Move } from "../../domain/move.ts";

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
    if (idempotency !== undefined && !isMain(branch)) {
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
    return { result, commit, findings, waiting: waitingOf(change, planned) };
  }

  async #preview<T>(order: CommitOrder<T>): Promise<CommitResult<T>> {
    const { snapshot, result, findings, ...planned } = await this.#plan(order);
    const { changes = [], moves } = planned;
    const { settings, commit } = snapshot;
    const [beside, rejectedKeys] = [await planned.beside?.(), await planned.rejectedKeys?.()];
    const preview = { changes, beside, rejectedKeys, moves, settings };
    return { result, commit: commit.oid, isUnchanged: planned.change === undefined, preview, findings };
  }

  /**
   * The steps of a write before anything is stored, in this order: who asks and for which HEAD, what the plan says, whether
   * there are too many strings, what follows the texts, what is recorded, whether the caller may write that, and the checks
   * of texts, which need the change as a whole.
   */
  async #plan<T>(order: CommitOrder<T>): Promise<CheckedPlan<T>> {
    const { branch, context } = order;
    const { hive, snapshot } = await this.#begin(order);
    const planned = await order.plan(snapshot);
    const quota = await this.#checkCounts(order, snapshot, planned.strings);
    const followed =
      planned.change && (await withFollowingValues(snapshot, planned, planned.change, context));
    const moved = followed && (await withRecordedMoves(snapshot, planned.moves, followed));
    const change = moved && isMain(branch) ? withRecordedSyntax(snapshot, moved) : moved;
    if (change)
      checkLocales(context, planned.isDiscussion === true ? withoutValuesOfStrings(change) : change);
    checkFileStrings(snapshot.index, change?.writes ?? [], this.#options.fileStrings);
    const findings = await checkWrite(snapshot, { ...planned, change }, context, {
      main: isMain(branch) ? undefined : () => this.#hives.at(branch.slug).snapshot(),
      terms: () => this.#options.terms(slugOf(branch)),
    });
    return { hive, snapshot, ...planned, change, quota, findings };
  }

  async #begin({ branch, context, creates }: CommitOrder<unknown>): Promise<PlanBasis> {
    // First, so that a caller whose Hive was deleted meanwhile gets the same answer as for another team's Hive.
    await context.caller.reauthorise();
    const hive = this.#hives.at(branch);
    const snapshot = await (creates ? hive.snapshotForBranch(creates.from) : hive.snapshot());
    await checkPreconditions(context, hive.revisions, snapshot.commit.oid, this.#seconds());
    return { hive, snapshot };
  }

  /** Holds the strings of a plan to the limits of deletions and of the team. */
  async #checkCounts(
    { branch, context, team }: CommitOrder<unknown>,
    { settings, index }: Snapshot,
    strings: WritePlan<unknown>["strings"],
  ): Promise<QuotaClaim | undefined> {
    if (strings === undefined) return undefined;
    checkDeletions(strings, context.maxDeletions ?? settings.maxDeletions);
    const quotaOf = await this.teamQuota(team && (await this.#options.registry.team(team)), slugOf(branch));
    return quotaOf?.(index.stringCount, index.stringCount + strings.created - strings.deleted);
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
      if (!isMain(branch)) this.#hives.close(branch);
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

/** What a plan is made from. */
interface PlanBasis {
  readonly hive: Hive;
  readonly snapshot: Snapshot;
}

interface CheckedPlan<T> extends WritePlan<T>, PlanBasis {
  /** The team's quota, which holds although other servers make commits at the same time. */
  readonly quota: QuotaClaim | undefined;
  readonly findings: WriteFindings | undefined;
}

/** A change whose commit records the moves of its strings. */
async function withRecordedMoves(
  snapshot: Snapshot,
  moves: readonly Move[] = [],
  change: HiveChange<ChangeMetadata>,
): Promise<HiveChange<ChangeMetadata>> {
  if (moves.length === 0) return change;
  const record = await recordOf(moves, await snapshot.content([]), change.writes ?? []);
  return { ...change, metadata: { ...change.metadata, moves: record } };
}
