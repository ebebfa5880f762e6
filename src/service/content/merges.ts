/** Merges a branch into main, or main into a branch: key by key, as one commit with two parents. */
import { orInvalid } from "../../store/history/revision-store.ts";
import { mainBranch, type BranchName, type HiveBranch } from "../../domain/commits/branch-name.ts";
import { subjectWithCounts, type ChangeMetadata } from "../../domain/commits/commit-message.ts";
import { invalid, Issues, SkepError, unlessFailed } from "../../domain/errors.ts";
import type { HiveSlug, Oid } from "../../domain/names.ts";
import type { ConflictStrategy } from "../../domain/plans/conflict-strategies.ts";
import { planMerge, type MergeCounts } from "../../domain/plans/merge.ts";
import type { Side } from "../../domain/sides.ts";
import { Settlement } from "../../domain/plans/settlement.ts";
import type { MergeContents } from "../../domain/plans/merge-translations.ts";
import type { HiveState } from "../../domain/notes/hive-state.ts";
import type { Snapshot } from "../../store/content/snapshot.ts";
import type { HiveStore } from "../../store/hives/hive-store.ts";
import { checkLocales, type CommitResult, type WriteContext } from "../../store/hives/write-context.ts";
import type { RevisionStore } from "../../store/history/revision-store.ts";
import type { ContentStorage, Storage } from "../storage.ts";
import { toKnownBranch } from "./branches.ts";
import { mergeConflict, requireConflicts, toResolutions, type Settling } from "./merge-conflicts.ts";

export interface MergeRequest extends Settling {
  readonly branch: string;
  /** What is done about conflicts that `resolutions` do not settle. */
  readonly onConflict: ConflictStrategy;
  /** The commit that the side which is merged must be at. */
  readonly commit?: string;
  /** Whether the branch is deleted when it is merged, unless it has further commits by then. */
  readonly deleteBranch?: boolean;
}

export interface MergeResult {
  readonly counts: MergeCounts;
  /**
   * The earlier merge that brought the commits already, and the undo of it, if one holds. Given where nothing is left to
   * merge, or where some of it stays undone.
   */
  readonly merged?: { readonly commit: Oid; readonly undoneBy: Oid | undefined };
  /** Whether the branch was deleted; undefined where that was not asked for. */
  readonly branchDeleted?: boolean;
  /** Why it was not. The merge holds all the same, and a repeated request deletes the branch. */
  readonly notDeleted?: string;
}

const noCounts: MergeCounts = {
  created: 0,
  updated: 0,
  deleted: 0,
  moved: 0,
  translationsCreated: 0,
  translationsUpdated: 0,
  translationsDeleted: 0,
  confirmed: 0,
  settled: 0,
  dropped: 0,
};

/**
 * Merges by one commit with two parents. Where one side has no commit that the other lacks, nothing is written.
 * @throws SkepError `not-found` when there is no such branch; `text-conflict` when a key was changed differently and the
 * request does not say what is taken; `precondition-failed` when the side that is merged is not at the commit that the
 * request names; `invalid` on `branch` when it cannot be merged, on each resolution of no conflict, and on
 * `max_deletions`; `quota` as for an import.
 */
export async function mergeBranch(
  storage: ContentStorage,
  slug: HiveSlug,
  request: MergeRequest,
  context: WriteContext,
): Promise<CommitResult<MergeResult>> {
  const { hives } = storage;
  const branch = toKnownBranch(request.branch);
  if (branch === mainBranch) throw invalid("branch", "main cannot be merged into itself");
  if (request.deleteBranch === true) checkLocales(context, undefined);
  const [into, other]: readonly HiveBranch[] =
    request.into === "main" ? [slug, { slug, branch }] : [{ slug, branch }, slug];
  if (into === undefined || other === undefined) throw new Error("a merge has two sides");
  const revisions = hives.at(slug).revisions;
  // Before the locks are taken, because it may read the history.
  await revisions.graph.compare(hives.at(into).head(), hives.at(other).head());
  let merged: Oid | undefined;
  const result = await storage.writer.commitUnderTeamLock<MergeResult>(
    into,
    context,
    "in-order",
    async (snapshot) => {
      const tip = (merged = hives.at(other).head());
      if (request.commit !== undefined && request.commit !== tip) {
        const side = request.into === "main" ? "the branch" : "main";
        throw new SkepError("precondition-failed", `commit: ${side} is at ${tip}.`, { commit: tip });
      }
      const { base, behind } = await revisions.graph.compare(snapshot.commit.oid, tip);
      const before = await earlierMerge(revisions, snapshot.commit.oid, { base, isAll: behind === 0 });
      const resolutions = toResolutions(snapshot.settings, request);
      const settlement = new Settlement(winnerOf(request), resolutions);
      if (behind === 0) {
        await requireConflicts(settlement, request, () => Promise.resolve([]));
        return { result: { counts: noCounts, merged: before } };
      }
      const contents = await readSides(hives, snapshot, { base, other, tip });
      await requireSources(revisions, snapshot, { ...contents, base, tip });
      const plan = await planMerge(contents, settlement);
      await requireConflicts(
        settlement,
        request,
        async () => (await planMerge(contents, new Settlement())).conflicts,
      );
      const open = plan.conflicts.filter((conflict) => !settlement.isSettled(conflict));
      if (open.length > 0) throw mergeConflict(open, contents, request);
      const { writes, staleMarkers, reviews, changes, beside, counts, moves, values } = plan;
      const metadata = mergeMetadata(branch, request, counts);
      return {
        result: { counts, merged: before },
        change: { metadata, writes, values: staleMarkers, parents: [tip] },
        strings: counts,
        changes,
        beside,
        moves,
        values,
        reviews,
        pictures: { change: () => plan.pictures },
      };
    },
  );
  if (request.deleteBranch !== true || context.dryRun === true || merged === undefined) return result;
  const deletion = await deleteMerged(storage, { slug, branch, at: merged }, context);
  return { ...result, result: { ...result.result, ...deletion } };
}

