/** What a locale has from the locales that it inherits from. */
import { ancestorsOf } from "../hives/hive-settings.ts";
import type { Locale } from "../hives/locale.ts";
import type { FileName } from "../names.ts";
import { pause } from "../../slices.ts";
import { translationsOf, type HiveContent } from "../strings/hive-content.ts";
import { LocalePlurals } from "../strings/plural-rules.ts";
import { noTexts, translatableTexts, type StringFile, type Texts } from "../strings/string-file.ts";

/**
 * The texts that stand in a file where a locale has none. A plural string is inherited whole: from the nearest locale that
 * has any of its forms, and not at all where the locale has one itself.
 * @param texts of the locale.
 * @param inherited the texts of those that it inherits from, the nearest first.
 */
function inheritedTexts(
  strings: StringFile,
  plurals: LocalePlurals,
  texts: Texts,
  inherited: readonly Texts[],
): Texts {
  if (inherited.every(({ size }) => size === 0)) return noTexts;
  const found = new Map<string, string>();
  const all = [texts, ...inherited];
  for (const key of translatableTexts(strings).keys()) {
    const form = plurals.formOf(strings, key);
    const keys = form === undefined ? [key] : [...form.string.own, ...form.string.added];
    const giver = all.find((each) => keys.some((one) => each.has(one)));
    const text = giver === texts ? undefined : giver?.get(key);
    if (text !== undefined) found.set(key, text);
  }
  return found;
}

/** The content with what a locale inherits among its texts. @param content with the locale and all that it inherits from. */
export async function withInherited(content: HiveContent, locale: Locale): Promise<HiveContent> {
  const ancestors = ancestorsOf(content.settings, locale);
  if (ancestors.length === 0) return content;
  const plurals = new LocalePlurals(locale.code, content.settings);
  const files = new Map<FileName, Texts>();
  for (const [file, strings] of content.source) {
    await pause();
    const [texts = noTexts, ...others] = [locale, ...ancestors].map(
      ({ code }) => translationsOf(content, code).get(file) ?? noTexts,
    );
    files.set(file, new Map([...texts, ...inheritedTexts(strings, plurals, texts, others)]));
  }
  return { ...content, translations: new Map(content.translations).set(locale.code, files) };
}
