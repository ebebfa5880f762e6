/** What leaves a Hive: the texts of one locale or of all, under the names that {@link exportNames} gives. */
import { isAligned } from "./aligned-texts.ts";
import { bundlePrefixes, exportNames } from "./export-names.ts";
import type { LocalizedFile } from "./formats/format.ts";
import { formatOf, type FormatName, type Shape } from "./formats/formats.ts";
import { isIntegerLike, joinLines, renderFlat, startLine } from "./formats/json.ts";
import { project } from "./group-edit.ts";
import { translationsOf, type HiveContent } from "./hive-content.ts";
import { codeOf, type Locale } from "./locale.ts";
import type { FileName } from "./names.ts";
import type { StringFile, Texts } from "./string-file.ts";

/**
 * One locale's files as they are exported: only what is translated, never an empty text or the source text in its
 * place; for the source locale its own texts.
 */
function localizedFiles(hive: HiveContent, locale: Locale): ReadonlyMap<FileName, LocalizedFile> {
  if (locale.code === hive.settings.sourceLocale.code) {
    return mapValues(hive.source, ({ texts, group }) => ({ texts, group: () => group }));
  }
  const translations = translationsOf(hive, locale.code);
  return mapValues(hive.source, (source, file) => {
    const texts = translatedTexts(source, translations.get(file));
    return { texts, group: () => project(source.group, texts) ?? [] };
  });
}

/** The translations of a file that have a source string, in the order of the source. */
function translatedTexts(source: StringFile, translations: Texts | undefined): Texts {
  if (translations !== undefined && isAligned(translations, source.texts)) return translations;
  const texts = new Map<string, string>();
  if (translations === undefined) return texts;
  for (const key of source.texts.keys()) {
    const text = translations.get(key);
    if (text !== undefined) texts.set(key, text);
  }
  return texts;
}

/** The exported files: name → whole content. */
export type ExportedFiles = ReadonlyMap<string, string>;

/** An export of one locale: one file for every file of the Hive, even if it holds no translation. */
export function exportLocale(
  hive: HiveContent,
  locale: Locale,
  format: FormatName,
  shape?: Shape,
): ExportedFiles {
  const { extension, render } = formatOf(format, shape);
  const names = exportNames([...hive.source.keys()], extension);
  const files = new Map<string, string>();
  for (const [file, localized] of localizedFiles(hive, locale))
    files.set(names.get(file) ?? file, render(localized));
  return files;
}

/** What each text's line starts with in an export of all locales to JSON, by file and key: the same for all locales. */
type LineStarts = ReadonlyMap<FileName, ReadonlyMap<string, string>>;

/**
 * Works out the lines of an export of all locales to JSON, once for all of them.
 * @returns undefined where a locale's file is more than its lines in file order: where keys are shared, or are like
 * integers.
 */
export function bundleLines(hive: Pick<HiveContent, "settings" | "source">): LineStarts | undefined {
  const bundled = new Set<string>();
  const starts = new Map<FileName, ReadonlyMap<string, string>>();
  for (const { file, prefix } of bundlePrefixes(hive)) {
    const ofFile = new Map<string, string>();
    for (const key of hive.source.get(file)?.texts.keys() ?? []) {
      const name = prefix + key;
      if (bundled.has(name) || isIntegerLike(name)) return undefined;
      bundled.add(name);
      ofFile.set(key, startLine(name));
    }
    starts.set(file, ofFile);
  }
  return starts;
}

/**
 * One locale's part of an export of all locales: one JSON file, or a folder of PHP files.
 * @param lines gives {@link bundleLines} of the same Hive; asked for JSON only.
 */
export function exportBundled(
  hive: HiveContent,
  locale: Locale,
  format: FormatName,
  lines: () => LineStarts | undefined,
): ExportedFiles {
  const code = codeOf(locale);
  if (format === "json") return new Map([[`${code}.json`, renderBundled(hive, locale, lines())]]);
  const files = Array.from(exportLocale(hive, locale, format));
  return new Map(files.map(([name, content]) => [`${code}/${name}`, content]));
}

function renderBundled(hive: HiveContent, locale: Locale, starts: LineStarts | undefined): string {
  if (starts === undefined) return renderFlat(bundledTexts(hive, locale));
  const lines: string[] = [];
  for (const [file, { texts }] of localizedFiles(hive, locale)) {
    const ofFile = starts.get(file);
    texts.forEach((text, key) => {
      const start = ofFile?.get(key);
      if (start !== undefined) lines.push(start + JSON.stringify(text));
    });
  }
  return joinLines(lines);
}

/** One locale's texts by the keys of an export of all locales, in file order. */
function bundledTexts(hive: HiveContent, locale: Locale): Texts {
  const localized = localizedFiles(hive, locale);
  const prefixes = bundlePrefixes(hive);
  const prefixOf = new Map(prefixes.map(({ file, prefix }) => [file, prefix]));
  const texts = new Map<string, string>();
  let count = 0;
  for (const [file, { texts: own }] of localized) {
    const prefix = prefixOf.get(file) ?? "";
    for (const [key, text] of own) texts.set(prefix + key, text);
    count += own.size;
  }
  // Where keys are shared, the file that decides is not always the last one.
  if (texts.size < count) {
    for (const { file, prefix } of prefixes.toReversed()) {
      for (const [key, text] of localized.get(file)?.texts ?? []) texts.set(prefix + key, text);
    }
  }
  return texts;
}

function mapValues<K, V, W>(map: ReadonlyMap<K, V>, to: (value: V, key: K) => W): ReadonlyMap<K, W> {
  return new Map(Array.from(map, ([key, value]) => [key, to(value, key)]));
}
