/** Exports the texts of one locale or of all locales, under the names that {@link exportNames} gives. */
import { materialisedTexts, isAligned } from "../strings/aligned-texts.ts";
import { renderBundle, type BundleLines } from "./bundle-lines.ts";
import { bundlePrefixes, exportNames } from "./export-names.ts";
import type { LocalizedFile } from "./formats/format.ts";
import { formatOf, type FormatName, type Shape } from "./formats/formats.ts";
import { renderFlat } from "./formats/json.ts";
import { nestedBundle } from "./nested-bundle.ts";
import { project } from "../strings/group-edit.ts";
import { translationsOf, type HiveContent } from "../strings/hive-content.ts";
import { codeOf, type Locale } from "../hives/locale.ts";
import type { LongText } from "../long-text.ts";
import type { FileName } from "../names.ts";
import { isStepDone, type Steps } from "../steps.ts";
import {
  formatGroup,
  isEmptyGroup,
  translatableTexts,
  type StringFile,
  type Texts,
} from "../strings/string-file.ts";

/** Whether exported files are named for their format (`auth.json`) or as in the Hive (`auth.php`). */
export type ExportNaming = "export" | "hive";

/**
 * The exported files of one locale. They contain only what is translated, and neither empty texts nor source texts
 * instead; for the source locale its own texts. In nested output, empty source texts in a list keep their places, so that
 * it stays a list: `["", "January"]` becomes `["", "janvier"]`.
 */
function* localizedFiles(hive: HiveContent, locale: Locale): Steps<ReadonlyMap<FileName, LocalizedFile>> {
  const isSource = locale.code === hive.settings.sourceLocale.code;
  const translations = translationsOf(hive, locale.code);
  const files = new Map<FileName, LocalizedFile>();
  for (const [file, source] of hive.source) {
    if (isStepDone()) yield;
    const texts = isSource ? source.texts : yield* translatedTexts(source, translations.get(file));
    files.set(file, {
      texts,
      *group() {
        if (isSource) return source.group;
        return (yield* project(source, yield* materialisedTexts(texts), { holdsPlaces: true })) ?? [];
      },
    });
  }
  return files;
}

/** The translations of a file that have a source string, and plural forms of it, in the order of the source. */
function* translatedTexts(source: StringFile, translations: Texts | undefined): Steps<Texts> {
  if (translations !== undefined && isAligned(translations, translatableTexts(source))) return translations;
  const texts = new Map<string, string>();
  if (translations === undefined) return texts;
  for (const key of translatableTexts(source).keys()) {
    if (isStepDone()) yield;
    const text = translations.get(key);
    if (text !== undefined) texts.set(key, text);
  }
  return texts;
}

/** The exported files: name → whole content. */
export type ExportedFiles = ReadonlyMap<string, LongText>;

interface LocaleExport {
  readonly shape?: Shape | undefined;
  readonly names?: ExportNaming | undefined;
  /** The name of the only file that is exported; all are when undefined. */
  readonly only?: string | undefined;
}

/** An export of one locale: one file for every file of the Hive, even if it holds no translation. */
export function* exportLocale(
  hive: HiveContent,
  locale: Locale,
  format: FormatName,
  { shape, names: naming, only }: LocaleExport = {},
): Steps<ExportedFiles> {
  const { extension, render } = formatOf(format, shape);
  const names = naming === "hive" ? undefined : exportNames([...hive.source.keys()], extension);
  const files = new Map<string, LongText>();
  for (const [file, localized] of yield* localizedFiles(hive, locale)) {
    const name = names?.get(file) ?? file;
    if (only === undefined || only === name) files.set(name, yield* render(localized));
  }
  return files;
}

/** The texts of one locale in one JSON file, as in an export of all locales. */
export function* exportWhole(hive: HiveContent, locale: Locale, shape: Shape): Steps<LongText> {
  if (shape === "nested") return yield* nestedContent(hive, locale);
  const texts = mapValues(yield* localizedFiles(hive, locale), (file) => file.texts);
  return yield* renderFlat(yield* bundledTexts(hive, texts));
}

/** A file's content: its text, or what that is as a string of JSON, in UTF-8. */
export type FileContent = LongText | Uint8Array;

/**
 * One locale's part of an export of all locales: one JSON file, or a folder of PHP files.
 * @param shape of a JSON file; flat if not given.
 * @param lines gives {@link bundleLines} of the same Hive; asked for flat JSON only.
 */
export function* exportBundled(
  hive: HiveContent,
  locale: Locale,
  { format, shape }: { readonly format: FormatName; readonly shape?: Shape | undefined },
  lines: () => Steps<BundleLines | undefined>,
): Steps<ReadonlyMap<string, FileContent>> {
  const code = codeOf(locale);
  if (format === "json" && shape === "nested") {
    return new Map([[`${code}.json`, yield* nestedContent(hive, locale)]]);
  }
  if (format === "json") {
    return new Map([[`${code}.json`, yield* bundledContent(hive, locale, yield* lines())]]);
  }
  const files = Array.from(yield* exportLocale(hive, locale, format));
  return new Map(files.map(([name, content]) => [`${code}/${name}`, content]));
}

function* nestedContent(hive: HiveContent, locale: Locale): Steps<LongText> {
  const texts = mapValues(yield* localizedFiles(hive, locale), (file) => file.texts);
  const group = yield* nestedBundle(hive.source, bundlePrefixes(hive), texts);
  return yield* isEmptyGroup(group) ? renderFlat(new Map()) : formatGroup(group);
}

function* bundledContent(
  hive: HiveContent,
  locale: Locale,
  lines: BundleLines | undefined,
): Steps<FileContent> {
  const texts = mapValues(yield* localizedFiles(hive, locale), (file) => file.texts);
  const quick = lines && (yield* renderBundle(lines, hive.source, texts));
  return quick ?? (yield* renderFlat(yield* bundledTexts(hive, texts)));
}

/** One locale's texts by the keys of an export of all locales, in file order. */
function* bundledTexts(hive: HiveContent, localized: ReadonlyMap<FileName, Texts>): Steps<Texts> {
  const prefixes = bundlePrefixes(hive);
  const prefixOf = new Map(prefixes.map(({ file, prefix }) => [file, prefix]));
  const texts = new Map<string, string>();
  let count = 0;
  for (const [file, own] of localized) {
    const prefix = prefixOf.get(file) ?? "";
    for (const [key, text] of yield* materialisedTexts(own)) {
      if (isStepDone()) yield;
      texts.set(prefix + key, text);
    }
    count += own.size;
  }
  // For shared keys, the last file is not always the one that decides.
  if (texts.size < count) {
    for (const { file, prefix } of prefixes.toReversed()) {
      for (const [key, text] of localized.get(file) ?? []) {
        if (isStepDone()) yield;
        texts.set(prefix + key, text);
      }
    }
  }
  return texts;
}

function mapValues<K, V, W>(map: ReadonlyMap<K, V>, to: (value: V, key: K) => W): ReadonlyMap<K, W> {
  return new Map(Array.from(map, ([key, value]) => [key, to(value, key)]));
}
