/** Imports and syncs source strings, and imports translations. */
import { slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import { clearedCount, subjectWithCounts, type ChangeMetadata } from "../../domain/commits/commit-message.ts";
import type { AmbiguousMove } from "../../domain/moves/detection.ts";
import { type SyncCounts, planSync, type SyncPlan } from "../../domain/plans/sync.ts";
import type { Plan, HiveContent, SourceFiles } from "../../domain/strings/hive-content.ts";
import { targetLocale } from "../../domain/hives/hive-settings.ts";
import { codeOf, type Locale } from "../../domain/hives/locale.ts";
import { withAppNotes, appNotesOf } from "../../domain/notes/note-changes.ts";
import type { ByKey } from "../../domain/notes/note-files.ts";
import type { AppNote } from "../../domain/notes/note.ts";
import type { SourceImport } from "../../domain/plans/source-import.ts";
import {
  planTranslationImport,
  type TranslationCounts,
  type TranslationImport,
  expectedConflict,
} from "../../domain/plans/translation-import.ts";
import type { Texts } from "../../domain/strings/string-file.ts";
import { unknownKeysError, type RejectedKeys } from "../../domain/plans/unknown-keys.ts";
import type { WritePlan, CommitResult, Planner, WriteContext } from "../../store/hives/write-context.ts";
import { staleMarkerWrites } from "./stale.ts";
import type { ContentStorage } from "../storage.ts";
import type { Revision } from "../../domain/commits/revision.ts";
import { invalid } from "../../domain/errors.ts";
import type { Oid } from "../../domain/names.ts";
import { differenceConflict } from "../../domain/plans/difference.ts";
import { excerpt, counted } from "../../domain/text.ts";
import type { Snapshot } from "../../store/content/snapshot.ts";
import type { RevisionStore } from "../../store/history/revision-store.ts";
import { planMoves, type NamedMove } from "../../domain/plans/moves.ts";
import { notesKind } from "../../domain/notes/notes-kind.ts";
import { type ValueWrite, stringValuesChange } from "../../domain/sidecars/sidecar.ts";

export interface SourceImportRequest extends SourceImport, SkippedLeaves {
  /** The state of the Hive from which the files of a sync were made, where that is not its present state. */
  readonly base?: SyncBase;
  /** Whether a sync moves strings that have gone and come again elsewhere; see {@link planSync}. */
  readonly detectMoves?: boolean;
  /** The notes in the app's files. Notes of files that are not named stay as they are. */
  readonly notes?: ByKey<AppNote>;
  /** Whether what is said about strings that the files lack stays. */
  readonly keepsOtherNotes?: boolean;
  /** The notes in the base files of a sync, where its base is files. */
  readonly baseNotes?: ByKey<AppNote>;
}

/** How many values the client has left out of the files. */
interface SkippedLeaves {
  /** How many leaves were no texts; undefined where these are not to be left out. */
  readonly leavesSkipped?: number;
}

/** The moves are counted where they are detected. */
export type SourceImportCounts = SyncCounts & SkippedLeaves;

/** The counts of an import, and the moves that a sync could not decide. */
export interface SourceImportResult extends SourceImportCounts {
  readonly ambiguousMoves?: readonly AmbiguousMove[];
}

export type TranslationImportCounts = TranslationCounts & SkippedLeaves;

/**
 * Imports or syncs source strings as one commit; nothing is written when nothing changes.
 * @throws SkepError `text-conflict` when strings have changed otherwise since the base of a sync; `quota` when the team would
 * have more strings than it may, and more than before; `invalid` when a file's name conflicts with a folder of the Hive, or
 * on `max_deletions`.
 */
export function importSource(
  storage: ContentStorage,
  branch: HiveBranch,
  request: SourceImportRequest,
  context: WriteContext,
): Promise<CommitResult<SourceImportResult>> {
  return storage.writer.commitUnderTeamLock(branch, context, "in-order", async (snapshot) => {
    const { plan, baseNotes } = await planSyncOf(storage.hives.at(branch).revisions, snapshot, request);
    const counts: SourceImportCounts = { ...plan.counts, leavesSkipped: request.leavesSkipped };
    const metadata = sourceMetadata(counts, request, plan);
    const result: SourceImportResult = { ...counts, ambiguousMoves: plan.ambiguous };
    const written = toWritePlan({ ...plan, counts: result }, metadata);
    if (request.notes === undefined) return { ...written, strings: counts, moves: plan.moves };
    const sent = request.notes;
    const from = request.baseNotes ?? baseNotes;
    const isPartial = request.keepsOtherNotes === true || (request.base !== undefined && from === undefined);
    const notes = stringValuesChange(notesKind, (now) =>
      withAppNotes(now, sent, from, { moves: plan.followed, within: isPartial ? request.files : undefined }),
    );
    return { change: { metadata }, ...written, strings: counts, moves: plan.moves, values: [notes] };
  });
}

/** A translation import whose locale was not looked up yet. */
export interface TranslationImportRequest extends Omit<TranslationImport, "locale">, SkippedLeaves {
  readonly locale: string;
  /** The texts that have to be stored before, as {@link expectedConflict} takes them; undefined to check nothing. */
  readonly expected?: ReadonlyMap<string, Texts>;
  readonly isStrict?: boolean;
}

/**
 * Imports translations into one locale as one commit; nothing is written when nothing changes.
 * @throws SkepError `invalid` on `locale` when the Hive does not have it or it is the source locale; `unknown-keys`
 * when keys match no source string and the request is strict; `text-conflict` when translations are not as expected.
 */
export function importTranslations(
  storage: ContentStorage,
  branch: HiveBranch,
  request: TranslationImportRequest,
  context: WriteContext,
): Promise<CommitResult<TranslationImportCounts>> {
  return storage.writer.commit(branch, context, planImportInto(branch, request));
}

/** Plans a translation import; see {@link importTranslations}. */
export function planImportInto(
  branch: HiveBranch,
  request: TranslationImportRequest,
): Planner<TranslationImportCounts> {
  return async (snapshot) => {
    const locale = targetLocale(snapshot.settings, request.locale, slugOf(branch));
    const content = await snapshot.content([locale.code]);
    if (request.expected !== undefined) {
      const conflict = await expectedConflict(content, locale, request.expected);
      if (conflict !== undefined) throw conflict;
    }
    const plan = await planTranslationImport(content, { ...request, locale });
    const { unknown } = plan.counts;
    if (request.isStrict === true && unknown > 0) throw unknownKeysError(await plan.unknown(), unknown);
    const staleMarkers = await staleMarkerWrites(snapshot, content, plan);
    const counts: TranslationImportCounts = { ...plan.counts, leavesSkipped: request.leavesSkipped };
    const metadata = translationMetadata(counts, locale, request);
    const rejectedKeys = async (): Promise<RejectedKeys> => ({
      locale: locale.code,
      unknown: await plan.unknown(),
      skipped: plan.skipped,
    });
    return { ...toWritePlan({ ...plan, counts, staleMarkers }, metadata), rejectedKeys };
  };
}

function toWritePlan<Counts>(
  { counts, writes, staleMarkers, changes }: Plan<Counts> & { readonly staleMarkers: readonly ValueWrite[] },
  metadata: ChangeMetadata,
): WritePlan<Counts> {
  if (writes.length === 0) return { result: counts };
  return { result: counts, change: { metadata, writes, values: staleMarkers }, changes };
}

function sourceMetadata(
  counts: SourceImportCounts,
  { mode, conflictStrategy }: SourceImport,
  { writes, differing }: SyncPlan,
): ChangeMetadata {
  const { created, updated, deleted, translationsCleared, moved } = counts;
  const cleared = translationsCleared > 0 ? `, ${clearedCount(translationsCleared)}` : "";
  const verb = mode === "sync" ? "Sync" : "Import";
  const otherwise =
    writes.length === 0 ? "notes changed" : mode === "sync" ? "order changed" : "shape changed";
  return {
    subject:
      subjectWithCounts(`${verb} source strings`, { moved, created, updated, deleted }, otherwise) + cleared,
    operation: mode,
    strategy: conflictStrategy,
    counts: {
      ...counts,
      deleted: mode === "sync" ? deleted : undefined,
      differing: differing > 0 ? differing : undefined,
    },
  };
}

function translationMetadata(
  counts: TranslationImportCounts,
  locale: Locale,
  { overwriteStrategy }: TranslationImportRequest,
): ChangeMetadata {
  const { created, updated } = counts;
  return {
    subject: subjectWithCounts(
      `Import ${codeOf(locale)} translations`,
      { created, updated },
      "shape changed",
    ),
    operation: "import-translations",
    strategy: overwriteStrategy,
    counts: { ...counts },
  };
}

/**
 * The base of a sync, as the caller gives it: a revision, the app's commit that a commit of the Hive has as its `Ref`, or
 * the content of the files themselves.
 */
export type SyncBase =
  | { readonly revision: Revision }
  | { readonly ref: string }
  | { readonly files: SourceFiles };

/**
 * Plans an import or a sync; see {@link planSync}.
 * @throws SkepError `text-conflict` when strings have changed otherwise since the base; `invalid` on `base` or `base_ref`
 * when there is no such commit; as {@link planSync}.
 */
async function planSyncOf(
  revisions: RevisionStore,
  now: Snapshot,
  { base, detectMoves, ...request }: SourceImportRequest,
): Promise<{ readonly plan: SyncPlan; readonly baseNotes: ByKey<AppNote> | undefined }> {
  const marked = await now.state();
  const { content } = marked;
  const earlier = base && (await findBase(revisions, now, content, base));
  const commit = earlier?.commit;
  const movedSince = commit === undefined ? [] : await revisions.moves.since(commit, now.commit.oid);
  const based = earlier && { content: earlier.content, movedSince };
  const sync = { request, base: based, detectsMoves: detectMoves };
  const { plan, conflicts } = await planSync(marked, sync);
  if (plan === undefined) {
    const problem = "Changed since the base of this sync, so nothing was written";
    throw differenceConflict(conflicts, content.settings, problem, "base_conflict");
  }
  return { plan, baseNotes: earlier?.notes };
}

/** The operations that write source strings as the app has them. */
const sourceModes: ReadonlySet<string | undefined> = new Set<SourceImport["mode"]>(["import", "sync"]);

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
  const { files: notes } = await snapshot.values.notes.readable();
  return { content: await snapshot.content([]), commit, notes: appNotesOf(notes) };
}

