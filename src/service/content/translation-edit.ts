/** Writes, confirms or removes one translation, if it is still as the user saw it. */
import { hash } from "node:crypto";
import { slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import { invalid } from "../../domain/errors.ts";
import { targetLocale } from "../../domain/hives/hive-settings.ts";
import { codeOf, type Locale } from "../../domain/hives/locale.ts";
import { isFileName } from "../../domain/names.ts";
import { textProblem } from "../../domain/text.ts";
import { toRevision } from "../../domain/commits/revision.ts";
import { differenceConflict } from "../../domain/plans/difference.ts";
import { translationAt } from "../../domain/strings/content-diff.ts";
import type { ShownChange } from "../../domain/strings/text-diff.ts";
import { translationInto, type Translation } from "../../domain/queries/string-search.ts";
import { translatableTexts } from "../../domain/strings/string-file.ts";
import type { Snapshot } from "../../store/content/snapshot.ts";
import { orInvalid } from "../../store/history/revision-store.ts";
import type { Planner, WriteContext, CommitResult } from "../../store/hives/write-context.ts";
import { planImportInto } from "./imports.ts";
import { planConfirmationIn, staleMarkerWrites } from "./stale.ts";
import type { Storage } from "../storage.ts";
import { subjectWithCounts, type ChangeMetadata } from "../../domain/commits/commit-message.ts";
import {
  planTranslationRemoval,
  type RemovalCounts,
  type TranslationRemoval,
} from "../../domain/plans/translation-removal.ts";

export interface TranslationEdit {
  /** A code as the caller gave it. */
  readonly locale: string;
  readonly file: string;
  readonly key: string;
  /**
   * Writes a new text; restores the text of an earlier commit, at which the string may have had another address; confirms
   * that the present text is right for the present source text; or removes the translation.
   */
  readonly change:
    | { readonly kind: "write"; readonly text: string }
    | { readonly kind: "restore"; readonly commit: string; readonly file: string; readonly key: string }
    | { readonly kind: "confirm" }
    | { readonly kind: "remove" };
  /** The texts that the person saw, as {@link editToken} gives them. */
  readonly seen: string;
}

export interface EditResult {
  /** Whether there is a commit. There is none if the stored text is the one that was sent. */
  readonly isChanged: boolean;
  readonly wasStale: boolean;
}

/** A hash of a source text and a translation for a form: as form fields, the texts would lose their line ends. */
export function editToken(source: string, translation: string | undefined): string {
  return hash("sha256", JSON.stringify([source, translation ?? ""]), "base64url");
}

/**
 * Makes a change of one translation as one commit, if the source text and the translation are still as seen. A text that is
 * stored already needs no commit, whatever was seen. A text gets the line ends of the present translation, or else of the
 * source text, because browsers send all line ends alike.
 * @throws SkepError `text-conflict` when they are not as seen; `unknown-keys` when there is no such string; `invalid` on
 * `locale`, on `text` for one that is empty or cannot be stored, on `commit` for one without the text.
 */
export async function editTranslation(
  storage: Storage,
  branch: HiveBranch,
  edit: TranslationEdit,
  context: WriteContext,
): Promise<CommitResult<EditResult>> {
  return storage.writer.commit<EditResult>(branch, context, async (snapshot) => {
    const { source, translation } = await presentTexts(branch, snapshot, edit);
    const wasStale = translation?.state === "stale";
    const text = await newText(storage, branch, edit, [translation?.text, source]);
    if (text !== undefined && text === translation?.text) return { result: { isChanged: false, wasStale } };
    if (source === undefined || editToken(source, translation?.text) !== edit.seen)
      throw seenConflict(branch, snapshot, edit);
    const planned = await planOf(branch, edit, text)(snapshot);
    return { ...planned, result: { isChanged: planned.change !== undefined, wasStale } };
  });
}

/** A present text that is still as a commit wrote it. */
export interface LeftText {
  readonly locale: Locale;
  /** Undefined for a source text. */
  readonly source: string | undefined;
  readonly text: string | undefined;
}

/**
 * Finds the changes of a commit whose texts are still as the commit wrote them, so that each can be undone by itself.
 * @returns undefined for each other change.
 * @throws SkepError `content-invalid` when the Hive cannot be read.
 */
export async function leftTexts(
  { hives }: Storage,
  branch: HiveBranch,
  changes: readonly ShownChange[],
): Promise<readonly (LeftText | undefined)[]> {
  const snapshot = await hives.at(branch).snapshot();
  const { sourceLocale, targetLocales } = snapshot.settings;
  const known = [sourceLocale, ...targetLocales];
  const locales = changes.map(({ locale }) => known.find((one) => codeOf(one) === locale));
  const hive = await snapshot.content([...new Set(locales.flatMap((locale) => locale?.code ?? []))]);
  return changes.map(({ file, key, after }, i) => {
    const locale = locales[i];
    if (locale === undefined || !isFileName(file)) return undefined;
    const strings = hive.source.get(file);
    const isSource = locale === sourceLocale;
    const text = isSource ? strings?.texts.get(key) : translationAt(hive, locale.code, file, key);
    const source = isSource ? undefined : translatableTexts(strings).get(key);
    return (source === undefined && !isSource) || text !== after ? undefined : { locale, source, text };
  });
}

async function presentTexts(
  branch: HiveBranch,
  snapshot: Snapshot,
  { locale: text, file, key }: TranslationEdit,
): Promise<{ readonly source?: string | undefined; readonly translation?: Translation }> {
  const { code } = targetLocale(snapshot.settings, text, slugOf(branch));
  const [hive, markers] = await Promise.all([snapshot.content([code]), snapshot.values.stale.read([code])]);
  if (!isFileName(file)) return {};
  const source = translatableTexts(hive.source.get(file)).get(key);
  return { source, translation: translationInto(hive, markers, code, { file, key }) };
}

/**
 * The text to write; undefined if the change writes none.
 * @param models the present translation and the source text; see {@link withLineEnds}.
 */
async function newText(
  storage: Storage,
  branch: HiveBranch,
  { change, locale }: TranslationEdit,
  models: readonly (string | undefined)[],
): Promise<string | undefined> {
  if (change.kind === "write") {
    const [present] = models;
    return present?.replaceAll(/\r\n?/g, "\n") === change.text ? present : withLineEnds(change.text, models);
  }
  if (change.kind !== "restore") return undefined;
  const { hives } = storage;
  const hive = hives.at(branch);
  const { code } = targetLocale((await hive.snapshot()).settings, locale, slugOf(branch));
  const revision = toRevision(change.commit, "commit");
  const { commit } = await hive.revisions.resolve(revision, "commit", { tip: hive.head() });
  const then = await orInvalid("commit", async () => (await hive.comparableAt(commit)).content([code]));
  const text = isFileName(change.file)
    ? then.translations.get(code)?.get(change.file)?.get(change.key)
    : undefined;
  if (text === undefined) throw invalid("commit", "has no such text");
  return text;
}

/** A text with the line ends of a model: the first one that has any. */
export function withLineEnds(text: string, models: readonly (string | undefined)[]): string {
  const [lineEnd] = models.flatMap((model) => /\r\n?|\n/.exec(model ?? "")?.[0] ?? []);
  return lineEnd === undefined ? text : text.replaceAll("\n", lineEnd);
}

function planOf(
  branch: HiveBranch,
  { locale, file, key, change }: TranslationEdit,
  text: string | undefined,
): Planner<unknown> {
  if (change.kind === "confirm") return planConfirmationIn(branch, { locale, file, keys: [key] });
  if (change.kind === "remove") return planRemovalFrom(branch, { locale, files: new Map([[file, [key]]]) });
  const problem = text ? textProblem(text) : "write a translation, or remove the present one";
  if (text === undefined || problem !== undefined) throw invalid("text", problem ?? "is missing");
  return planImportInto(branch, {
    locale,
    files: new Map([[file, new Map([[key, text]])]]),
    overwriteStrategy: "overwrite",
    isStrict: true,
  });
}

/** The error for a change of texts that are not as the person saw them. */
export function seenConflict(
  branch: HiveBranch,
  { settings }: Snapshot,
  { locale, file, key }: Pick<TranslationEdit, "locale" | "file" | "key">,
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
  storage: Storage,
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
