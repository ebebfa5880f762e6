/** What a locale has from the locales that it inherits from. */
import { ancestorsOf } from "../hives/hive-settings.ts";
import type { Locale } from "../hives/locale.ts";
import type { FileName } from "../names.ts";
import { pause } from "../../slices.ts";
import { translationsOf, type HiveContent } from "../strings/hive-content.ts";
import { LocalePlurals } from "../strings/plural-rules.ts";
import { translatableTexts, type StringFile, type Texts } from "../strings/string-file.ts";

/**
 * The text that stands in a file where a locale has none; undefined where it has one, and where nothing is inherited. A
 * plural string is inherited whole: from the nearest locale that has any of its forms, and not at all where the locale has
 * one itself.
 * @param texts of the locale.
 * @param inherited the texts of those that it inherits from, the nearest first.
 */
export function inheritedText(
  { strings, plurals, texts, inherited = [] }: InheritingFile,
  key: string,
): string | undefined {
  if (inherited.length === 0) return undefined;
  const form = plurals.formOf(strings, key);
  const keys = form === undefined ? [key] : [...form.string.own, ...form.string.added];
  const hasAny = (each: Texts): boolean => keys.some((one) => each.has(one));
  return hasAny(texts) ? undefined : inherited.find(hasAny)?.get(key);
}

/** A file in a locale, with what it may inherit. */
export interface InheritingFile {
  readonly strings: StringFile;
  readonly plurals: LocalePlurals;
  readonly texts: Texts;
  /** The texts of the locales that the locale inherits from, the nearest first; undefined for none. */
  readonly inherited?: readonly Texts[];
}

/** The texts of a file in the locales that a locale inherits from, the nearest first. @param content with these. */
export function inheritedFiles(
  content: HiveContent,
  locale: Pick<Locale, "code">,
  file: FileName,
): readonly Texts[] {
  const own = content.settings.targetLocales.find(({ code }) => code === locale.code);
  if (own?.inherits === undefined) return [];
  return ancestorsOf(content.settings, own).flatMap(
    ({ code }) => translationsOf(content, code).get(file) ?? [],
  );
}

/** The content with what a locale inherits among its texts. @param content with the locale and all that it inherits from. */
export async function withInherited(content: HiveContent, locale: Locale): Promise<HiveContent> {
  const ancestors = ancestorsOf(content.settings, locale);
  if (ancestors.length === 0) return content;
  const plurals = new LocalePlurals(locale.code, content.settings);
  const files = new Map<FileName, Texts>();
  for (const [file, strings] of content.source) {
    await pause();
    const texts = new Map(translationsOf(content, locale.code).get(file));
    const inherited = ancestors.flatMap(({ code }) => translationsOf(content, code).get(file) ?? []);
    const own = { strings, plurals, texts: new Map(texts), inherited };
    for (const key of translatableTexts(strings).keys()) {
      const text = inheritedText(own, key);
      if (text !== undefined) texts.set(key, text);
    }
    files.set(file, texts);
  }
  return { ...content, translations: new Map(content.translations).set(locale.code, files) };
}
