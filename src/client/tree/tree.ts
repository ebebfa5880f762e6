/** The files of an app's tree that `skep.yaml` names: each with its name in the Hive and its path in every locale. */
import { join } from "node:path";
import { fileNameProblem } from "../../domain/names.ts";
import { formatNamed, formatOfPath, formats, type FormatRow } from "../../formats/formats.ts";
import { fileError } from "../api/client-error.ts";
import type { HiveLocale, HiveLocales } from "../api/hive-api.ts";
import type { ClientConfig } from "./config.ts";
import {
  fillPattern,
  matcherOf,
  parsePattern,
  wildcardPart,
  type Captures,
  type Pattern,
} from "./pattern.ts";
import type { FileEntry } from "./schema.ts";
import { isLanguageCode } from "./language-code.ts";
import { findFiles, isVisitedPath, Listings } from "./walk.ts";

/** A file of one locale in the tree, which need not exist. */
export interface LocalFile {
  /** Below the folder of `skep.yaml`, with slashes. */
  readonly path: string;
  /** Its path on the disk. */
  readonly absolute: string;
  /** The code of its locale in the app's files. */
  readonly code: string;
}

/** A source file, and the same file in other locales. */
export interface TreeFile {
  /** The name of the file in the Hive. */
  readonly name: string;
  readonly format: FormatRow;
  /** The pattern that found it. */
  readonly pattern: string;
  readonly source: LocalFile;
  /** By the code of the locale as the Hive shows it. */
  readonly targets: ReadonlyMap<string, LocalFile>;
}

export interface Tree {
  /** In the order of their names. */
  readonly files: readonly TreeFile[];
  /** The paths of files in target locales that have no source file, by the locale's code. */
  readonly strays: ReadonlyMap<string, readonly string[]>;
}

/** An entry of `files` in `skep.yaml` with its patterns read. */
class Entry {
  readonly entry: FileEntry;
  readonly path: Pattern;
  readonly source: Pattern;
  readonly name: Pattern;
  readonly #format: FormatRow | undefined;

  constructor(entry: FileEntry) {
    this.entry = entry;
    this.#format = entry.format === undefined ? formatOfPath(entry.path) : formatNamed(entry.format);
    this.path = parsePattern(entry.path);
    this.source = parsePattern(entry.source ?? entry.path);
    this.name = entry.name === undefined ? wildcardPart(this.source) : parsePattern(entry.name);
  }

  /** The code that the files have for a locale. */
  codeOf(locale: HiveLocale): string {
    return this.#named(locale) ?? this.#format?.localeCode?.(locale.canonical) ?? locale.code;
  }

  /** Whether the code of a locale can be a part of paths: it is that of a language, or `locales` names it. */
  explains(locale: HiveLocale): boolean {
    const { code, canonical } = locale;
    const used = this.#format?.localeCode === undefined ? code : canonical;
    return this.#named(locale) !== undefined || isLanguageCode(used);
  }

  #named({ code, canonical }: HiveLocale): string | undefined {
    const { locales = {} } = this.entry;
    return own(locales, code) ?? own(locales, canonical);
  }
}

