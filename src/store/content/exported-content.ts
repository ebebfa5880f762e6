/** The content of a Hive in one locale, as exports and channels give it. */
import type { Locale } from "../../domain/hives/locale.ts";
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
import type { HiveContent } from "../../domain/strings/hive-content.ts";
import { withoutFailing } from "./findings.ts";
import { pseudoContent } from "./pseudo-content.ts";
import type { Snapshot } from "./snapshot.ts";

/** Which texts exports and channels give. */
export interface ExportRules {
  /** `approved`: where a text waits, the text that was approved last; undefined for all texts as they are stored. */
  readonly state?: ExportState;
  /** What becomes of translations with errors; undefined for nothing. */
  readonly failing?: FailingTexts;
  /** Whether the source text stands where there is no translation; undefined for `leave`. */
  readonly missing?: MissingTexts;
  /** Only strings with one of these tags in their notes; undefined for all. */
  readonly tags?: WantedTags;
}

/** The parts of a snapshot that the rules read beside its content. */
export type ExportSource = Pick<Snapshot, "values">;

/**
 * The content by some rules; nothing is read where there are none.
 * @throws SkepError `content-invalid` when markers or accepted findings cannot be read.
 */
export async function exportedContent(
  snapshot: ExportSource,
  stored: HiveContent,
  locale: Locale,
  { state, failing, missing, tags }: ExportRules,
): Promise<HiveContent> {
  const notesOf = async (): Promise<Notes> => (await snapshot.values.notes.readable()).files;
  const wanted =
    tags === undefined ? stored : await taggedContent(stored, locale.code, await notesOf(), tags);
  if (locale === stored.settings.sourceLocale) return wanted;
  if (pseudoKindOf(locale) !== undefined) return pseudoContent(wanted, locale, await notesOf());
  const content =
    state === undefined
      ? wanted
      : approvedContent(wanted, await snapshot.values.review.read([locale.code]), locale);
  const sound = await withoutFailing(snapshot, content, locale, failing);
  return missing === "source" ? filledContent(sound, locale) : sound;
}

/** Identifies the result of the rules for content that stays the same. */
export function exportVersion(
  { values }: ExportSource,
  locale: Locale,
  { state, failing, missing, tags }: ExportRules,
): string {
  const { code } = locale;
  const parts = [
    ...(pseudoKindOf(locale) === undefined ? [] : ["pseudo", values.notes.version()]),
    ...(state === undefined ? [] : [state, values.review.folder(code)]),
    ...(failing === undefined ? [] : [failing, values.accepted.folder(code)]),
    ...(missing === undefined ? [] : [missing]),
    ...(tags === undefined ? [] : [JSON.stringify(tags), values.notes.version()]),
  ];
  return parts.map((part) => `:${part}`).join("");
}
