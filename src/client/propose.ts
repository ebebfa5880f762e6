/** Proposes patterns for `skep init`: for the files of an app's tree that look like translations. */
import type { Dirent } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { groupBy } from "../domain/group-by.ts";
import { formatOfPath } from "../formats/formats.ts";
import type { HiveLocale } from "./api/hive-api.ts";
import { planLocales, type OtherCode } from "./new-locales.ts";
import {
  baseCode,
  missingSource,
  noCode,
  sourceAmong,
  sourceFinder,
  type Candidate,
} from "./tree/proposed-source.ts";
import { canonicalCode, isLanguageCode } from "./tree/language-code.ts";
import { matcherOf, parsePattern, wildcardPart } from "./tree/pattern.ts";
import type { FileEntry } from "./tree/schema.ts";
import { findTree } from "./tree/tree.ts";

/** An entry of `files` in `skep.yaml`, and what it finds. */
export interface ProposedPattern extends FileEntry {
  readonly sourceFiles: number;
  /** The codes of the other locales that have files. */
  readonly codes: readonly string[];
}

export interface Proposal {
  /** The source locale, with the code that the app's files have for it. */
  readonly source: HiveLocale;
  readonly targets: readonly HiveLocale[];
  readonly patterns: readonly ProposedPattern[];
  /** Patterns that have files, but none of the source locale, and why they are left out. */
  readonly withoutSource: readonly { readonly path: string; readonly reason: string }[];
  /** Codes that the Hive cannot tell from another one. */
  readonly ambiguous: readonly OtherCode[];
}

/** Folders that are skipped, as are folders that begin with a dot: they hold no files that people edit. */
const ignoredFolder =
  /^(\..*|node_modules|vendor|build|dist|out|target|coverage|tmp|log|Pods|Carthage|third_party|bower_components|.*\.(xc)?framework)$/;
/** How deep a tree is searched, and how many files. For a larger one, `skep.yaml` must be written by hand. */
const maxDepth = 10;
const maxFiles = 200_000;

/** Usual names of folders with translations, in upper or lower case. */
const home =
  /^(_locales|lang|langs|languages?|locales?|locali[sz]ations?|l10n|i18n|intl|translations?|messages|nls|po|strings)$/i;
/** Formats whose files are translations in whatever folder they are. */
const ownEnding = /^\.(ftl|po|arb|ts|xlf|xliff)$/;
/** Files that may be of a bundle of Java or .NET, which lie in any folder. */
const ofBundle = /\.(properties|resx)$/;
/** Outside the usual folders: `src`, `app` and `lib` are languages, too. */
const shortCode = /^[a-z]{2}(?![a-z])/;
/** A language, and what may follow it: a script, a region. */
const codePattern = /^[a-z]{2,3}(?:[-_][A-Z][a-z]{3})?(?:[-_](?:[A-Z]{2}|[a-z]{2}|[0-9]{3}))?$/;
const appleFolder = /^(.*)\.lproj$/;
const androidFolder = /^values(?:-([a-z]{2,3}|b(?:\+[A-Za-z0-9]+)+)(?:-r([A-Z]{2}))?)?$/;
function isCode(name: string): boolean {
  return codePattern.test(name) && isLanguageCode(name);
}

/** Splits a name at the first place that leaves a code behind it: `app_pt_BR` is `app_` and `pt_BR`. */
function splitAtCode(stem: string): readonly [before: string, code: string] | undefined {
  for (const { index } of stem.matchAll(/(?<=.)[._-]/g)) {
    const rest = stem.slice(index + 1);
    if (isCode(rest)) return [stem.slice(0, index + 1), rest];
  }
  return undefined;
}

/**
 * Looks for files of translations.
 * @param source the source locale if it is known; English or the locale with the most files if not.
 */
