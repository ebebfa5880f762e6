/** Plans imports and syncs of source strings, whatever a sync is based on. */
import type { Revision } from "../../domain/commits/revision.ts";
import { invalid, type SkepError } from "../../domain/errors.ts";
import type { Oid } from "../../domain/names.ts";
import { appNotesOf } from "../../domain/notes/note-changes.ts";
import type { ByKey } from "../../domain/notes/note-files.ts";
import type { AppNote } from "../../domain/notes/note.ts";
import { differenceConflict } from "../../domain/plans/difference.ts";
import { planSync, type SyncPlan } from "../../domain/plans/sync.ts";
import type { SourceImport } from "../../domain/plans/source-import.ts";
import type { HiveContent, KeyChange, SourceFiles } from "../../domain/strings/hive-content.ts";
import { excerpt } from "../../domain/text.ts";
import { inSlices } from "../../slices.ts";
import { readMarked } from "./stale-markers.ts";
import type { Snapshot } from "../../store/content/snapshot.ts";
import type { RevisionStore } from "../../store/history/revision-store.ts";

/**
 * The base of a sync, as the caller gives it: a revision, the app's commit that a commit of the Hive has as its `Ref`, or
 * the content of the files themselves.
 */
export type SyncBase =
  | { readonly revision: Revision }
  | { readonly ref: string }
  | { readonly files: SourceFiles };

interface SyncRequest extends SourceImport {
  readonly base?: SyncBase;
  readonly detectMoves?: boolean;
}

/**
 * Plans an import or a sync; see {@link planSync}.
 * @throws SkepError `text-conflict` when strings have changed otherwise since the base; `invalid` on `base` or `base_ref`
 * when there is no such commit; what {@link planSync} throws.
 */
export async function planSyncOf(
  revisions: RevisionStore,
  now: Snapshot,
  { base, detectMoves, ...request }: SyncRequest,
): Promise<{ readonly plan: SyncPlan; readonly baseNotes: ByKey<AppNote> | undefined }> {
  const marked = await readMarked(now);
  const { content } = marked;
  const earlier = base && (await findBase(revisions, now, content, base));
  const commit = detectMoves === true ? earlier?.commit : undefined;
  const movedSince = commit === undefined ? [] : await revisions.moves.since(commit, now.commit.oid);
  const based = earlier && { content: earlier.content, movedSince };
  const sync = { request, base: based, detectsMoves: detectMoves };
  const { plan, conflicts } = await inSlices(planSync(marked, sync));
  if (plan === undefined) throw baseConflict(conflicts, content);
  return { plan, baseNotes: earlier?.notes };
}

function baseConflict(conflicts: readonly KeyChange[], { settings }: HiveContent): SkepError {
  const problem = "Changed since the base of this sync, so nothing was written";
  return differenceConflict(conflicts, settings, problem, "base_conflict");
}

/** The content that a base names, and its commit if it is one. */
async function findBase(
  revisions: RevisionStore,
  now: Snapshot,
  content: HiveContent,
  base: SyncBase,
): Promise<{ readonly content: HiveContent; readonly commit?: Oid; readonly notes?: ByKey<AppNote> }> {
  if ("files" in base) return { content: { ...content, source: base.files } };
  const field = "ref" in base ? "base_ref" : "base";
  const commit =
    "ref" in base
      ? await commitOfRef(revisions, now, base.ref)
      : (await revisions.resolve(base.revision, field, { tip: now.commit.oid })).commit;
  const snapshot = await revisions.snapshotAt(commit, field, now);
  const { notes } = await snapshot.notes.readable();
  return { content: await snapshot.content([]), commit, notes: appNotesOf(notes) };
}

async function commitOfRef(revisions: RevisionStore, { commit }: Snapshot, ref: string): Promise<Oid> {
  const found = (await revisions.graph.firstParents(commit.oid)).findLast((one) => one.ref === ref);
  if (found !== undefined) return found.oid;
  throw invalid("base_ref", `no commit of this Hive has the Ref "${excerpt(ref)}"`, {
    publicCode: "unknown_revision",
  });
}
