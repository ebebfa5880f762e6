/** Removing translations by their keys. */
import { slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import { subjectWithCounts, type ChangeMetadata } from "../../domain/commits/commit-message.ts";
import { targetLocale } from "../../domain/hives/hive-settings.ts";
import { codeOf, type Locale } from "../../domain/hives/locale.ts";
import {
  planTranslationRemoval,
  type RemovalCounts,
  type TranslationRemoval,
} from "../../domain/plans/translation-removal.ts";
import { inSlices } from "../../slices.ts";
import type { CommitResult, Planner, WriteContext } from "../write-context.ts";
import { staleMarkerWrites } from "./stale-markers.ts";
import type { Storage } from "../storage.ts";

/** A removal whose locale is still a caller's text. */
export interface TranslationRemovalRequest extends Omit<TranslationRemoval, "locale"> {
  readonly locale: string;
}

/**
 * Removes translations of one locale as one commit; nothing is written when none of them is there.
 * @throws SkepError `invalid` on `locale` when the Hive does not have it or it is the source locale.
 */
export function removeTranslations(
  storage: Storage,
  branch: HiveBranch,
  request: TranslationRemovalRequest,
  context: WriteContext,
): Promise<CommitResult<RemovalCounts>> {
  return storage.writer.commit(branch, context, planRemovalFrom(branch, request));
}

/** Plans a removal of translations; see {@link removeTranslations}. */
export function planRemovalFrom(
  branch: HiveBranch,
  { locale: text, files }: TranslationRemovalRequest,
): Planner<RemovalCounts> {
  return async (snapshot) => {
    const locale = targetLocale(snapshot.settings, text, slugOf(branch));
    const content = await snapshot.content([locale.code]);
    const plan = await inSlices(planTranslationRemoval(content, { locale, files }));
    const { counts, writes } = plan;
    if (writes.length === 0) return { result: counts };
    const staleMarkers = await staleMarkerWrites(snapshot, content, plan);
    return { result: counts, change: { metadata: removalMetadata(counts, locale), writes, staleMarkers } };
  };
}

function removalMetadata({ deleted, skipped, unknown }: RemovalCounts, locale: Locale): ChangeMetadata {
  return {
    subject: subjectWithCounts(`Remove ${codeOf(locale)} translations`, { deleted }, "none"),
    operation: "remove-translations",
    counts: { Deleted: deleted, Skipped: skipped, Unknown: unknown },
  };
}
