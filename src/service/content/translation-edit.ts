/** Brings back an earlier state of one translation, if it is still as the user saw it, and removes translations. */
import { slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import { invalid } from "../../domain/errors.ts";
import { targetLocale } from "../../domain/hives/hive-settings.ts";
import { codeOf, type Locale } from "../../domain/hives/locale.ts";
import type { AddressMap } from "../../domain/move.ts";
import { isFileName } from "../../domain/names.ts";
import { toRevision } from "../../domain/commits/revision.ts";
import { differenceConflict } from "../../domain/plans/difference.ts";
import { translationAt } from "../../domain/strings/content-diff.ts";
import type { ShownChange } from "../../domain/strings/text-diff.ts";
import { translatableTexts } from "../../domain/strings/string-file.ts";
import { plainForm, type Seen, type SeenTexts } from "../../domain/work/work.ts";
import type { Snapshot } from "../../store/content/snapshot.ts";
import { orInvalid } from "../../store/history/revision-store.ts";
import type { Planner, WriteContext, CommitResult } from "../../store/hives/write-context.ts";
import { planImportInto } from "./imports.ts";
import { staleMarkerWrites } from "./stale.ts";
import type { ContentStorage, StorageBase } from "../storage.ts";
import { subjectWithCounts, type ChangeMetadata } from "../../domain/commits/commit-message.ts";
import {
  planTranslationRemoval,
  type RemovalCounts,
  type TranslationRemoval,
} from "../../domain/plans/translation-removal.ts";

export interface Restored {
  /** A code as the caller gave it. */
  readonly locale: string;
  readonly file: string;
  readonly key: string;
  /** The earlier commit, and the address that the string had there. */
  readonly earlier: { readonly commit: string; readonly file: string; readonly key: string };
  /** What the person saw of the text, which {@link seenText} makes a plain one of. */
  readonly seen: Seen;
}

/**
 * A text and its translation as {@link restoreTranslation} asks whether they were seen: one form, also where it is one
 * of a plural.
 */
export function seenText(source: string, translation: string | undefined): SeenTexts {
  return { source: { [plainForm]: source }, translation: { [plainForm]: translation ?? null } };
}

/**
 * Brings back a translation as it was at an earlier commit, as one commit, if the source text and the translation are still as
 * seen. A text that is stored already needs no commit, whatever was seen.
 * @returns whether there is a commit.
 * @throws SkepError `text-conflict` when they are not as seen; `unknown-keys` when there is no such string; `invalid` on
 * `locale`, on `commit` for one without the text.
 */
export async function restoreTranslation(
  storage: ContentStorage,
  branch: HiveBranch,
  edit: Restored,
  context: WriteContext,
): Promise<CommitResult<boolean>> {
  return storage.writer.commit<boolean>(branch, context, async (snapshot) => {
    const { source, translation } = await presentTexts(branch, snapshot, edit);
    const text = await earlierText(storage, branch, edit);
    if (text === translation) return { result: false };
    const { isSource, isTranslation } = edit.seen;
    const isSeen =
      source !== undefined && isSource(plainForm, source) && isTranslation(plainForm, translation);
    if (!isSeen) throw seenConflict(branch, snapshot, edit);
    const { locale, file, key } = edit;
    const plan = planImportInto(branch, {
      locale,
      files: new Map([[file, new Map([[key, text]])]]),
      overwriteStrategy: "overwrite",
      isStrict: true,
    });
    const planned = await plan(snapshot);
    return { ...planned, result: planned.change !== undefined };
  });
}

/** A present text that is still as a commit wrote it. */
export interface LeftText {
  readonly locale: Locale;
  /** Undefined for a source text. */
  readonly source: string | undefined;
}

/**
 * Finds the changes of a commit whose texts are still as the commit wrote them, so that each can be undone by itself.
 * @param moved the places from and to which it moved strings: these are undone with the whole commit alone.
 * @returns undefined for each other change.
 * @throws SkepError `content-invalid` when the Hive cannot be read.
 */
export async function leftTexts(
  { hives }: StorageBase,
  branch: HiveBranch,
  changes: readonly ShownChange[],
  moved: AddressMap<true>,
): Promise<readonly (LeftText | undefined)[]> {
  const snapshot = await hives.at(branch).snapshot();
  const { sourceLocale, targetLocales } = snapshot.settings;
  const known = [sourceLocale, ...targetLocales];
  const locales = changes.map(({ locale }) => known.find((one) => codeOf(one) === locale));
  const hive = await snapshot.content([...new Set(locales.flatMap((locale) => locale?.code ?? []))]);
  return changes.map(({ file, key, after }, i) => {
    const locale = locales[i];
    if (locale === undefined || !isFileName(file) || moved.has({ file, key })) return undefined;
    const strings = hive.source.get(file);
    const isSource = locale === sourceLocale;
    const text = isSource ? strings?.texts.get(key) : translationAt(hive, locale.code, file, key);
    const source = isSource ? undefined : translatableTexts(strings).get(key);
    return (source === undefined && !isSource) || text !== after ? undefined : { locale, source };
  });
}

async function presentTexts(
  branch: HiveBranch,
  snapshot: Snapshot,
  { locale: text, file, key }: Restored,
): Promise<{ readonly source?: string | undefined; readonly translation?: string | undefined }> {
  const { code } = targetLocale(snapshot.settings, text, slugOf(branch));
  const hive = await snapshot.content([code]);
  if (!isFileName(file)) return {};
  const source = translatableTexts(hive.source.get(file)).get(key);
  return { source, translation: translationAt(hive, code, file, key) };
}

async function earlierText(
  { hives }: StorageBase,
  branch: HiveBranch,
  { earlier: { commit: at, file, key }, locale }: Restored,
): Promise<string> {
  const hive = hives.at(branch);
  const { code } = targetLocale((await hive.snapshot()).settings, locale, slugOf(branch));
  const { commit } = await hive.revisions.resolve(toRevision(at, "commit"), "commit", { tip: hive.head() });
  const then = await orInvalid("commit", async () => (await hive.snapshotForDiff(commit)).content([code]));
  const text = isFileName(file) ? then.translations.get(code)?.get(file)?.get(key) : undefined;
  if (text === undefined) throw invalid("commit", "has no such text");
  return text;
}

/** The error for a change of texts that are not as the person saw them. */
export function seenConflict(
  branch: HiveBranch,
  { settings }: Snapshot,
  { locale, file, key }: Pick<Restored, "locale" | "file" | "key">,
): Error {
  const { code } = targetLocale(settings, locale, slugOf(branch));
  const problem = "Changed since you saw it, so nothing was written";
  return differenceConflict([{ locale: code, file, key }], settings, problem, "expected_conflict");
}

export interface TranslationRemovalRequest extends Omit<TranslationRemoval, "locale"> {
  readonly locale: string;
}

/**
 * Removes translations of one locale as one commit; nothing is written when none of them exists.
 * @throws SkepError `invalid` on `locale` when the Hive does not have it or it is the source locale.
 */
export function removeTranslations(
  storage: ContentStorage,
  branch: HiveBranch,
  request: TranslationRemovalRequest,
  context: WriteContext,
): Promise<CommitResult<RemovalCounts>> {
  return storage.writer.commit(branch, context, planRemovalFrom(branch, request));
}

/** Plans a removal of translations; see {@link removeTranslations}. */
function planRemovalFrom(
  branch: HiveBranch,
  { locale: text, files }: TranslationRemovalRequest,
): Planner<RemovalCounts> {
  return async (snapshot) => {
    const locale = targetLocale(snapshot.settings, text, slugOf(branch));
    const content = await snapshot.content([locale.code]);
    const plan = await planTranslationRemoval(content, { locale, files });
    const { counts, writes } = plan;
    if (writes.length === 0) return { result: counts };
    const staleMarkers = await staleMarkerWrites(snapshot, content, plan);
    return {
      result: counts,
      change: { metadata: removalMetadata(counts, locale), writes, values: staleMarkers },
    };
  };
}

function removalMetadata({ deleted, skipped, unknown }: RemovalCounts, locale: Locale): ChangeMetadata {
  return {
    subject: subjectWithCounts(`Remove ${codeOf(locale)} translations`, { deleted }, "none"),
    operation: "remove-translations",
    counts: { deleted, skipped, unknown },
  };
}
