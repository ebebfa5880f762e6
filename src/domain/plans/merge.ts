/** Merges by key: what one side of a Hive's history changed since a common base is applied to the other. */
import { invalid } from "../errors.ts";
import type { FileWrite, KeyChange, Plan } from "../strings/hive-content.ts";
import { updateStaleMarkers } from "../strings/stale.ts";
import { fileProblem } from "../strings/string-file.ts";
import type { Steps } from "../steps.ts";
import { translationWrites } from "./difference-files.ts";
import { mergeSource, type MergeConflict, type MergedSource, type Side } from "./merge-source.ts";
import { mergeTranslations, type MergeContents, type MergedTranslations } from "./merge-translations.ts";

/** What changes on our side: source strings, translations, and what is not taken. */
export interface MergeCounts {
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
  readonly translationsCreated: number;
  readonly translationsUpdated: number;
  /** Also those that go with their source strings. */
  readonly translationsDeleted: number;
  /** Translations that the other side confirmed. */
  readonly confirmed: number;
  /** Conflicts that were settled for one side. */
  readonly settled: number;
  /** Translations of the other side that have no locale or no source string any more. */
  readonly dropped: number;
}

export interface MergePlan extends Plan<MergeCounts> {
  readonly staleMarkers: readonly FileWrite[];
  /** The keys that both sides changed, differently; settled where there is a winner. */
  readonly conflicts: readonly MergeConflict[];
}

/** What a merge changes on our side, before the files are made. */
export interface MergedKeys {
  readonly source: MergedSource;
  readonly translations: MergedTranslations;
  /** The keys that both sides changed, differently. */
  readonly conflicts: readonly MergeConflict[];
}

/**
 * Merges key by key: the change of either side is taken; the same change on both sides is nothing; different ones are a
 * conflict.
 * @param winner the side whose changes are taken in conflicts; undefined as for ours.
 * @throws SkepError `invalid` on `branch` when the source locale of one content is another.
 */
export function* mergeKeys(contents: MergeContents, winner: Side | undefined): Steps<MergedKeys> {
  const [now, from, to] = [contents.ours.content, contents.base.content, contents.theirs.content];
  if ([from, to].some(({ settings }) => settings.sourceLocale.code !== now.settings.sourceLocale.code)) {
    throw invalid("branch", "cannot be merged: it is from when the Hive had another source locale");
  }
  const source = yield* mergeSource({ now, from, to }, winner);
  const translations = yield* mergeTranslations(contents, source, winner);
  return { source, translations, conflicts: [...source.conflicts, ...translations.conflicts] };
}

/**
 * Plans a merge of the other side into ours; see {@link mergeKeys}. Files keep our order and shape, and new keys stand
 * where the other side has them; a file that only the other side changed becomes as it is there. Translations whose source
 * text changes by the merge become stale, unless they were made for it.
 * @param winner without one, a plan with conflicts is not to be carried out.
 * @throws SkepError `invalid` on `branch` as `mergeKeys` does, and when a file would hold more than a file may.
 */
export function* planMerge(contents: MergeContents, winner: Side | undefined): Steps<MergePlan> {
  const { content: now, markers } = contents.ours;
  const { source, translations, conflicts } = yield* mergeKeys(contents, winner);
  const locale = now.settings.sourceLocale.code;
  for (const [file, content] of source.files) {
    const problem = content && fileProblem(content);
    if (problem !== undefined) throw invalid("branch", `cannot be merged: ${file} ${problem}`);
  }
  const writes = [
    ...Array.from(source.files, ([file, content]): FileWrite => ({ locale, file, content })),
    ...(yield* translationWrites(now, source.files, translations.changes)),
  ];
  const changes = [...source.changes, ...translations.changes];
  const followed = { changes: [...changes, ...translations.confirmed], writes };
  return {
    counts: {
      created: countOf(source.changes, "created"),
      updated: countOf(source.changes, "updated"),
      deleted: countOf(source.changes, "deleted"),
      translationsCreated: countOf(translations.changes, "created"),
      translationsUpdated: countOf(translations.changes, "updated"),
      translationsDeleted: countOf(translations.changes, "deleted", "cleared"),
      confirmed: translations.confirmed.length,
      settled: winner === undefined ? 0 : conflicts.length,
      dropped: translations.dropped,
    },
    writes,
    staleMarkers: yield* updateStaleMarkers(now, markers, followed, translations.madeFor),
    changes,
    conflicts,
  };
}

function countOf(changes: readonly KeyChange[], ...kinds: readonly KeyChange["change"][]): number {
  return changes.filter(({ change }) => kinds.includes(change)).length;
}