async function commitOfRef(revisions: RevisionStore, { commit }: Snapshot, ref: string): Promise<Oid> {
  const all = await revisions.graph.firstParents(commit.oid);
  // Translations that the same run of the app's CI sent later were made on a state that may have strings of others.
  const found = all.findLast((one) => one.ref === ref && sourceModes.has(one.operation));
  if (found === undefined)
    throw invalid("base_ref", `no import or sync of source strings has the Ref "${excerpt(ref)}"`, {
      publicCode: "unknown_revision",
    });
  const { oid, operation, differing } = found;
  if (differing === undefined) return oid;
  // What others had added by then would be deleted, as the app does not have it, and what they had changed would be reset.
  throw invalid(
    "base_ref",
    `after the ${operation} with the Ref "${excerpt(ref)}", the Hive differed from its files in ${counted(differing, "string")}, so what the app had then is not known: send the app's earlier files as base_files`,
  );
}

export interface MoveCounts {
  /** Source strings. */
  readonly moved: number;
  readonly translationsMoved: number;
  /** Translations of plural forms that are lost, because the strings that were moved leave no plural string behind. */
  readonly translationsDeleted: number;
}

/**
 * Moves source strings with their translations and stale markers, as one commit.
 * @throws SkepError `invalid` naming every move that cannot be made; see {@link planMoves}.
 */
export function moveStrings(
  storage: ContentStorage,
  branch: HiveBranch,
  named: readonly NamedMove[],
  context: WriteContext,
): Promise<CommitResult<MoveCounts>> {
  return storage.writer.commit(branch, context, async (snapshot) => {
    const marked = await snapshot.state();
    const moved = await planMoves(marked, named);
    const { moves, writes, staleMarkers, lost: changes } = moved;
    const result: MoveCounts = {
      moved: moves.length,
      translationsMoved: moved.translations,
      translationsDeleted: changes.length,
    };
    if (moves.length === 0) return { result, moves };
    const change = { metadata: moveMetadata(result), writes, values: staleMarkers };
    return { result, change, changes, moves };
  });
}

function moveMetadata(counts: MoveCounts): ChangeMetadata {
  const { moved, translationsMoved, translationsDeleted } = counts;
  const lost = translationsDeleted > 0 ? `, ${counted(translationsDeleted, "translation")} deleted` : "";
  return {
    subject: `Move ${counted(moved, "source string")} with ${counted(translationsMoved, "translation")}${lost}`,
    operation: "move",
    counts: { ...counts },
  };
}
