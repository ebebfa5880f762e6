/** What a commit changed in a Hive, key by key: the difference between its contents at two commits. */
import { translationsOf, type HiveContent, type KeyChange } from "./hive-content.ts";
import { diffTexts, type KeyDiff } from "./text-diff.ts";
import type { LocaleCode } from "../hives/locale.ts";
import type { FileName } from "../names.ts";
import { filtered } from "../filtered.ts";
import type { Steps } from "../steps.ts";
import { noTexts, translatableTexts, type Texts } from "./string-file.ts";
import { compareBytes } from "../text.ts";

/** The text of a translation whose source string is there, or of a plural form of one; without one it is ignored. */
export function translationAt(
  hive: HiveContent,
  locale: LocaleCode,
  file: FileName,
  key: string,
): string | undefined {
  const text = hive.translations.get(locale)?.get(file)?.get(key);
  return text !== undefined && translatableTexts(hive.source.get(file)).has(key) ? text : undefined;
}

/** The translations of a file that have a source string. */
export function translationsAt(hive: HiveContent, locale: LocaleCode, file: FileName): Texts {
  const keys = translatableTexts(hive.source.get(file));
  const texts = hive.translations.get(locale)?.get(file) ?? noTexts;
  for (const key of texts.keys()) if (!keys.has(key)) return filtered(texts, (some) => keys.has(some));
  return texts;
}

/**
 * Every source string and every translation whose text differs: source strings first, then locale by locale, files
 * in byte order. Files that are the same object in both are not looked into. A translation that is gone is `deleted`
 * where its source string is gone too, else `cleared`.
 */
export function* diffContent(before: HiveContent, after: HiveContent): Steps<readonly KeyChange[]> {
  const changes: KeyChange[] = [];
  const source = after.settings.sourceLocale.code;
  for (const file of filesOf(before.source, after.source)) {
    const old = before.source.get(file);
    const now = after.source.get(file);
    if (old === now) continue;
    yield;
    for (const diff of diffTexts(old?.texts ?? noTexts, now?.texts ?? noTexts)) {
      changes.push(changeOf(diff, { locale: source, file }, "deleted"));
    }
  }
  for (const locale of new Set([...before.translations.keys(), ...after.translations.keys()])) {
    const old = translationsOf(before, locale);
    const now = translationsOf(after, locale);
    for (const file of filesOf(old, now)) {
      const keys = after.source.get(file);
      if (old.get(file) === now.get(file) && before.source.get(file) === keys) continue;
      yield;
      const was = translationsAt(before, locale, file);
      const is = translationsAt(after, locale, file);
      for (const diff of diffTexts(was, is)) {
        changes.push(
          changeOf(diff, { locale, file }, translatableTexts(keys).has(diff.key) ? "cleared" : "deleted"),
        );
      }
    }
  }
  return changes;
}

/** The files of either, in byte order. */
export function filesOf(
  a: ReadonlyMap<FileName, unknown>,
  b: ReadonlyMap<FileName, unknown>,
): readonly FileName[] {
  return [...new Set([...a.keys(), ...b.keys()])].toSorted(compareBytes);
}

/** The address of a text as one string; no name contains a NUL. */
export function addressOf({ locale, file, key }: Pick<KeyChange, "locale" | "file" | "key">): string {
  return `${locale}\0${file}\0${key}`;
}

/** The change of a key from its texts. @param gone what the change is called where the text is gone. */
export function changeOf(
  { key, before, after }: KeyDiff,
  { locale, file }: Pick<KeyChange, "locale" | "file">,
  gone: "deleted" | "cleared",
): KeyChange {
  const at = { locale, file, key };
  if (after === undefined) return { change: gone, ...at, before };
  return before === undefined
    ? { change: "created", ...at, after }
    : { change: "updated", ...at, before, after };
}