/** The commits that the two sides of a merge are at: of the one that is merged into, and of the other. */
export function mergedHeads(
  { hives }: Pick<Storage, "hives">,
  slug: HiveSlug,
  { branch: name, into }: Pick<MergeRequest, "branch" | "into">,
): { readonly head: Oid; readonly commit: Oid } {
  const [main, branch] = [hives.at(slug).head(), hives.at({ slug, branch: toKnownBranch(name) }).head()];
  return into === "main" ? { head: main, commit: branch } : { head: branch, commit: main };
}

/**
 * Completes the answer to a request for a merge that was made before, and deletes the branch if the request asks for that
 * and it is still there: the first request may have been cut off in between.
 * @param made the commit of the merge.
 */
export async function finishMerge(
  storage: ContentStorage,
  slug: HiveSlug,
  { branch, deleteBranch }: Pick<MergeRequest, "branch" | "deleteBranch">,
  made: Oid,
  context: WriteContext,
): Promise<Pick<MergeResult, "merged"> & Deletion> {
  const revisions = storage.hives.at(slug).revisions;
  const [before, at] = (await revisions.history.readCommit(made)).parents;
  if (before === undefined || at === undefined) throw new Error(`${made} is not a merge`);
  const { base } = await revisions.graph.compare(before, at);
  const merged = await earlierMerge(revisions, before, { base, isAll: false });
  if (deleteBranch !== true) return { merged };
  const merge = { slug, branch: toKnownBranch(branch), at };
  return { merged, ...(await deleteMerged(storage, merge, context)) };
}

/** The merge that brought the common commits, if there was one. */
async function earlierMerge(
  revisions: RevisionStore,
  head: Oid,
  { base, isAll }: { readonly base: Oid | undefined; readonly isAll: boolean },
): Promise<MergeResult["merged"]> {
  if (base === undefined) return undefined;
  const merge = await revisions.graph.merged(head, base);
  // The branch itself made a commit that it was at.
  if (merge === undefined || merge.commit === base) return undefined;
  return isAll || merge.undoneBy !== undefined ? merge : undefined;
}

function winnerOf({ onConflict, into }: Pick<MergeRequest, "onConflict" | "into">): Side | undefined {
  if (onConflict === "fail") return undefined;
  return onConflict === into ? "ours" : "theirs";
}

interface OtherSide {
  /** The merge base; undefined where there is none. */
  readonly base: Oid | undefined;
  readonly other: HiveBranch;
  readonly tip: Oid;
}

/** Reads content of the other branch: its faults are faults of the request, not of the Hive's present content. */
const readOther = <T>(read: () => Promise<T>): Promise<T> => orInvalid("branch", read, "cannot be merged: ");

/**
 * Reads what a merge compares: both branches, their base, and the moves since.
 * @throws SkepError `content-invalid` for this side, `invalid` on `branch` for the other one.
 */
