/** Strings with the same source text, which may have the same translation. */
import type { LocaleCode } from "../hives/locale.ts";
import type { StringAddress } from "../move.ts";
import { pause } from "../../slices.ts";
import { translationAt } from "../strings/content-diff.ts";
import type { HiveContent, SourceFiles } from "../strings/hive-content.ts";
import { LocalePlurals } from "../strings/plural-rules.ts";
import { translatableTexts } from "../strings/string-file.ts";

/** How many other strings with a text are found, the first ones of the source. */
const maxSame = 1_000;

/** The other strings with the source text of a string. For a plural form, the same form of other plural strings. */
export async function othersWithText(
  source: SourceFiles,
  { file, key }: StringAddress,
): Promise<readonly StringAddress[]> {
  const text = translatableTexts(source.get(file)).get(key);
  const categoryOf = (at: StringAddress): string | undefined =>
    source.get(at.file)?.plurals?.formOf(at.key)?.category;
  const category = categoryOf({ file, key });
  const others: StringAddress[] = [];
  if (text === undefined || text === "") return others;
  for (const [name, strings] of source) {
    await pause();
    for (const [other, one] of translatableTexts(strings)) {
      if (one !== text || (name === file && other === key)) continue;
      const at = { file: name, key: other };
      if (categoryOf(at) === category && others.push(at) === maxSame) return others;
    }
  }
  return others;
}

export interface TranslatedString extends StringAddress {
  readonly text: string | undefined;
}

/** Filters strings: gives the ones that the locale can have and whose translation is another one, or missing. */
export function withOtherTranslation(
  content: HiveContent,
  locale: LocaleCode,
  strings: readonly StringAddress[],
  translation: string,
): readonly TranslatedString[] {
  const plurals = new LocalePlurals(locale, content.settings);
  return strings.flatMap((at) => {
    const file = content.source.get(at.file);
    const text = translationAt(content, locale, at.file, at.key);
    return file === undefined || !plurals.accepts(file, at.key) || text === translation
      ? []
      : [{ ...at, text }];
  });
}