export async function proposePatterns(folder: string, source?: string): Promise<Proposal> {
  const files = await filesBelow(folder);
  const found = withBases(await candidatesIn(folder, files), files);
  const groups = [...groupBy(withPrefixes(withFolders(withBundles(found))), ({ path }) => path)];
  const chosen = source ?? (await sourceAmong(folder, found));
  const sourceOf = sourceFinder(groups, chosen);
  const entries: FileEntry[] = [];
  const withoutSource: { readonly path: string; readonly reason: string }[] = [];
  for (const [path, candidates] of groups.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const first = sourceOf(candidates);
    if (first === undefined) {
      withoutSource.push({ path, reason: missingSource(path, chosen) });
      continue;
    }
    const ownSource = first.code === chosen ? undefined : first.source;
    entries.push({
      path,
      source: ownSource,
      name: nameBeside(entries, ownSource ?? path, path),
      format: await formatFor(folder, first),
      locales:
        ownSource === undefined && ![chosen, noCode].includes(first.code)
          ? { [chosen]: first.code }
          : undefined,
    });
  }
  return { ...(await withLocales(folder, chosen, entries)), withoutSource };
}

async function withLocales(
  folder: string,
  source: string,
  entries: readonly FileEntry[],
): Promise<Omit<Proposal, "withoutSource">> {
  const known = { source: { code: source, canonical: canonicalCode(source) ?? source }, targets: [] };
  const tree = await findTree({ folder, path: folder, entries, exclude: [] }, known);
  const { missing, otherCodes, ambiguous } = planLocales(tree, known);
  const patterns = entries.map((entry): ProposedPattern => {
    const own = otherCodes.filter(({ pattern }) => pattern === entry.path);
    const locales = {
      ...entry.locales,
      ...Object.fromEntries(own.map(({ locale, code }) => [locale, code])),
    };
    return {
      ...entry,
      locales: Object.keys(locales).length === 0 ? undefined : locales,
      sourceFiles: tree.files.filter(({ pattern }) => pattern === entry.path).length,
      codes: tree.foreign
        .flatMap(({ pattern, code: found }) => (pattern === entry.path ? found : []))
        .toSorted(),
    };
  });
  return { source: known.source, targets: missing, patterns, ambiguous };
}

/** Files of formats that Skep knows; nothing is looked for through symbolic links. */
async function filesBelow(folder: string): Promise<readonly string[]> {
  const files: string[] = [];
  const visit = async (below: string, depth: number): Promise<void> => {
    const entries = await readdir(join(folder, below), { withFileTypes: true }).catch(
      (error: unknown): Dirent[] => {
        // Folders that the user may not read are skipped; only the root must be readable.
        if (below === "") throw error;
        return [];
      },
    );
    for (const entry of entries) {
      if (files.length >= maxFiles) return;
      const path = below + entry.name;
      if (entry.isFile() && formatOfPath(path) !== undefined) files.push(path);
      const isEntered = entry.isDirectory() && !ignoredFolder.test(entry.name) && depth < maxDepth;
      if (isEntered) await visit(`${path}/`, depth + 1);
    }
  };
  await visit("", 0);
  return files.toSorted();
}