export async function readSides(
  hives: HiveStore,
  ours: Snapshot,
  { base, other, tip }: OtherSide,
): Promise<MergeContents> {
  const revisions = hives.at(other).revisions;
  const now = await ours.state();
  const compared = base === undefined ? [tip] : [base, tip];
  const sideAt = (oid: Oid): Promise<HiveState> =>
    readOther(async () => (await hives.at(other).snapshotForDiff(oid, compared)).state());
  const theirs = await sideAt(tip);
  const nothing = {
    content: { ...now.content, source: new Map(), translations: new Map() },
    markers: new Map(),
  };
  if (base === undefined) return { ours: now, base: nothing, theirs };
  const head = ours.commit.oid;
  const from = await sideAt(base);
  // Pushed commits may have messages that look like Skep's.
  if (!(await revisions.isTrusted(base, { tip: head }))) return { ours: now, base: from, theirs };
  const inOurs = await revisions.moves.between(base, head);
  const inTheirs = await revisions.moves.between(base, tip);
  return { ours: now, base: from, theirs, moves: { inOurs, inTheirs } };
}

/**
 * Refuses a merge that would lose strings: strings that were added since the merge base, while the Hive had another source
 * locale, and that have no text in the present one.
 * @throws SkepError `invalid` that names them.
 */
async function requireSources(
  revisions: RevisionStore,
  now: Snapshot,
  { ours, theirs, base, tip }: Pick<MergeContents, "ours" | "theirs"> & Pick<OtherSide, "base" | "tip">,
): Promise<void> {
  const issues = new Issues();
  const present = now.settings.sourceLocale.code;
  for (const [oid, { content }] of [[now.commit.oid, ours] as const, [tip, theirs] as const]) {
    const own = await revisions.settings(oid);
    if (own === undefined || own.sourceLocale.code === present) continue;
    const sourceAt = async (at: Oid) => (await revisions.snapshotAt(at, "branch", now)).index.source;
    const before = base === undefined ? undefined : await readOther(() => sourceAt(base));
    for (const [file, { texts }] of await readOther(() => sourceAt(oid))) {
      for (const key of texts.keys()) {
        if (content.source.get(file)?.texts.has(key) === true || before?.get(file)?.texts.has(key) === true)
          continue;
        const problem = `has no text in ${present}, the source locale by now; add one to the branch first`;
        issues.add(`${own.sourceLocale.code}: ${file}: ${key}`, problem);
      }
    }
  }
  issues.throwIfAny();
}

function mergeMetadata(
  branch: BranchName,
  { into, onConflict, resolutions = [] }: MergeRequest,
  counts: MergeCounts,
): ChangeMetadata {
  const { created, updated, deleted, moved, confirmed, settled, dropped } = counts;
  const { translationsCreated, translationsUpdated, translationsDeleted } = counts;
  const translated = translationsCreated + translationsUpdated;
  const how = resolutions.length > 0 ? "one by one" : `for ${onConflict}`;
  const what = into === "main" ? `Merge branch ${branch}` : `Update branch ${branch} from main`;
  return {
    subject: subjectWithCounts(
      what,
      {
        created,
        updated,
        deleted,
        moved,
        translated,
        [`${noun(translationsDeleted, "translation")} deleted`]: translationsDeleted,
        confirmed,
        [`${noun(settled, "conflict")} settled ${how}`]: settled,
        dropped,
      },
      "no text changed",
    ),
    operation: into === "main" ? "merge" : "update",
    strategy: onConflict,
    branch: into === "main" ? branch : mainBranch,
    counts: { ...counts },
  };
}

function noun(count: number, word: string): string {
  return count === 1 ? word : `${word}s`;
}

type Deletion = Pick<MergeResult, "branchDeleted" | "notDeleted">;

/**
 * Deletes a branch if it is still at the merged commit. A branch that is gone counts as deleted. Reasons against the deletion
 * are returned and not thrown, because the merge itself has succeeded.
 * @throws unexpected errors.
 */
async function deleteMerged(
  { hives, writer, limits, now }: ContentStorage,
  { slug, branch, at }: { readonly slug: HiveSlug; readonly branch: BranchName; readonly at: Oid },
  { metadata, caller }: WriteContext,
): Promise<Deletion> {
  const isThere = (): boolean => hives.at(slug).branches.ref(branch).find() !== undefined;
  if (!isThere()) return { branchDeleted: true };
  const target = { slug, branch };
  const deleting = writer.changeBranches(
    target,
    { metadata, caller },
    async (branches, lock): Promise<Deletion> => {
      if (hives.at(target).head() !== at)
        return { branchDeleted: false, notDeleted: "It has further commits by now." };
      await branches.delete(branch, at, { now: now(), limit: limits.maxBranches, lock });
      return { branchDeleted: true };
    },
  );
  return unlessFailed(deleting, "any", ({ message }) =>
    isThere() ? { branchDeleted: false, notDeleted: message } : { branchDeleted: true },
  );
}