function own(record: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/**
 * Finds the files of a tree.
 * @throws ClientError `misuse` when two files would have one name in the Hive, or one path would be two files, when a
 * name cannot be one in a Hive, when a format is not known, and as {@link findFiles} does.
 */
export async function findTree(
  { folder, path: settings, entries }: Pick<ClientConfig, "folder" | "path" | "entries">,
  locales: HiveLocales,
): Promise<Tree> {
  const read = entries.map((entry) => new Entry(entry));
  const listings = new Listings(folder);
  checkLocales(settings, read, locales);
  const files: TreeFile[] = [];
  for (const entry of read) {
    for (const { path, captures } of await sourceFiles(listings, entry, locales)) {
      files.push(toTreeFile(folder, entry, locales, path, captures));
    }
  }
  checkNames(settings, files);
  checkPaths(settings, files);
  const strays = await findStrays(listings, read, locales, files);
  return { files: files.toSorted((a, b) => (a.name < b.name ? -1 : 1)), strays };
}

/**
 * The source files among paths that are not those of the tree, such as those of an earlier commit.
 * @throws ClientError `misuse` as {@link findTree} does for the files of the tree.
 */
export function findSourcesAmong(
  { folder, path: settings, entries }: Pick<ClientConfig, "folder" | "path" | "entries">,
  locales: HiveLocales,
  paths: readonly string[],
): readonly TreeFile[] {
  const files = entries.flatMap((given) => {
    const entry = new Entry(given);
    const isSource = sourceFilter(entry, locales);
    const matches = matcherOf(entry.source, entry.codeOf(locales.source));
    return paths.flatMap((path) => {
      const captures = matches(path);
      if (captures === undefined || !captures.every(isVisitedPath) || !isSource(path)) return [];
      return toTreeFile(folder, entry, locales, path, captures);
    });
  });
  checkNames(settings, files);
  return files;
}

/**
 * The codes under `locales` must be codes of the Hive: a misspelt one would be passed over. Codes of the Hive that are no
 * language's must be there: with the code `package`, a server could have `{locale}.json` mean the app's package.json.
 */
function checkLocales(settings: string, entries: readonly Entry[], { source, targets }: HiveLocales): void {
  for (const entry of entries) {
    const strange = targets.find((locale) => !entry.explains(locale));
    if (strange === undefined) continue;
    const { code } = strange;
    const problem = `${entry.entry.path}: the Hive has a locale ${code}, which is not a language code; if its files are to have that name, put it under locales: (${code}: ${code})`;
    throw fileError("misuse", { file: settings }, problem);
  }
  const known = new Set([source, ...targets].flatMap(({ code, canonical }) => [code, canonical]));
  for (const { entry } of entries) {
    const unknown = Object.keys(entry.locales ?? {}).find((code) => !known.has(code));
    if (unknown === undefined) continue;
    const codes = [source, ...targets].map(({ code }) => code).join(", ");
    const problem = `${entry.path}: locales: the Hive has no locale ${unknown}; it has ${codes}`;
    throw fileError("misuse", { file: settings }, problem);
  }
}

async function sourceFiles(listings: Listings, entry: Entry, locales: HiveLocales) {
  const found = await findFiles(listings, entry.source, entry.codeOf(locales.source));
  const isSource = sourceFilter(entry, locales);
  return found.filter(({ path }) => isSource(path));
}

/** Whether a path that the pattern of the source files matches is of a source file. */
function sourceFilter(entry: Entry, { targets }: HiveLocales): (path: string) => boolean {
  if (entry.entry.source === undefined) return () => true;
  // The source's own pattern may match what path has for other locales: locales/**/*.json and locales/{locale}/**/*.json.
  const isTarget = targets.map((locale) => matcherOf(entry.path, entry.codeOf(locale)));
  return (path) => !isTarget.some((matches) => matches(path) !== undefined);
}

function toTreeFile(
  folder: string,
  entry: Entry,
  { source, targets }: HiveLocales,
  path: string,
  captures: Captures,
): TreeFile {
  const toLocal = (filePath: string, code: string): LocalFile => ({
    path: filePath,
    absolute: join(folder, filePath),
    code,
  });
  const code = entry.codeOf(source);
  // macOS gives names in another normalization form than Hives have them in.
  const name = fillPattern(entry.name, captures, source.code).normalize("NFC");
  const local = toLocal(path, code);
  const problem = fileNameProblem(name);
  if (problem !== undefined) {
    throw fileError("misuse", { file: local.absolute }, `its name in the Hive, ${name}, ${problem}`);
  }
  return {
    name,
    format: formatOf(entry.entry, local),
    pattern: entry.entry.path,
    source: local,
    targets: new Map(
      targets.map((locale) => {
        const target = entry.codeOf(locale);
        return [locale.code, toLocal(fillPattern(entry.path, captures, target), target)];
      }),
    ),
  };
}

function formatOf({ format }: FileEntry, { path, absolute }: LocalFile): FormatRow {
  const found = format === undefined ? formatOfPath(path) : formatNamed(format);
  if (found !== undefined) return found;
  const known = formats.map(({ name }) => name).join(", ");
  throw fileError(
    "misuse",
    { file: absolute },
    `its ending stands for no format; give format: one of ${known}`,
  );
}

function checkNames(settings: string, files: readonly TreeFile[]): void {
  const byName = new Map<string, TreeFile>();
  for (const file of files) {
    const other = byName.get(file.name);
    byName.set(file.name, file);
    if (other === undefined) continue;
    const problem =
      `${other.source.path} (${other.pattern}) and ${file.source.path} (${file.pattern}) ` +
      `would both be ${file.name} in the Hive; give one of the patterns a name:`;
    throw fileError("misuse", { file: settings }, problem);
  }
}

function checkPaths(settings: string, files: readonly TreeFile[]): void {
  const byPath = new Map<string, string>();
  for (const { name, source, targets } of files) {
    for (const [locale, { path }] of [["the source", source] as const, ...targets]) {
      const what = `${name} in ${locale}`;
      const other = byPath.get(path);
      byPath.set(path, what);
      if (other !== undefined) {
        throw fileError("misuse", { file: settings }, `${path} would be both ${other} and ${what}`);
      }
    }
  }
}

async function findStrays(
  listings: Listings,
  entries: readonly Entry[],
  { targets }: HiveLocales,
  files: readonly TreeFile[],
): Promise<Tree["strays"]> {
  const known = new Set(
    files.flatMap(({ source, targets: others }) => [source, ...others.values()].map(({ path }) => path)),
  );
  const strays = new Map<string, readonly string[]>();
  for (const locale of targets) {
    const found = new Set<string>();
    for (const entry of entries) {
      for (const { path } of await findFiles(listings, entry.path, entry.codeOf(locale))) {
        if (!known.has(path)) found.add(path);
      }
    }
    if (found.size > 0) strays.set(locale.code, [...found].toSorted());
  }
  return strays;
}
