/** What a commit changed in a Hive, key by key: the difference between its contents at two commits. */
import { translationsOf, type HiveContent, type KeyChange, type TextAddress } from "./hive-content.ts";
import { diffTexts, type KeyDiff } from "./text-diff.ts";
import type { LocaleCode } from "../hives/locale.ts";
import type { FileName } from "../names.ts";
import { filtered } from "../filtered.ts";
import { pause } from "../../slices.ts";
import { isPackedFor } from "./packed-texts.ts";
import { noTexts, translatableTexts, type Texts } from "./string-file.ts";
import { compareBytes } from "../text.ts";

/** A translation; undefined if it has no source string, which may be the `other` of its plural string. */
export function translationAt(
  hive: HiveContent,
  locale: LocaleCode,
  file: FileName,
  key: string,
): string | undefined {
  const text = hive.translations.get(locale)?.get(file)?.get(key);
  return text !== undefined && translatableTexts(hive.source.get(file)).has(key) ? text : undefined;
}

/** The translations of a file without those that have no source text to translate. */
export function translationsAt(hive: HiveContent, locale: LocaleCode, file: FileName): Texts {
  const keys = translatableTexts(hive.source.get(file));
  const texts = hive.translations.get(locale)?.get(file) ?? noTexts;
  if (isPackedFor(texts, keys)) return texts;
  for (const key of texts.keys()) if (!keys.has(key)) return filtered(texts, (some) => keys.has(some));
  return texts;
}

/** A file of one locale in which two contents may differ. */
export interface DifferingFile {
  readonly locale: LocaleCode;
  readonly file: FileName;
  /** A translation that is gone is `deleted` where its source string is gone too, else `cleared`. */
  readonly changes: () => readonly KeyChange[];
}

/** The files in which two contents may differ: source strings first, then locale by locale, files in byte order. */
export function differingFiles(before: HiveContent, after: HiveContent): readonly DifferingFile[] {
  const locale = after.settings.sourceLocale.code;
  const source = filesOf(before.source, after.source).flatMap((file): readonly DifferingFile[] => {
    const [old, now] = [before.source.get(file), after.source.get(file)];
    if (old === now) return [];
    const diffs = (): readonly KeyDiff[] => diffTexts(old?.texts ?? noTexts, now?.texts ?? noTexts);
    return [
      { locale, file, changes: () => diffs().map((diff) => changeOf(diff, { locale, file }, "deleted")) },
    ];
  });
  const locales = new Set([...before.translations.keys(), ...after.translations.keys()]);
  return [...source, ...Array.from(locales, (code) => differingTranslations(before, after, code)).flat()];
}

function differingTranslations(
  before: HiveContent,
  after: HiveContent,
  locale: LocaleCode,
): readonly DifferingFile[] {
  const [old, now] = [translationsOf(before, locale), translationsOf(after, locale)];
  return filesOf(old, now).flatMap((file): readonly DifferingFile[] => {
    const source = after.source.get(file);
    if (old.get(file) === now.get(file) && before.source.get(file) === source) return [];
    const changes = (): readonly KeyChange[] =>
      diffTexts(translationsAt(before, locale, file), translationsAt(after, locale, file)).map((diff) =>
        changeOf(diff, { locale, file }, translatableTexts(source).has(diff.key) ? "cleared" : "deleted"),
      );
    return [{ locale, file, changes }];
  });
}

/** Every source string and every translation whose text differs, in the order of {@link differingFiles}. */
export async function diffContent(before: HiveContent, after: HiveContent): Promise<readonly KeyChange[]> {
  const all: (readonly KeyChange[])[] = [];
  for (const { changes } of differingFiles(before, after)) {
    await pause();
    all.push(changes());
  }
  return all.flat();
}

/** The files of either, in byte order. */
export function filesOf(
  a: ReadonlyMap<FileName, unknown>,
  b: ReadonlyMap<FileName, unknown>,
): readonly FileName[] {
  return [...new Set([...a.keys(), ...b.keys()])].toSorted(compareBytes);
}

/** The address of a text as one string; no name contains a NUL. */
export function addressOf({
  locale,
  file,
  key,
}: Omit<TextAddress, "file"> & { readonly file: string }): string {
  return `${locale}\0${file}\0${key}`;
}

/** The change of a key from its texts. @param gone the name of the change if the text is gone. */
export function changeOf(
  { key, before, after }: KeyDiff,
  { locale, file }: Pick<KeyChange, "locale" | "file">,
  gone: "deleted" | "cleared",
): KeyChange {
  // Spreading an address into each would take several times as long.
  if (after === undefined) return { change: gone, locale, file, key, before };
  return before === undefined
    ? { change: "created", locale, file, key, after }
    : { change: "updated", locale, file, key, before, after };
}
