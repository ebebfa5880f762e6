/** Taking back what one commit did, by a new commit. */
import { isDeepStrictEqual } from "node:util";
import { orInvalid } from "../../store/history/revision-store.ts";
import { branchNameOf, slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import { reversed, type StringAddress } from "../../domain/move.ts";
import type { SideMoves } from "../../domain/moves/alignment.ts";
import { subjectWithCounts, type ChangeMetadata } from "../../domain/commits/commit-message.ts";
import { invalid, type SkepError } from "../../domain/errors.ts";
import type { Oid } from "../../domain/names.ts";
import { excerpt } from "../../domain/text.ts";
import { differenceConflict } from "../../domain/plans/difference.ts";
import { beforeOfString, planUndo, type UndoCounts } from "../../domain/plans/undo.ts";
import type { RevisionStore } from "../../store/history/revision-store.ts";
import type { Snapshot } from "../../store/content/snapshot.ts";
import { inSlices } from "../../slices.ts";
import { undoGlossary, type UndoneGlossary } from "../undone-glossary.ts";
import { readMarked, toAcceptances } from "./stale-markers.ts";
import { commitUnderTeamLock, type CommitResult, type WriteContext } from "../write-context.ts";
import { teamOf } from "../owners.ts";
import type { Storage } from "../storage.ts";

export interface UndoRequest {
  /** The commit's name or the beginning of it, as the caller gave it. */
  readonly commit: string;
  /** Whether a change that cannot be taken back makes the undo fail, or stays. */
  readonly onConflict: "fail" | "skip";
  /** Takes back what it changed of this string alone. */
  readonly only?: StringAddress;
}

/**
 * Takes back the changes of keys that one commit made, as one commit; settings stay, but for the syntax that
 * it recorded. The stale markers, accepted findings
 * and notes follow. What a merge changed is its difference to its first parent.
 * @throws SkepError `invalid` on `max_deletions`, or on `commit` when it is not on the branch, is the first, or has nothing to undo;
 * `text-conflict` when a change cannot be taken back and none is to be skipped; `quota` as for an import.
 */
export async function undoCommit(
  storage: Storage,
  branch: HiveBranch,
  { commit, onConflict, only }: UndoRequest,
  context: WriteContext,
): Promise<CommitResult<UndoCounts>> {
  await teamOf(storage, slugOf(branch), context);
  const revisions = storage.hives.at(branch).revisions;
  // The whole history may have to be read for the beginning of a name: not under the locks.
  const oid = await findCommit(storage, branch, commit);
  return commitUnderTeamLock(storage, branch, context, "in-order", async (snapshot) => {
    const { before, after, moves: undone } = await readChange(revisions, snapshot, oid, branch);
    const ours = await readMarked(snapshot);
    const [all, base] = await readOld(() => Promise.all([readMarked(before), readMarked(after)]));
    const theirs = only === undefined ? all : beforeOfString(base, all, only);
    const acceptances = toAcceptances(base, theirs);
    const glossary =
      typeof branch === "string" && only === undefined
        ? await readOld(() => undoGlossary(snapshot, before, after))
        : unchanged;
    const hasMore =
      glossary.isChanged ||
      !isDeepStrictEqual(base.accepted, theirs.accepted) ||
      !isDeepStrictEqual(base.notes, theirs.notes) ||
      !isDeepStrictEqual(base.pictures, theirs.pictures);
    const moved = only === undefined ? undone : { ...undone, inTheirs: [] };
    const plan = await inSlices(planUndo({ ours, base, theirs, moves: moved }, hasMore));
    const { writes, staleMarkers, reviews, changes, moves } = plan;
    const counts = sum(plan.counts, glossary);
    const conflicts = [...plan.conflicts, ...glossary.conflicts];
    const { settings } = ours.content;
    if (conflicts.length > 0 && onConflict === "fail") {
      const problem = "Changed since that commit, so nothing was undone";
      throw differenceConflict(conflicts, settings, problem, "undo_conflict");
    }
    if (writes.length + staleMarkers.length === 0 && reviews.isEmpty && !hasMore) return { result: counts };
    // The syntax that the commit recorded with its files goes with them, unless somebody has changed it since.
    const checks = typeof branch === "string" ? theirs.content.settings.checks : settings.checks;
    const isAsLeft = isDeepStrictEqual(base.content.settings.checks, settings.checks);
    const isRestored = isAsLeft && !isDeepStrictEqual(checks, settings.checks);
    const strings = { created: 0, updated: 0, deleted: 0, cleared: 0 };
    for (const { locale, change } of changes) if (locale === settings.sourceLocale.code) strings[change]++;
    const whole = undoMetadata(oid, counts, onConflict, writes.length > 0);
    // The commit itself is not undone then.
    const part = { subject: `Undo ${oid.slice(0, 10)} for one string`, undoes: undefined };
    const metadata = only === undefined ? whole : { ...whole, ...part };
    return {
      result: counts,
      change: {
        metadata,
        writes,
        staleMarkers,
        texts: glossary.isChanged ? glossary.texts : undefined,
        settings: isRestored ? { ...settings, checks } : undefined,
      },
      strings,
      changes,
      moves,
      acceptances,
      notes: () => plan.notes,
      reviews,
      pictures: { change: () => plan.pictures },
    };
  });
}

const unchanged: UndoneGlossary = {
  isChanged: false,
  texts: new Map(),
  counts: { restored: 0, updated: 0, deleted: 0 },
  conflicts: [],
};

function sum(strings: UndoCounts, { counts, conflicts }: UndoneGlossary): UndoCounts {
  return {
    ...strings,
    restored: strings.restored + counts.restored,
    updated: strings.updated + counts.updated,
    deleted: strings.deleted + counts.deleted,
    skipped: strings.skipped + conflicts.length,
  };
}

function notOn(branch: string, commit: string): SkepError {
  return invalid("commit", `${commit} is not a commit of this Hive's branch ${branch}`, {
    publicCode: "unknown_revision",
  });
}

async function findCommit({ hives }: Storage, branch: HiveBranch, text: string): Promise<Oid> {
  const name = text.toLowerCase();
  if (!/^[0-9a-f]{7,40}$/.test(name)) {
    throw invalid("commit", `"${excerpt(text)}" is not a commit: 7 to 40 hexadecimal digits`);
  }
  const reachable = await hives.at(branch).revisions.graph.reachable([hives.at(branch).head()], "all");
  const [found, other] = reachable.startingWith(name);
  if (found === undefined) throw notOn(branchNameOf(branch), name);
  if (other !== undefined)
    throw invalid("commit", `${name} is the beginning of several commits; give more digits`);
  return found.oid;
}

/** A commit to be undone: the Hive before and after it, its moves, and those since. */
interface CommitChange {
  readonly before: Snapshot;
  readonly after: Snapshot;
  /** From the Hive after it to the present, and back to the Hive before it. */
  readonly moves: SideMoves;
}

/** What is wrong with the content of another commit is no fault of the Hive's present content. */
const readOld = <T>(read: () => Promise<T>): Promise<T> => orInvalid("commit", read, "cannot be undone: ");

/** What a commit changed that the branch still reaches; of a merge, before it is its first parent. */
async function readChange(
  revisions: RevisionStore,
  now: Snapshot,
  oid: Oid,
  branch: HiveBranch,
): Promise<CommitChange> {
  const [commit] = (await revisions.graph.reachable([now.commit.oid], "all")).startingWith(oid);
  if (commit === undefined) throw notOn(branchNameOf(branch), oid);
  const [parent] = commit.parents;
  if (parent === undefined) throw invalid("commit", `${oid} is the first commit: there is nothing before it`);
  const isTrusted = await revisions.isTrusted(oid, { tip: now.commit.oid });
  return {
    before: await revisions.snapshotAt(parent, "commit", now),
    after: await revisions.snapshotAt(oid, "commit", now),
    moves: {
      inOurs: await revisions.moves.since(oid, now.commit.oid),
      inTheirs: isTrusted ? reversed(await revisions.moves.of(commit)) : [],
    },
  };
}

function undoMetadata(
  oid: Oid,
  counts: UndoCounts,
  strategy: UndoRequest["onConflict"],
  hasWrites: boolean,
): ChangeMetadata {
  const { restored, updated, deleted, skipped, moved = 0, confirmations = 0, approvals = 0 } = counts;
  return {
    subject: subjectWithCounts(
      `Undo ${oid.slice(0, 10)}`,
      {
        moved,
        restored,
        updated,
        deleted,
        skipped,
        "confirmations taken back": confirmations,
        "approvals taken back": approvals,
      },
      hasWrites ? "order changed" : "no text changed",
    ),
    operation: "undo",
    strategy,
    undoes: oid,
    counts: {
      Restored: restored,
      Updated: updated,
      Deleted: deleted,
      Skipped: skipped,
      Moved: counts.moved,
      Confirmations: counts.confirmations,
      Approvals: counts.approvals,
    },
  };
}
