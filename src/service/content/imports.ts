/** Imports and syncs of source strings, and imports of translations. */
import { slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import { clearedCount, subjectWithCounts, type ChangeMetadata } from "../../domain/commits/commit-message.ts";
import type { AmbiguousMove } from "../../domain/moves/detection.ts";
import type { SyncCounts } from "../../domain/plans/sync.ts";
import type { FileWrite, Plan } from "../../domain/strings/hive-content.ts";
import { targetLocale } from "../../domain/hives/hive-settings.ts";
import { codeOf, type Locale } from "../../domain/hives/locale.ts";
import { withAppNotes } from "../../domain/notes/note-changes.ts";
import type { ByKey } from "../../domain/notes/note-files.ts";
import type { AppNote, Notes } from "../../domain/notes/note.ts";
import type { SourceImport } from "../../domain/plans/source-import.ts";
import {
  planTranslationImport,
  type TranslationCounts,
  type TranslationImport,
} from "../../domain/plans/translation-import.ts";
import { expectedConflict } from "../../domain/plans/expected.ts";
import type { Texts } from "../../domain/strings/string-file.ts";
import { unknownKeysError, type RejectedKeys } from "../../domain/plans/unknown-keys.ts";
import type { Steps } from "../../domain/steps.ts";
import { inSlices } from "../../slices.ts";
import type { WritePlan } from "../../store/hives/write-plan.ts";
import { commitUnderTeamLock, type CommitResult, type Planner, type WriteContext } from "../write-context.ts";
import { planSyncOf, type SyncBase } from "./sync-plan.ts";
import { staleMarkerWrites } from "./stale-markers.ts";
import type { Storage } from "../storage.ts";

export interface SourceImportRequest extends SourceImport, SkippedLeaves {
  /** The state of the Hive from which the files of a sync were made, where that is not its present state. */
  readonly base?: SyncBase;
  /** Whether a sync moves strings that have gone and come again elsewhere; see {@link planSync}. */
  readonly detectMoves?: boolean;
  /** What the app's files say about strings; those of a file that is not named stay as they are. */
  readonly notes?: ByKey<AppNote>;
  /** What the app's files said when the files of a sync were made, where its base is files. */
  readonly baseNotes?: ByKey<AppNote>;
}

/** What a caller had left out of the files. */
interface SkippedLeaves {
  /** How many leaves were no texts; undefined where these are not to be left out. */
  readonly leavesSkipped?: number;
}

/** The moves are counted where they are detected. */
export type SourceImportCounts = SyncCounts & SkippedLeaves;

/** A sync that detected moves tells what it could not decide. */
export interface SourceImportResult extends SourceImportCounts {
  readonly ambiguousMoves?: readonly AmbiguousMove[];
}

export type TranslationImportCounts = TranslationCounts & SkippedLeaves;

/**
 * Imports or syncs source strings as one commit; nothing is written when nothing changes.
 * @throws SkepError `text-conflict` when strings have changed otherwise since the base of a sync; `quota` when the team would have more strings than it may, and more than before;
 * `invalid` when files cannot lie beside those of the Hive, or on `max_deletions`.
 */
export function importSource(
  storage: Storage,
  branch: HiveBranch,
  request: SourceImportRequest,
  context: WriteContext,
): Promise<CommitResult<SourceImportResult>> {
  return commitUnderTeamLock(storage, branch, context, "in-order", async (snapshot) => {
    const { plan, baseNotes } = await planSyncOf(storage.hives.at(branch).revisions, snapshot, request);
    const counts: SourceImportResult = {
      ...plan.counts,
      leavesSkipped: request.leavesSkipped,
      ambiguousMoves: plan.ambiguous,
    };
    const metadata = sourceMetadata(counts, request, plan.writes.length > 0);
    const written = toWritePlan({ ...plan, counts }, metadata);
    if (request.notes === undefined) return { ...written, strings: counts, moves: plan.moves };
    const sent = request.notes;
    const notes = (now: Notes): Notes => withAppNotes(now, sent, request.baseNotes ?? baseNotes);
    return { change: { metadata }, ...written, strings: counts, moves: plan.moves, notes };
  });
}

/** A translation import whose locale is still a caller's text. */
export interface TranslationImportRequest extends Omit<TranslationImport, "locale">, SkippedLeaves {
  readonly locale: string;
  /** What is to be stored before, as {@link expectedConflict} takes it; nothing is checked where it is missing. */
  readonly expected?: ReadonlyMap<string, Texts>;
  /** Whether every key is to match a source string. */
  readonly isStrict?: boolean;
}

/**
 * Imports translations into one locale as one commit; nothing is written when nothing changes.
 * @throws SkepError `invalid` on `locale` when the Hive does not have it or it is the source locale; `unknown-keys`
 * when keys match no source string and the request is strict; `text-conflict` when translations are not as expected.
 */
export function importTranslations(
  storage: Storage,
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
      const conflict = await inSlices(expectedConflict(content, locale, request.expected));
      if (conflict !== undefined) throw conflict;
    }
    const plan = await inSlices(planTranslationImport(content, { ...request, locale }));
    const { unknown } = plan.counts;
    if (request.isStrict === true && unknown > 0)
      throw unknownKeysError(await inSlices(plan.unknown()), unknown);
    const staleMarkers = await staleMarkerWrites(snapshot, content, plan);
    const counts: TranslationImportCounts = { ...plan.counts, leavesSkipped: request.leavesSkipped };
    const metadata = translationMetadata(counts, locale, request);
    const rejectedKeys = function* (): Steps<RejectedKeys> {
      return { locale: locale.code, unknown: yield* plan.unknown(), skipped: plan.skipped };
    };
    return { ...toWritePlan({ ...plan, counts, staleMarkers }, metadata), rejectedKeys };
  };
}

