/** The files of an app's tree that `skep.yaml` names: each with its name in the Hive and its path in every locale. */
import { join } from "node:path";
import { isPseudoCode } from "../../domain/export/pseudo-locales.ts";
import { filtered } from "../../domain/filtered.ts";
import { fileNameProblem } from "../../domain/names.ts";
import type { Texts } from "../../domain/strings/string-file.ts";
import { writeHeld } from "../../formats/held/can-hold.ts";
import { FormatError, type FileEdit, type ParsedFile } from "../../formats/format.ts";
import { formatNamed, formatOfPath, formats, type FormatRow } from "../../formats/formats.ts";
import { fileError } from "../api/client-error.ts";
import type { HiveLocale, HiveLocales } from "../api/hive-api.ts";
import type { ClientConfig } from "./config.ts";
import { Entry } from "./entry.ts";
import { atFile, readLocal, type FilePlace } from "./files.ts";
import { findCodes, foundInFiles, type FoundCode } from "./found-codes.ts";
import { codeMatcher, fillPattern, hasLocale, matcherOf, parsePattern, type Captures } from "./pattern.ts";
import { isLanguageCode } from "./language-code.ts";
import type { FileEntry } from "./schema.ts";
import { findFiles, isVisitedPath, Listings } from "./walk.ts";

export interface LocalFile extends FilePlace {
  /** The code of its locale in the app's files. */
  readonly code: string;
}

export interface TreeFile {
  /** The name of the file in the Hive. */
  readonly name: string;
  readonly format: FormatRow;
  readonly pattern: string;
  readonly notes: string | undefined;
  readonly source: LocalFile;
  /** By the code of the locale as the Hive shows it; excluded files and files behind a link are left out. */
  readonly targets: ReadonlyMap<string, LocalFile>;
  /** Of a format whose keys are the texts, the files of all other locales that are there, whether the Hive has these or not. */
  readonly others?: readonly LocalFile[];
}

/**
 * Loads the format of a file of one locale. What it throws names the file, and the line at fault.
 * @param sourceTexts the texts of the source file, for a file of another locale.
 */
export async function openFormat(
  { format, source, notes }: TreeFile,
  { code: locale, absolute }: LocalFile,
  sourceTexts?: Texts,
) {
  const loaded = await format.load();
  const { parse, write, unplaced } = loaded;
  const context = { locale, sourceLocale: source.code, notes, sourceTexts };
  return {
    parse: (bytes: Uint8Array) => atFile(absolute, () => parse(bytes, context)),
    write: (edit: FileEdit) => atFile(absolute, () => write(edit, context)),
    writeHeld: (edit: FileEdit, before?: Pick<ParsedFile, "texts" | "nonTextValues">) =>
      atFile(absolute, () => writeHeld(loaded, edit, context, before)),
    /** @param before the texts of the file, each of which has a place. */
    unplaced: (edit: FileEdit, before: Texts): readonly string[] => {
      const added = filtered(edit.texts, (key) => !before.has(key));
      // Finding out reads the file once more.
      if (unplaced === undefined || added.size === 0) return [];
      return atFile(absolute, () => unplaced({ ...edit, texts: added }, context));
    },
  };
}

export interface Tree {
  /** In the order of their names. */
  readonly files: readonly TreeFile[];
  /** The codes of the target locales that have a file beside a source file, by the pattern. */
  readonly present: ReadonlyMap<string, ReadonlySet<string>>;
  /** The paths of files in target locales that have no source file, by the locale's code. */
  readonly strays: ReadonlyMap<string, readonly string[]>;
  /** Codes beside source files that are of no locale of the Hive, and of no pseudo-locale. */
  readonly foreign: readonly FoundCode[];
  /** Symbolic links that were passed over. */
  readonly links: readonly string[];
  /** The patterns, of source files where they have their own, that no source file matches. */
  readonly unmatched: readonly string[];
}

export type TreeSettings = Pick<ClientConfig, "folder" | "path" | "entries" | "exclude">;

/**
 * Finds the files of a tree.
 * @throws ClientError `misuse` when two files would have one name in the Hive, or one path would be two files, when a
 * name cannot be one in a Hive, when a format is not known, and as {@link findFiles} does.
 */
