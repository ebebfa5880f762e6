/** Taking back what one commit did, by a new commit. */
import { subjectWithCounts, type CommitNote, type Origin } from "../../domain/commits/commit-message.ts";
import { checkDeletions } from "../../domain/plans/deletions.ts";
import { invalid, isFailure } from "../../domain/errors.ts";
import type { HiveSlug, Oid, TeamName } from "../../domain/names.ts";
import { checkQuota } from "../../domain/plans/quota.ts";
import { excerpt } from "../../domain/text.ts";
import { madeForBefore, planUndo, undoConflict, type UndoCounts } from "../../domain/plans/undo.ts";
import type { HeldLock } from "../../disk/locks/lock-file.ts";
import type { CommitResult, WritePlan } from "../../store/hives/write-plan.ts";
import type { RevisionStore } from "../../store/history/revision-store.ts";
import type { Snapshot } from "../../store/content/snapshot.ts";
import { inSlices } from "../../slices.ts";
import { reauthoriseHive, type HiveGrant } from "../access.ts";
import { ownerOf, requireOwner } from "../owners.ts";
import type { CallerWords } from "../requester.ts";
import { countElsewhere } from "./imports.ts";
import { followedMarks } from "./marks.ts";
import type { Storage } from "../storage.ts";

export interface UndoRequest {
  /** The commit's name or the beginning of it, as the caller gave it. */
  readonly commit: string;
  /** Whether a change that cannot be taken back makes the undo fail, or stays. */
  readonly onConflict: "fail" | "skip";
  /** How many source strings may go again; the Hive's own limit if it is not given. */
  readonly maxDeletions?: number | undefined;
}

/** Whose Hive it is, who asks, and whether they still may. */
interface Undoer {
  readonly slug: HiveSlug;
  readonly team: TeamName;
  readonly origin: Origin;
  readonly confirm: () => Promise<unknown>;
}

/**
 * Takes back the changes of keys that one commit made, as one commit; settings stay. Stale marks follow.
 * @throws SkepError `invalid` on `max_deletions`, or on `commit` when it is not on main, has not one parent, or has nothing to undo;
 * `undo-conflict` when a change cannot be taken back and none is to be skipped; `quota` as for an import.
 */
export function undoCommit(
  storage: Storage,
  hive: HiveGrant,
  request: UndoRequest,
  words: CallerWords,
): Promise<CommitResult<UndoCounts>> {
  const { slug, team, author, token } = hive;
  const confirm = (): Promise<void> => reauthoriseHive(storage, hive);
  return undo(storage, { slug, team, origin: { author, token, ...words }, confirm }, request);
}

/** The same by a command. @throws as {@link undoCommit}; SkepError `not-found` when no team has the Hive. */
export async function undoByCommand(
  storage: Storage,
  slug: HiveSlug,
  request: UndoRequest,
  origin: Origin,
): Promise<UndoCounts> {
  const { name: team } = await ownerOf(storage, slug);
  const { result } = await undo(
    storage,
    { slug, team, origin, confirm: () => requireOwner(storage, team, slug) },
    // A command is run by hand, and can be undone.
    { ...request, maxDeletions: Infinity },
  );
  return result;
}

async function undo(
  storage: Storage,
  undoer: Undoer,
  { commit, onConflict, maxDeletions }: UndoRequest,
): Promise<CommitResult<UndoCounts>> {
  const { hives, lockTeam, registry } = storage;
  const revisions = hives.revisions(undoer.slug);
  // The whole history may have to be read for the beginning of a name: not under the locks.
  const oid = await findCommit(revisions, commit);
  const run = async (teamLock: HeldLock): Promise<CommitResult<UndoCounts>> => {
    const team = await registry.team(undoer.team);
    const elsewhere = team?.maxStrings === undefined ? 0 : await countElsewhere(storage, undoer, team.hives);
    const plan = async (snapshot: Snapshot): Promise<WritePlan<UndoCounts>> => {
      await undoer.confirm();
      const { before, after } = await readChange(revisions, snapshot, oid);
      const now = await snapshot.content("all");
      const [old, left] = await orRefused(() => Promise.all([before.content("all"), after.content("all")]));
      const { counts, writes, changes, conflicts } = await inSlices(
        planUndo({ now, before: old, after: left }),
      );
      if (conflicts.length > 0 && onConflict === "fail") throw undoConflict(conflicts, now.settings);
      if (writes.length === 0) return { result: counts };
      const formerMarks = await orRefused(() => before.marks.read([...old.translations.keys()]));
      const marks = await followedMarks(snapshot, now, changes, madeForBefore(old, formerMarks));
      const source = changes.filter(({ locale }) => locale === now.settings.sourceLocale.code);
      const created = source.filter(({ change }) => change === "created").length;
      const deleted = source.filter(({ change }) => change === "deleted").length;
      checkDeletions(deleted, maxDeletions ?? now.settings.maxDeletions);
      const strings = snapshot.index.stringCount;
      const numbers = { before: strings, after: strings + created - deleted };
      checkQuota({ maxStrings: team?.maxStrings, elsewhere, ...numbers });
      return {
        result: counts,
        change: { note: undoNote(oid, counts, onConflict), origin: undoer.origin, writes, marks },
        changes,
      };
    };
    return hives.change(undoer.slug, plan, [teamLock]);
  };
  return lockTeam(undoer.team, run, "in-order");
}

const notOnMain = "is not a commit of this Hive's branch main";

async function findCommit(revisions: RevisionStore, text: string): Promise<Oid> {
  const name = text.toLowerCase();
  if (!/^[0-9a-f]{7,40}$/.test(name)) {
    throw invalid("commit", `"${excerpt(text)}" is not a commit: 7 to 40 hexadecimal digits`);
  }
  const [found, other] = await revisions.find(revisions.head(), name);
  if (found === undefined) throw invalid("commit", `${name} ${notOnMain}`);
  if (other !== undefined)
    throw invalid("commit", `${name} is the beginning of several commits; give more digits`);
  return found.oid;
}

/** The Hive before and after a commit that is on main still. */
async function readChange(
  revisions: RevisionStore,
  now: Snapshot,
  oid: Oid,
): Promise<{ readonly before: Snapshot; readonly after: Snapshot }> {
  const [commit] = await revisions.find(now.commit.oid, oid);
  if (commit === undefined) throw invalid("commit", `${oid} ${notOnMain}`);
  const [parent, ...others] = commit.parents;
  if (parent === undefined) throw invalid("commit", `${oid} is the first commit: there is nothing before it`);
  if (others.length > 0)
    throw invalid("commit", `${oid} is a merge; undo the commits that it brought together`);
  return {
    before: await revisions.snapshotAt(parent, "commit", now),
    after: await revisions.snapshotAt(oid, "commit", now),
  };
}

/** What is wrong with the content of an earlier commit is no fault of the Hive's present content. */
async function orRefused<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!isFailure(error, "content-invalid")) throw error;
    throw invalid("commit", `cannot be undone: ${error.message}`, { cause: error });
  }
}

function undoNote(oid: Oid, counts: UndoCounts, strategy: UndoRequest["onConflict"]): CommitNote {
  const { restored, updated, deleted, skipped } = counts;
  return {
    subject: subjectWithCounts(
      `Undo ${oid.slice(0, 10)}`,
      { restored, updated, deleted, skipped },
      "order changed",
    ),
    operation: "undo",
    strategy,
    undoes: oid,
    counts: { Restored: restored, Updated: updated, Deleted: deleted, Skipped: skipped },
  };
}
