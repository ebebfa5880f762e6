/** The content of a Hive at one commit. */
import type { HiveSettings } from "../hives/hive-settings.ts";
import type { LocaleCode } from "../hives/locale.ts";
import type { StringAddress } from "../move.ts";
import type { FileName } from "../names.ts";
import { compareBytes } from "../text.ts";
import type { StringFile, Texts } from "./string-file.ts";
import { moduleCache, WeakCache } from "../../module-caches.ts";

export type SourceFiles = ReadonlyMap<FileName, StringFile>;
/** The texts of one target locale. Texts without a source string are ignored. */
export type TranslationFiles = ReadonlyMap<FileName, Texts>;

export interface HiveContent {
  readonly settings: HiveSettings;
  /** In byte order of the names. Every file has at least one key. */
  readonly source: SourceFiles;
  /** By target locale; a locale without translations may be missing. */
  readonly translations: ReadonlyMap<LocaleCode, TranslationFiles>;
}

/** One file of one locale as a commit leaves it; `undefined` content removes the blob. */
export interface FileWrite {
  readonly locale: LocaleCode;
  readonly file: FileName;
  readonly content: StringFile | undefined;
}

export interface TextAddress extends StringAddress {
  readonly locale: LocaleCode;
}

export interface KeyChange extends TextAddress {
  readonly change: "created" | "updated" | "deleted" | "cleared";
  readonly before?: string;
  readonly after?: string;
}

/** The content of a Hive after some of its files were written. */
export function withWrites(hive: HiveContent, writes: readonly FileWrite[]): HiveContent {
  const source = new Map(hive.source);
  const translations = new Map(Array.from(hive.translations, ([code, files]) => [code, new Map(files)]));
  for (const { locale, file, content } of writes) {
    if (locale === hive.settings.sourceLocale.code) {
      if (content === undefined) source.delete(file);
      else source.set(file, content);
    } else if (content === undefined) translations.get(locale)?.delete(file);
    else translations.set(locale, (translations.get(locale) ?? new Map()).set(file, content.texts));
  }
  const hasNew = [...source.keys()].some((file) => !hive.source.has(file));
  const sorted = hasNew ? new Map([...source].toSorted(([a], [b]) => compareBytes(a, b))) : source;
  return { ...hive, source: sorted, translations };
}

/** The source files that a commit writes. */
export function sourceWrites(
  { sourceLocale }: HiveSettings,
  writes: readonly FileWrite[],
): Map<FileName, StringFile | undefined> {
  const written = writes.filter(({ locale }) => locale === sourceLocale.code);
  return new Map(written.map(({ file, content }) => [file, content]));
}

/** The planned changes of a Hive. Nothing is committed when `writes` is empty. */
export interface Plan<Counts> {
  readonly counts: Counts;
  readonly writes: readonly FileWrite[];
  readonly changes: readonly KeyChange[];
}

/** The number of source strings. To count differently, raise the version in `hive-cache.ts`. */
export function countStrings(source: SourceFiles): number {
  let count = 0;
  for (const file of source.values()) count += file.texts.size;
  return count;
}

/** The number of source strings that have a text: an empty one leaves nothing to translate. */
export function countTranslatable(source: SourceFiles): number {
  let total = 0;
  for (const file of source.values()) {
    let count = counts.get(file);
    if (count === undefined) {
      count = 0;
      for (const text of file.texts.values()) if (text !== "") count++;
      counts.set(file, count);
    }
    total += count;
  }
  return total;
}

/** Of files that were counted: most of them stay the same from one commit to the next. */
const counts = moduleCache(new WeakCache<StringFile, number>());

/** The translations of one locale, which may be empty. */
export function translationsOf(hive: HiveContent, locale: LocaleCode): TranslationFiles {
  return hive.translations.get(locale) ?? new Map();
}