/** What shows that a file is of a format whose ending other files have, too. */
const ofXliff = /<xliff\b[^>]*\sversion=["']1\.2["']/;
const beginnings: Readonly<Record<string, RegExp>> = {
  ".ts": /^\ufeff?\s*<(?:\?xml|!DOCTYPE TS|TS)\b/,
  ".xlf": ofXliff,
  ".xliff": ofXliff,
};

async function candidatesIn(folder: string, files: readonly string[]): Promise<readonly Candidate[]> {
  const found: Candidate[] = [];
  for (const file of files) {
    const candidate = candidateOf(file);
    const beginning = beginnings[file.slice(file.lastIndexOf("."))];
    const isOther =
      candidate !== undefined && beginning?.test(await readFile(join(folder, file), "utf8")) === false;
    if (candidate !== undefined && !isOther) found.push(candidate);
  }
  return found;
}

function candidateOf(file: string): Candidate | undefined {
  const names = file.split("/");
  const last = names.pop() ?? "";
  const ending = last.slice(last.lastIndexOf("."));
  const stem = last.slice(0, -ending.length);
  const isHome = names.some((name) => home.test(name));
  const isOwn = !isHome && ownEnding.test(ending);
  const pathOf = (at: number, name: string, rest: string): string =>
    [...names.slice(0, at), name, rest].join("/");
  if (ending === ".pot") return undefined;
  if (formatOfPath(file)?.isMultilingual === true) return { file, code: noCode, path: file };
  if (formatOfPath(file)?.name === "chrome") {
    const at = names.length - 1;
    return { file, code: names[at] ?? "", path: pathOf(at, "{locale}", last) };
  }
  for (const [at, name] of names.entries()) {
    const [, apple] = appleFolder.exec(name) ?? [];
    if (apple !== undefined && (apple === baseCode || isCode(apple))) {
      const path = pathOf(at, "{locale}.lproj", `*${ending}`);
      return { file, code: apple, path, source: pathOf(at, `${baseCode}.lproj`, `*${ending}`) };
    }
    const android = androidFolder.exec(name);
    if (android !== null && names[at - 1] === "res" && last === "strings.xml") {
      const [, language = noCode, region] = android;
      const path = pathOf(at, "values-{locale}", last);
      const found = region === undefined ? language : `${language}-r${region}`;
      return { file, code: found, path, source: pathOf(at, "values", last) };
    }
    const isBelow = isOwn ? shortCode.test(name) : names.slice(0, at).some((above) => home.test(above));
    if (ending !== ".xml" && isCode(name) && isBelow) {
      const inner = names[at + 1] === "LC_MESSAGES" ? `LC_MESSAGES/*${ending}` : ofLocale(stem, name, ending);
      return { file, code: name, path: pathOf(at, "{locale}", inner) };
    }
  }
  // Other files of this ending are of formats that Skep does not know.
  if (ending === ".xml" || (!isHome && !isOwn && !ofBundle.test(last))) return undefined;
  const folder = names.map((name) => `${name}/`).join("");
  if ((isHome || (isOwn && shortCode.test(stem))) && isCode(stem))
    return { file, code: stem, path: `${folder}{locale}${ending}` };
  const [before, found] = splitAtCode(stem) ?? [];
  const separator = isOwn ? /[._]$/ : ending === ".resx" ? /\.$/ : /_$/;
  const isUsual = isHome || (separator.test(before ?? "") && (!isOwn || shortCode.test(found ?? "")));
  if (found === undefined || !isUsual) return undefined;
  return { file, code: found, path: `${folder}${before}{locale}${ending}` };
}

/**
 * Adds the files without a code that stand for the source locale: `messages.properties` beside `messages_fr.properties`, and
 * gettext's templates. Bundles lie in any folder, but only beside such a file.
 */
function withBases(candidates: readonly Candidate[], files: readonly string[]): readonly Candidate[] {
  const known = new Set(files);
  const all: Candidate[] = [];
  for (const [path, own] of groupBy(candidates, (candidate) => candidate.path)) {
    const source = own.some((candidate) => candidate.source !== undefined) ? undefined : baseOf(path, known);
    const isBundle = ofBundle.test(path) && !path.split("/").some((name) => home.test(name));
    if (source !== undefined) {
      const matches = matcherOf(parsePattern(source), noCode);
      const file = files.find((each) => matches(each) !== undefined) ?? source;
      for (const candidate of own) all.push({ ...candidate, source });
      all.push({ file, code: noCode, path, source });
    } else if (!isBundle) all.push(...own);
  }
  return all;
}

/** The path of files without a code for the files of a pattern. */
function baseOf(path: string, files: ReadonlySet<string>): string | undefined {
  if (!path.includes("{locale}")) return undefined;
  if (path.endsWith(".po")) {
    const folder = path.slice(0, path.indexOf("{locale}"));
    const templates = [...files].filter(
      (file) => file.endsWith(".pot") && file.slice(0, file.lastIndexOf("/") + 1) === folder,
    );
    if (path.includes("*"))
      return templates.length > 0 && path.endsWith("/LC_MESSAGES/*.po") ? `${folder}*.pot` : undefined;
    return templates.length === 1 ? templates[0] : undefined;
  }
  const base = path.replace(/[._-]\{locale\}(?=[^/]*$)/, "");
  // Angular writes its source file in the folder of the app, or in one above.
  const folders = path.endsWith(".xlf") ? base.split("/").slice(0, -1) : [];
  const name = base.slice(base.lastIndexOf("/") + 1);
  const above = folders.map((_, i) => [...folders.slice(0, i), name].join("/"));
  return base === path ? undefined : [base, ...above.toReversed()].find((file) => files.has(file));
}

/** The files in a locale's own folder; some trees repeat the code in the file's name. */
function ofLocale(stem: string, found: string, ending: string): string {
  if (stem === found) return `{locale}${ending}`;
  return stem.endsWith(`.${found}`) ? `**/*.{locale}${ending}` : `**/*${ending}`;
}

/** Makes one pattern of the same files in several folders below the folder of translations, as Rails has them. */
function withFolders(candidates: readonly Candidate[]): readonly Candidate[] {
  return merged(candidates, ({ path, source }) => {
    if (source !== undefined) return undefined;
    const names = path.split("/");
    const at = names.findIndex((name) => home.test(name));
    const last = names.at(-1) ?? "";
    if (at === -1 || names.length - at < 2 || names.slice(at + 1, -1).some((name) => /[{*]/.test(name)))
      return undefined;
    return `${names.slice(0, at + 1).join("/")}/**/${last}`;
  });
}

/** Makes one pattern of .NET's bundles, of which each form of an app has its own. */
function withBundles(candidates: readonly Candidate[]): readonly Candidate[] {
  const bundles = candidates.filter(({ path, source }) => path.endsWith(".resx") && source !== undefined);
  const paths = [...new Set(bundles.map(({ path }) => path))];
  if (paths.length < 2) return candidates;
  const folders = paths.map((path) => path.split("/").slice(0, -1));
  const [first = []] = folders;
  const isShared = (i: number): boolean => folders.every((names) => names[i] === first[i]);
  const different = first.findIndex((_, i) => !isShared(i));
  const folder = first.slice(0, different === -1 ? first.length : different).map((name) => `${name}/`);
  const [path, source] = [`${folder.join("")}**/*.{locale}.resx`, `${folder.join("")}**/*.resx`];
  return candidates.map((one) => (bundles.includes(one) ? { ...one, path, source } : one));
}

/** Makes one pattern of files that differ in the part before the code: `devise.en.yml`, `views.en.yml`. */
function withPrefixes(candidates: readonly Candidate[]): readonly Candidate[] {
  return merged(candidates, ({ path, source }) => {
    if (source !== undefined) return undefined;
    const [, folder, separator, ending] = /^(.*?)[^/*{]+([._-])\{locale\}([^/]*)$/.exec(path) ?? [];
    return folder === undefined ? undefined : `${folder}*${separator}{locale}${ending}`;
  });
}

/** Gives candidates a wider path where several paths share it. */
function merged(
  candidates: readonly Candidate[],
  widened: (candidate: Candidate) => string | undefined,
): readonly Candidate[] {
  const paths = new Map<string, Set<string>>();
  for (const candidate of candidates) {
    const wide = widened(candidate);
    if (wide !== undefined) paths.set(wide, (paths.get(wide) ?? new Set()).add(candidate.path));
  }
  return candidates.map((candidate) => {
    const wide = widened(candidate);
    return wide !== undefined && (paths.get(wide)?.size ?? 0) > 1 ? { ...candidate, path: wide } : candidate;
  });
}

/** The format of a file whose extension does not determine it: in Rails, YAML has the locale as its root. */
async function formatFor(folder: string, { file, code: found }: Candidate): Promise<string | undefined> {
  if (!/\.ya?ml$/.test(file)) return undefined;
  const text = await readFile(join(folder, file), "utf8");
  const roots = Array.from(text.matchAll(/^["']?([^\s"'#:][^"':\n]*)["']?:/gm), ([, name]) => name);
  return roots.length === 1 && roots[0] === found ? "rails" : undefined;
}

/** A name in the Hive for files that would otherwise have the names of another pattern's files. */
function nameBeside(entries: readonly FileEntry[], source: string, path: string): string | undefined {
  const taken = new Set(entries.map((other) => bare(other.name ?? usualName(other.source ?? other.path))));
  if (!taken.has(bare(usualName(source)))) return undefined;
  const names = path.split("/").filter((name) => name !== "{locale}");
  const short = names.filter((name) => !home.test(name)).join("/");
  return taken.has(bare(short)) ? names.join("/") : short;
}

/** What `**` matches may be no folder at all. */
function bare(name: string): string {
  return name.replaceAll("**/", "");
}

function usualName(pattern: string): string {
  return wildcardPart(parsePattern(pattern)).text;
}
