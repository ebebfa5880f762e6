/** What exports and channels give where a text waits for a review, or is missing. */
import type { Locale } from "../hives/locale.ts";
import type { FileName } from "../names.ts";
import { translationsOf, type HiveContent } from "../strings/hive-content.ts";
import { LocalePlurals } from "../strings/plural-rules.ts";
import { translatableTexts, type Texts } from "../strings/string-file.ts";
import { unpackReview, validReviews, type ReviewMarkers } from "./review.ts";

export const exitStates = ["approved"] as const;
export type ExitState = (typeof exitStates)[number];
export const missingTexts = ["leave", "source"] as const;
export type MissingTexts = (typeof missingTexts)[number];

/** The texts of files as they were approved, by their markers: kept as long as both stay the same. */
const approvedFiles = new WeakMap<Texts, { readonly texts: Texts; readonly approved: Texts }>();

/** The content of one locale with the last approved text where one waits, and without the texts that have none. */
export function approvedContent(content: HiveContent, reviews: ReviewMarkers, { code }: Locale): HiveContent {
  const files = new Map(translationsOf(content, code));
  for (const [file, markers] of reviews.get(code) ?? []) {
    const texts = files.get(file);
    if (texts === undefined) continue;
    const known = approvedFiles.get(markers);
    const approved =
      known?.texts === texts ? known.approved : approvedIn(content, code, file, texts, markers);
    approvedFiles.set(markers, { texts, approved });
    files.set(file, approved);
  }
  return { ...content, translations: new Map(content.translations).set(code, files) };
}

function approvedIn(
  content: HiveContent,
  code: Locale["code"],
  file: FileName,
  texts: Texts,
  markers: Texts,
): Texts {
  const after = new Map(texts);
  for (const [key, marker] of validReviews(content, code, file, markers)) {
    const { approved } = unpackReview(marker);
    if (approved === undefined) after.delete(key);
    else after.set(key, approved);
  }
  return after;
}

/** The content of one locale with the source text where the locale needs a text and has none. */
export function filledContent(content: HiveContent, locale: Locale): HiveContent {
  const plurals = new LocalePlurals(locale.code, content.settings.plurals);
  const files = new Map(translationsOf(content, locale.code));
  for (const [file, strings] of content.source) {
    const texts = new Map(files.get(file));
    for (const [key, source] of translatableTexts(strings)) {
      if (!texts.has(key) && plurals.requires(strings, key)) texts.set(key, source);
    }
    files.set(file, texts);
  }
  return { ...content, translations: new Map(content.translations).set(locale.code, files) };
}
