/** Removing translations by their keys. */
import { subjectWithCounts, type CommitNote } from "../../domain/commits/commit-message.ts";
import { codeOf, type Locale } from "../../domain/hives/locale.ts";
import {
  planTranslationRemoval,
  type RemovalCounts,
  type TranslationRemoval,
} from "../../domain/plans/translation-removal.ts";
import { inSlices } from "../../slices.ts";
import { reauthoriseHive, type HiveGrant } from "../access.ts";
import type { CallerWords } from "../requester.ts";
import { targetLocale, type CommitResult } from "./imports.ts";
import { followedMarks } from "./marks.ts";
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
  hive: HiveGrant,
  { locale: text, files }: TranslationRemovalRequest,
  words: CallerWords,
): Promise<CommitResult<RemovalCounts>> {
  return storage.hives.change(hive.slug, async (snapshot) => {
    await reauthoriseHive(storage, hive);
    const locale = targetLocale(snapshot.settings, text, hive.slug);
    const content = await snapshot.content([locale.code]);
    const { index } = snapshot;
    const plan = await inSlices(planTranslationRemoval(content, { locale, files }, () => index.bundle()));
    const { counts, changes, writes } = plan;
    if (writes.length === 0) return { result: counts };
    const marks = await followedMarks(snapshot, content, changes);
    const origin = { author: hive.author, token: hive.token, ...words };
    return { result: counts, change: { note: removalNote(counts, locale), origin, writes, marks } };
  });
}

function removalNote({ deleted, skipped, unknown }: RemovalCounts, locale: Locale): CommitNote {
  return {
    subject: subjectWithCounts(`Remove ${codeOf(locale)} translations`, { deleted }, "none"),
    operation: "remove-translations",
    counts: { Deleted: deleted, Skipped: skipped, Unknown: unknown },
  };
}
