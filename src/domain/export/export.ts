/** Exports the texts of one locale or of all locales, under the names that {@link exportNames} gives. */
import { codeOf, type Locale } from "../hives/locale.ts";
import type { FileName } from "../names.ts";
import { isStepDone, pause } from "../../slices.ts";
import { isPackedFor } from "../strings/packed-texts.ts";
import { project, addKeys } from "../strings/group-edit.ts";
import { translationsOf, type HiveContent, type SourceFiles } from "../strings/hive-content.ts";
import {
  noTexts,
  translatableTexts,
  type StringFile,
  type Texts,
  isEmptyGroup,
  isList,
  type Group,
} from "../strings/string-file.ts";
import { bundlePrefixes, exportNames, type BundlePrefix } from "./export-names.ts";
import { formatOf, type FormatName, type Shape } from "./formats/formats.ts";
import { flatPieces, objectPieces } from "./formats/json.ts";
import { emptyRecord } from "../record.ts";

/** Whether exported files are named for their format (`auth.json`) or as in the Hive (`auth.php`). */
export type ExportNaming = "export" | "hive";

/** What becomes of a failing translation: it gives way to its source text, or is left out. */
export const failingTexts = ["source", "omit"] as const;
export type FailingTexts = (typeof failingTexts)[number];

/**
 * The texts of an exported file: its translations alone, without empty texts or source texts in place of missing ones. The
 * source locale exports its own texts.
 */
function textsOf(hive: HiveContent, locale: Locale, file: FileName): Texts {
  const source = hive.source.get(file);
  if (source === undefined) return noTexts;
  const isSource = locale.code === hive.settings.sourceLocale.code;
  return isSource ? source.texts : translatedTexts(source, translationsOf(hive, locale.code).get(file));
}

/** The translations of a file that have a source string, and plural forms of it, in the order of the source. */
function translatedTexts(source: StringFile, translations: Texts | undefined): Texts {
  if (translations !== undefined && isPackedFor(translations, translatableTexts(source))) return translations;
  const texts = new Map<string, string>();
  if (translations === undefined) return texts;
  for (const key of translatableTexts(source).keys()) {
    const text = translations.get(key);
    if (text !== undefined) texts.set(key, text);
  }
  return texts;
}

/** The text of a file in pieces, which are encoded one by one: a whole locale may have hundreds of megabytes. */
export type TextPieces = readonly string[];

export type ExportedFiles = ReadonlyMap<string, TextPieces>;

interface LocaleExport {
  readonly shape?: Shape;
  readonly names?: ExportNaming;
  /** The name of the only file that is exported; all are when undefined. */
  readonly only?: string;
  readonly signal?: AbortSignal;
}

/** An export of one locale: one file for every file of the Hive, even if it holds no translation. */
export async function exportLocale(
  hive: HiveContent,
  locale: Locale,
  format: FormatName,
  { shape, names: naming, only, signal }: LocaleExport = {},
): Promise<ExportedFiles> {
  const { extension, ...writer } = formatOf(format, shape);
  const names = naming === "hive" ? undefined : exportNames([...hive.source.keys()], extension);
  const files = new Map<string, TextPieces>();
  for (const [file, source] of hive.source) {
    const name = names?.get(file) ?? file;
    if (only !== undefined && only !== name) continue;
    await pause(signal);
    const texts = textsOf(hive, locale, file);
    if (writer.kind === "flat") files.set(name, await inSteps(writer.render(texts), signal));
    else {
      // Empty source texts in a list keep their places, so that it stays a list: `["", "January"]` becomes `["", "janvier"]`.
      const group = texts === source.texts ? source.group : project(source, texts, { holdsPlaces: true });
      await pause(signal);
      files.set(name, [writer.render(group ?? [])]);
    }
  }
  return files;
}

/**
 * One locale's part of an export of all locales: one JSON file, or a folder of PHP files.
 * @param shape of a JSON file; flat if not given.
 */
export async function exportBundled(
  hive: HiveContent,
  locale: Locale,
  { format, shape, signal }: { readonly format: FormatName } & Pick<LocaleExport, "shape" | "signal">,
): Promise<ExportedFiles> {
  const code = codeOf(locale);
  if (format === "json") return new Map([[`${code}.json`, await exportWhole(hive, locale, shape, signal)]]);
  const files = await exportLocale(hive, locale, format, { signal });
  return new Map(Array.from(files, ([name, content]) => [`${code}/${name}`, content]));
}