export async function findTree(settings: TreeSettings, locales: HiveLocales): Promise<Tree> {
  const entries = settings.entries.map((entry) => new Entry(entry));
  const listings = new Listings(settings.folder);
  const isExcluded = exclusion(settings);
  checkLocales(settings.path, entries, locales);
  const files: TreeFile[] = [];
  const foreign: FoundCode[] = [];
  const inFiles = new Map<TreeFile, ReadonlySet<string>>();
  const unmatched: string[] = [];
  for (const entry of entries) {
    const captured: Captures[] = [];
    const found = await findFiles(listings, entry.source, entry.codeOf(locales.source));
    const isSource = sourceFilter(
      entry,
      locales,
      found.map(({ path }) => path),
    );
    const sources = found.filter(({ path }) => isSource(path) && !isExcluded(path));
    captured.push(...sources.map(({ captures }) => captures));
    await entry.followNeighbours(locales.targets, async (code) => {
      for (const captures of captured)
        if ((await listings.entry(fillPattern(entry.path, captures, code))) !== undefined) return true;
      return false;
    });
    for (const { path, captures } of sources) {
      const file = toTreeFile(settings.folder, entry, locales, path, captures);
      if (file.format.hasKeysAsTexts !== true) files.push(file);
      else {
        const options = { captured: [captures], known: [file.source.code], isExcluded };
        const codes = (await findCodes(listings, entry, options)).map((one) => one.code);
        files.push(withOthers(settings.folder, entry, file, captures, codes));
      }
    }
    if (captured.length === 0) unmatched.push(entry.source.text);
    const known = [locales.source, ...locales.targets].map((locale) => entry.codeOf(locale));
    if (entry.format?.isMultilingual === true) {
      const own = files.filter(({ pattern }) => pattern === entry.entry.path);
      for (const file of own) inFiles.set(file, await codesIn(settings.folder, file));
      const codes = own.flatMap((file) => Array.from(inFiles.get(file) ?? []));
      foreign.push(...foundInFiles(entry, codes, known));
    } else foreign.push(...(await findCodes(listings, entry, { captured, known, isExcluded })));
  }
  checkNames(settings.path, files);
  const present = new Map<string, Set<string>>();
  const reachable: TreeFile[] = [];
  for (const file of files) {
    const targets = new Map<string, LocalFile>();
    for (const [code, target] of file.targets) {
      if (isExcluded(target.path) || (await listings.isLinked(target.path))) continue;
      targets.set(code, target);
      const isPresent =
        inFiles.get(file)?.has(target.code) ?? (await listings.entry(target.path)) !== undefined;
      if (!isPresent) continue;
      present.set(file.pattern, (present.get(file.pattern) ?? new Set()).add(code));
    }
    reachable.push({ ...file, targets });
  }
  checkPaths(settings.path, reachable);
  const strays = await findStrays(listings, entries, locales, files, isExcluded);
  return {
    files: reachable.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    present,
    strays,
    // Pulls write the files of pseudo-locales, whose texts are nobody's.
    foreign: foreign.filter(({ canonical }) => !isPseudoCode(canonical)),
    links: listings.links,
    unmatched,
  };
}

/** @throws ClientError `error` when a pattern matches no source file. */
export function requireSources(
  { unmatched }: Tree,
  { path }: Pick<TreeSettings, "path">,
  { code }: HiveLocale,
  hint = "",
): void {
  if (unmatched.length === 0) return;
  const problem = `no source file matches ${unmatched.join(", ")} with ${code} for {locale}${hint}`;
  throw fileError("error", { file: path }, problem);
}

/** The codes of the locales in a file; none where it cannot be read, which those that read it find out. */
async function codesIn(folder: string, { format, source }: TreeFile): Promise<ReadonlySet<string>> {
  const bytes = await readLocal(folder, source);
  const { locales } = await format.load();
  try {
    return new Set(bytes && locales?.(bytes));
  } catch (error) {
    if (error instanceof FormatError) return new Set();
    throw error;
  }
}

/** Tells the paths that `exclude` names. */
function exclusion({ exclude }: Pick<TreeSettings, "exclude">): (path: string) => boolean {
  const excluded = exclude.map((pattern) => matcherOf(parsePattern(pattern), ""));
  return (path) => excluded.some((matches) => matches(path) !== undefined);
}

/** Whether a path below the folder of the settings is of one of their patterns, in whatever locale it is. */
export function treeFilter(settings: Pick<TreeSettings, "entries" | "exclude">): (path: string) => boolean {
  const isExcluded = exclusion(settings);
  const matchers = settings.entries.flatMap((given) => {
    const { path, source, entry } = new Entry(given);
    const named = new Set(Object.values(entry.locales ?? {}));
    return [path, source].map((pattern) => {
      if (!hasLocale(pattern)) return (file: string) => matcherOf(pattern, "")(file) !== undefined;
      const codeOf = codeMatcher(pattern);
      return (file: string) => {
        const code = codeOf(file);
        return code !== undefined && (named.has(code) || isLanguageCode(code));
      };
    });
  });
  return (file) => !isExcluded(file) && matchers.some((matches) => matches(file));
}

/**
 * The source files among paths that are not on the disk, such as the paths of an earlier commit.
 * @throws ClientError `misuse` as {@link findTree} does for the files of the tree.
 */
