/** The texts that exports and channels give in place of texts that wait for a review, or are missing. */
import type { Locale } from "../hives/locale.ts";
import { translationsOf, type HiveContent } from "../strings/hive-content.ts";
import { LocalePlurals } from "../strings/plural-rules.ts";
import { translatableTexts } from "../strings/string-file.ts";
import { reviewKind, type Reviews } from "../sidecars/review.ts";
import { countingIn } from "../strings/stale.ts";

export const exportStates = ["approved"] as const;
export type ExportState = (typeof exportStates)[number];
export const missingTexts = ["leave", "source", "fallback"] as const;
export type MissingTexts = (typeof missingTexts)[number];

/** The content of one locale in which approved texts replace waiting ones; a text that never was approved is left out. */
export function approvedContent(content: HiveContent, reviews: Reviews, { code }: Locale): HiveContent {
  const files = new Map(translationsOf(content, code));
  for (const [file, values] of reviews.get(code) ?? []) {
    const texts = new Map(files.get(file));
    for (const [key, { approved }] of countingIn(reviewKind, content, { locale: code, file }, values)) {
      if (approved === undefined) texts.delete(key);
      else texts.set(key, approved);
    }
    if (files.has(file)) files.set(file, texts);
  }
  return { ...content, translations: new Map(content.translations).set(code, files) };
}

/** The content of one locale with the source text where the locale needs a text and has none. */
export function filledContent(content: HiveContent, locale: Locale): HiveContent {
  const plurals = new LocalePlurals(locale.code, content.settings);
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
