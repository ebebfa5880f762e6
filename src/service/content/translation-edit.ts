/** Changes one translation if it still is as the user saw it: writes it, confirms it, or removes it. */
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
import { translationInto, type Translation } from "../../domain/strings/string-search.ts";
import { translatableTexts } from "../../domain/strings/string-file.ts";
import type { Snapshot } from "../../store/content/snapshot.ts";
import type { Planner, WriteContext } from "../write-context.ts";
import { planImportInto } from "./imports.ts";
import { planConfirmationIn } from "./stale.ts";
import { planRemovalFrom } from "./translation-removal.ts";
import type { Storage } from "../storage.ts";

export interface TranslationEdit {
  /** A code as the caller gave it. */
  readonly locale: string;
  readonly file: string;
  readonly key: string;
  /**
   * A new text; the text of an earlier commit, under the name that the string had then; that the present text is right
   * for the present source text; or that there is to be none.
   */
  readonly change:
    | { readonly kind: "write"; readonly text: string }
    | { readonly kind: "restore"; readonly commit: string; readonly file: string; readonly key: string }
    | { readonly kind: "confirm" }
    | { readonly kind: "remove" };
  /** What the person had before them, as {@link editToken} gives it. */
  readonly seen: string;
}

/** What an edit did. */
export interface EditResult {
  /** Whether there is a commit; there is none where all is as it was sent. */
  readonly isChanged: boolean;
  /** Whether the translation was stale before. */
  readonly wasStale: boolean;
}

/** Stands for a source text and a translation in a form, which would change the line ends of the texts themselves. */
export function editToken(source: string, translation: string | undefined): string {
  return hash("sha256", JSON.stringify([source, translation ?? ""]), "base64url");
}

/**
 * Makes a change of one translation as one commit, if the source text and the translation are still what was seen. A
 * text that is there already needs no commit, whatever was seen. Line ends of a text that is written become those of the
 * present translation, or of the source text where it has none: browsers send all line ends alike.
 * @throws SkepError `text-conflict` when they are not as seen; `unknown-keys` when there is no such string; `invalid` on
 * `locale`, on `text` for one that is empty or cannot be stored, on `commit` for one without the text.
 */
export async function editTranslation(
  storage: Storage,
  branch: HiveBranch,
  edit: TranslationEdit,
  context: WriteContext,
): Promise<EditResult> {
  const { result } = await storage.writer.commit<EditResult>(branch, context, async (snapshot) => {
    const { source, translation } = await presentTexts(branch, snapshot, edit);
    const wasStale = translation?.state === "stale";
    const text = await newText(storage, branch, edit, [translation?.text, source]);
    if (text !== undefined && text === translation?.text) return { result: { isChanged: false, wasStale } };
    if (source === undefined || editToken(source, translation?.text) !== edit.seen)
      throw seenConflict(branch, snapshot, edit);
    const planned = await planOf(branch, edit, text)(snapshot);
    return { ...planned, result: { isChanged: planned.change !== undefined, wasStale } };
  });
  return result;
}

/** A text as it is now, which a commit left so. */
export interface LeftText {
  readonly locale: Locale;
  /** Undefined for a source text. */
  readonly source: string | undefined;
  readonly text: string | undefined;
}

/**
 * Tells for changes of a commit which texts still are as the commit left them, so that each can be undone by itself.
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

/** The present texts of the string; undefined where there is none. */
async function presentTexts(
  branch: HiveBranch,
  snapshot: Snapshot,
  { locale: text, file, key }: TranslationEdit,
): Promise<{ readonly source?: string | undefined; readonly translation?: Translation }> {
  const { code } = targetLocale(snapshot.settings, text, slugOf(branch));
  const [hive, markers] = await Promise.all([snapshot.content([code]), snapshot.staleMarkers.read([code])]);
  if (!isFileName(file)) return {};
  const source = translatableTexts(hive.source.get(file)).get(key);
  return { source, translation: translationInto(hive, markers, code, { file, key }) };
}

/**
 * The text that is to be there; undefined for a change of another kind.
 * @param models the present translation and the source text: of the first that has line ends it gets the same.
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
  const { code } = targetLocale((await hives.at(branch).snapshot()).settings, locale, slugOf(branch));
  const revision = toRevision(change.commit, "commit");
  const { commit } = await hives
    .at(branch)
    .revisions.resolve(revision, "commit", { tip: hives.at(branch).head() });
  const then = await (await hives.at(branch).snapshotAt(commit, "commit")).content([code]);
  const text = isFileName(change.file)
    ? then.translations.get(code)?.get(change.file)?.get(change.key)
    : undefined;
  if (text === undefined) throw invalid("commit", "has no such text");
  return text;
}

/** A text with line ends as the first of some others has them that has any. */
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