export function findSourcesAmong(
  settings: TreeSettings,
  locales: HiveLocales,
  paths: readonly string[],
): readonly TreeFile[] {
  const isExcluded = exclusion(settings);
  const files = settings.entries.flatMap((given) => {
    const entry = new Entry(given);
    const isSource = sourceFilter(entry, locales, paths);
    const matches = matcherOf(entry.source, entry.codeOf(locales.source));
    const codeOf = codeMatcher(entry.path);
    return paths.flatMap((path) => {
      const captures = matches(path);
      if (captures === undefined || !captures.every(isVisitedPath)) return [];
      if (!isSource(path) || isExcluded(path)) return [];
      const file = toTreeFile(settings.folder, entry, locales, path, captures);
      if (file.format.hasKeysAsTexts !== true) return file;
      const codes = paths.flatMap((other) => (isExcluded(other) ? [] : (codeOf(other) ?? [])));
      return withOthers(settings.folder, entry, file, captures, new Set(codes), new Set(paths));
    });
  });
  checkNames(settings.path, files);
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
    const unknown = Object.keys(entry.locales ?? {}).find((code) => !known.has(code) && !isPseudoCode(code));
    if (unknown === undefined) continue;
    const codes = [source, ...targets].map(({ code }) => code).join(", ");
    const problem = `${entry.path}: locales: the Hive has no locale ${unknown}; it has ${codes}`;
    throw fileError("misuse", { file: settings }, problem);
  }
}

/** Whether one of the paths that the pattern of the source files matches is of a source file. */
function sourceFilter(
  entry: Entry,
  { source, targets }: HiveLocales,
  paths: readonly string[],
): (path: string) => boolean {
  if (entry.entry.source === undefined || !hasLocale(entry.path)) return () => true;
  // The source's own pattern may match what path has for other locales: locales/**/*.json and locales/{locale}/**/*.json.
  const isTarget = targets.map((locale) => matcherOf(entry.path, entry.codeOf(locale)));
  const known = new Set(paths);
  const codeIn = codeMatcher(entry.path);
  /** Whether a path is of a locale that the Hive does not have: Resources.fr.resx beside Resources.resx. */
  function isForeign(path: string): boolean {
    const code = codeIn(path);
    if (code === undefined || !isLanguageCode(code) || entry.canonicalOf(code) === undefined) return false;
    const captures = matcherOf(entry.path, code)(path) ?? [];
    const ofSource = fillPattern(entry.source, captures, entry.codeOf(source));
    return ofSource !== path && known.has(ofSource);
  }
  return (path) => !isTarget.some((matches) => matches(path) !== undefined) && !isForeign(path);
}

function toTreeFile(
  folder: string,
  entry: Entry,
  { source, targets }: HiveLocales,
  path: string,
  captures: Captures,
): TreeFile {
  const toLocal = (filePath: string, code: string): LocalFile => {
    return { path: filePath, absolute: join(folder, filePath), code };
  };
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
    notes: entry.entry.notes,
    source: local,
    targets: new Map(
      targets.map((locale) => {
        const target = entry.codeOf(locale);
        return [locale.code, toLocal(fillPattern(entry.path, captures, target), target)];
      }),
    ),
  };
}

/** A file with the files of other locales. @param paths those that are there, if not all are. */
function withOthers(
  folder: string,
  { path }: Entry,
  file: TreeFile,
  captures: Captures,
  codes: Iterable<string>,
  paths?: ReadonlySet<string>,
): TreeFile {
  const others = Array.from(codes, (code): LocalFile => {
    const filled = fillPattern(path, captures, code);
    return { path: filled, absolute: join(folder, filled), code };
  });
  return {
    ...file,
    others: others.filter((one) => one.path !== file.source.path && paths?.has(one.path) !== false),
  };
}

function formatOf({ format }: FileEntry, { path, absolute }: LocalFile): FormatRow {
  const found = format === undefined ? formatOfPath(path) : formatNamed(format);
  if (found !== undefined) return found;
  const known = formats.map(({ name }) => name).join(", ");
  const problem = `its ending stands for no format; give format: one of ${known}`;
  throw fileError("misuse", { file: absolute }, problem);
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
  for (const { name, format, source, targets } of files) {
    const others = format.isMultilingual === true ? [] : targets;
    for (const [locale, { path }] of [["the source", source] as const, ...others]) {
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
  locales: HiveLocales,
  files: readonly TreeFile[],
  isExcluded: (path: string) => boolean,
): Promise<Tree["strays"]> {
  const known = new Set(
    files.flatMap(({ source, targets: others }) => [source, ...others.values()].map(({ path }) => path)),
  );
  const strays = new Map<string, readonly string[]>();
  for (const locale of locales.targets) {
    const found = new Set<string>();
    for (const entry of entries) {
      if (!hasLocale(entry.path)) continue;
      for (const { path, captures } of await findFiles(listings, entry.path, entry.codeOf(locale))) {
        if (known.has(path) || isExcluded(path)) continue;
        // A source file that is passed over is there all the same.
        const ofSource = fillPattern(entry.source, captures, entry.codeOf(locales.source));
        const isPassedOver = isExcluded(ofSource) || (await listings.isLinked(ofSource));
        if (!isPassedOver) found.add(path);
      }
    }
    if (found.size > 0) strays.set(locale.code, [...found].toSorted());
  }
  return strays;
}