/** The texts of one locale in one JSON file, as in an export of all locales. */
export async function exportWhole(
  hive: HiveContent,
  locale: Locale,
  shape: Shape | undefined,
  signal?: AbortSignal,
): Promise<TextPieces> {
  const texts = new Map<FileName, Texts>();
  for (const file of hive.source.keys()) {
    await pause(signal);
    texts.set(file, textsOf(hive, locale, file));
  }
  const prefixes = bundlePrefixes(hive);
  const written =
    shape === "nested"
      ? objectPieces(Object.entries(await nestedBundle(hive.source, prefixes, texts)))
      : haveDistinctKeys(prefixes)
        ? objectPieces(prefixedTexts(prefixes, texts))
        : flatPieces(await flatBundle(prefixes, texts));
  return inSteps(written, signal);
}

/** Makes all pieces, with a pause before each. */
async function inSteps(written: Iterable<string>, signal: AbortSignal | undefined): Promise<TextPieces> {
  const pieces: string[] = [];
  for (const piece of written) {
    await pause(signal);
    pieces.push(piece);
  }
  return pieces;
}

/** Whether no two files can have the same key, and no key is a number: no prefix is empty, or begins with another one. */
function haveDistinctKeys(prefixes: readonly BundlePrefix[]): boolean {
  const sorted = prefixes.map(({ prefix }) => prefix).toSorted();
  return sorted.every((prefix, i) => prefix !== "" && (i === 0 || !prefix.startsWith(sorted[i - 1] ?? "")));
}

/** One locale's texts by the keys of an export of all locales, in file order. */
function* prefixedTexts(
  prefixes: readonly BundlePrefix[],
  localized: ReadonlyMap<FileName, Texts>,
): Iterable<readonly [key: string, text: string]> {
  const prefixOf = new Map(prefixes.map(({ file, prefix }) => [file, prefix]));
  for (const [file, own] of localized) {
    const prefix = prefixOf.get(file) ?? "";
    for (const [key, text] of own) yield [prefix + key, text];
  }
}

/** The same, where several files may have the same key: the first one decides. */
async function flatBundle(
  prefixes: readonly BundlePrefix[],
  localized: ReadonlyMap<FileName, Texts>,
): Promise<Texts> {
  const texts = new Map<string, string>();
  let count = 0;
  for (const [key, text] of prefixedTexts(prefixes, localized)) {
    if (isStepDone()) await pause();
    texts.set(key, text);
    count++;
  }
  // Files decide shared keys in the order of their prefixes, not in their own.
  if (texts.size < count) {
    for (const { file, prefix } of prefixes.toReversed()) {
      await pause();
      for (const [key, text] of localized.get(file) ?? []) texts.set(prefix + key, text);
    }
  }
  return texts;
}

const textsAtOnce = 50_000;

/**
 * One locale's texts as one group. It flattens to the texts of the flat export, with the same text for a shared key. Each file
 * has the shape of its source. Where a text and a group claim one name, the text has it and the group's keys become
 * dotted names beside it.
 * @param prefixes see {@link bundlePrefixes}.
 */
async function nestedBundle(
  source: SourceFiles,
  prefixes: readonly BundlePrefix[],
  localized: ReadonlyMap<FileName, Texts>,
): Promise<Group> {
  const taken = new Set<string>();
  let root: Group = emptyRecord<Group>();
  // Files are added many at a time, because each addition copies all present names.
  let waiting = emptyRecord<Group>();
  let textsWaiting = 0;
  for (const { file, prefix } of prefixes) {
    await pause();
    const own = new Map<string, string>();
    for (const [key, text] of localized.get(file) ?? own) {
      if (taken.has(prefix + key)) continue;
      taken.add(prefix + key);
      own.set(key, text);
    }
    const strings = source.get(file);
    await pause();
    const group = strings && project(strings, own);
    if (group === undefined) continue;
    await pause();
    if (prefix === "") {
      root = isEmptyGroup(root) && !isList(group) ? group : addKeys(root, group, () => true);
      continue;
    }
    const name = prefix.slice(0, -1);
    textsWaiting += own.size;
    if (waiting[name] !== undefined || textsWaiting > textsAtOnce) {
      root = addKeys(root, waiting, () => true);
      waiting = emptyRecord<Group>();
      textsWaiting = own.size;
    }
    waiting[name] = group;
  }
  return isEmptyGroup(waiting) ? root : addKeys(root, waiting, () => true);
}
