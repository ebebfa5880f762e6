/** The content of a Hive in one locale, as exports and channels give it. */
import { ancestorsOf, type HiveSettings } from "../../domain/hives/hive-settings.ts";
import type { Locale, LocaleCode } from "../../domain/hives/locale.ts";
import type { FailingTexts } from "../../domain/export/export.ts";
import { pseudoKindOf } from "../../domain/export/pseudo-locales.ts";
import {
  approvedContent,
  filledContent,
  type ExportState,
  type MissingTexts,
} from "../../domain/review/exported-texts.ts";
import { type WantedTags, taggedContent } from "../../domain/notes/note-tags.ts";
import type { Notes } from "../../domain/notes/note.ts";
import { withInherited } from "../../domain/queries/inheritance.ts";
import { translationsOf, type HiveContent } from "../../domain/strings/hive-content.ts";
import { withoutFailing } from "./findings.ts";
import { pseudoContent } from "./pseudo-content.ts";
import type { Snapshot } from "./snapshot.ts";

/** Which texts exports and channels give. */
export interface ExportRules {
  /** `approved`: where a text waits, the text that was approved last; undefined for all texts as they are stored. */
  readonly state?: ExportState;
  /** What becomes of translations with errors; undefined for nothing. */
  readonly failing?: FailingTexts;
  /**
   * What stands where there is no translation: the source text, or before that what the locale inherits; undefined for
   * `leave`.
   */
  readonly missing?: MissingTexts;
  /** Only strings with one of these tags in their notes; undefined for all. */
  readonly tags?: WantedTags;
}

/** The parts of a snapshot that the rules read beside its content. */
export type ExportSource = Pick<Snapshot, "values">;

/**
 * The content by some rules; nothing is read where there are none.
 * @param giver the locale whose texts are given for the locale, with what that one inherits; itself if not given.
 * @throws SkepError `content-invalid` when markers or accepted findings cannot be read.
 */
export async function exportedContent(
  snapshot: ExportSource,
  stored: HiveContent,
  locale: Locale,
  { state, failing, missing, tags }: ExportRules,
  giver = locale,
): Promise<HiveContent> {
  const notesOf = async (): Promise<Notes> => (await snapshot.values.notes.readable()).files;
  const tagged = async (content: HiveContent): Promise<HiveContent> =>
    tags === undefined ? content : taggedContent(content, locale.code, await notesOf(), tags);
  if (locale === stored.settings.sourceLocale) return tagged(stored);
  if (pseudoKindOf(locale) !== undefined) return pseudoContent(await tagged(stored), locale, await notesOf());
  const given = async (content: HiveContent, each: Locale, instead = failing): Promise<HiveContent> => {
    const { review } = snapshot.values;
    const approved =
      state === undefined ? content : approvedContent(content, await review.read([each.code]), each);
    return withoutFailing(snapshot, approved, each, instead);
  };
  if (missing !== "fallback") {
    const content = await given(await tagged(stored), locale);
    return missing === "source" ? filledContent(content, locale) : content;
  }
  let content = stored;
  // A text with errors gives way to what is inherited, and to its source text only where there is nothing.
  for (const each of [giver, ...ancestorsOf(stored.settings, giver)])
    content = await given(content, each, failing && "omit");
  content = await withInherited(content, giver);
  const files = translationsOf(content, giver.code);
  content = { ...content, translations: new Map([[locale.code, files]]) };
  return filledContent(await tagged(content), locale);
}

/** The locales whose translations the rules need for one. */
export function localesNeeded(
  settings: HiveSettings,
  locale: Locale,
  { missing }: ExportRules,
): readonly LocaleCode[] {
  const ancestors = missing === "fallback" ? ancestorsOf(settings, locale) : [];
  return [locale, ...ancestors].map(({ code }) => code);
}

/** Identifies the result of the rules for content that stays the same. @param needed see {@link localesNeeded}. */
export function exportVersion(
  { values }: ExportSource,
  locale: Locale,
  needed: readonly LocaleCode[],
  { state, failing, missing, tags }: ExportRules,
): string {
  const parts = [
    ...(pseudoKindOf(locale) === undefined ? [] : ["pseudo", values.notes.version()]),
    ...(state === undefined ? [] : [state, ...needed.map((code) => values.review.folder(code))]),
    ...(failing === undefined ? [] : [failing, ...needed.map((code) => values.accepted.folder(code))]),
    ...(missing === undefined ? [] : [missing]),
    ...(tags === undefined ? [] : [JSON.stringify(tags), values.notes.version()]),
  ];
  return parts.map((part) => `:${part}`).join("");
}
