/** What a caller of a translation import last saw, checked before it is replaced. */
import type { SkepError } from "../errors.ts";
import type { Locale, LocaleCode } from "../hives/locale.ts";
import { isStepDone, type Steps } from "../steps.ts";
import { translationsOf, type HiveContent } from "../strings/hive-content.ts";
import type { Texts } from "../strings/string-file.ts";
import { differenceConflict } from "./difference.ts";
import { maxToldName, stringsNamed } from "./translation-import.ts";

/**
 * Compares stored translations with those that a caller expects.
 * @param expected by file name and flattened key as an import has them; an empty text stands for no translation.
 * @returns the error for what is not as expected: `text-conflict`, with the places.
 */
export function* expectedConflict(
  hive: HiveContent,
  locale: Locale,
  expected: ReadonlyMap<string, Texts>,
): Steps<SkepError | undefined> {
  const find = stringsNamed(hive, locale);
  const present = translationsOf(hive, locale.code);
  const conflicts: { readonly locale: LocaleCode; readonly file: string; readonly key: string }[] = [];
  for (const [name, texts] of expected) {
    const stringsOf = find(name);
    for (const [key, text] of texts) {
      if (isStepDone()) yield;
      const strings = stringsOf(key);
      for (const { file, key: own } of strings) {
        if ((present.get(file)?.get(own) ?? "") !== text)
          conflicts.push({ locale: locale.code, file, key: own });
      }
      if (strings.length === 0 && text !== "") {
        conflicts.push({ locale: locale.code, file: name.slice(0, maxToldName), key });
      }
    }
  }
  if (conflicts.length === 0) return undefined;
  const problem = "Translations are not as expected, so nothing was written";
  return differenceConflict(conflicts, hive.settings, problem, "expected_conflict");
}