function toWritePlan<Counts>(
  { counts, writes, staleMarkers, changes }: Plan<Counts> & { readonly staleMarkers: readonly FileWrite[] },
  metadata: ChangeMetadata,
): WritePlan<Counts> {
  if (writes.length === 0) return { result: counts };
  return { result: counts, change: { metadata, writes, staleMarkers }, changes };
}

function sourceMetadata(
  counts: SourceImportCounts,
  { mode, conflictStrategy }: SourceImport,
  hasWrites: boolean,
): ChangeMetadata {
  const { created, updated, unchanged, deleted, translationsCleared, moved, ambiguous } = counts;
  const cleared = translationsCleared > 0 ? `, ${clearedCount(translationsCleared)}` : "";
  const verb = mode === "sync" ? "Sync" : "Import";
  const otherwise = !hasWrites ? "notes changed" : mode === "sync" ? "order changed" : "shape changed";
  return {
    subject:
      subjectWithCounts(`${verb} source strings`, { moved, created, updated, deleted }, otherwise) + cleared,
    operation: mode,
    strategy: conflictStrategy,
    counts: {
      Created: created,
      Updated: updated,
      Unchanged: unchanged,
      "Translations-Cleared": translationsCleared,
      Deleted: mode === "sync" ? deleted : undefined,
      Moved: moved,
      Ambiguous: ambiguous,
      "Leaves-Skipped": counts.leavesSkipped,
    },
  };
}

function translationMetadata(
  { created, updated, skipped, unknown, leavesSkipped }: TranslationImportCounts,
  locale: Locale,
  { overwriteStrategy }: TranslationImportRequest,
): ChangeMetadata {
  return {
    subject: subjectWithCounts(
      `Import ${codeOf(locale)} translations`,
      { created, updated },
      "shape changed",
    ),
    operation: "import-translations",
    strategy: overwriteStrategy,
    counts: {
      Created: created,
      Updated: updated,
      Skipped: skipped,
      Unknown: unknown,
      "Leaves-Skipped": leavesSkipped,
    },
  };
}
