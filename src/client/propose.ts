/** Proposes patterns for `skep init`: for the files of an app's tree that look like translations. */
import type { Dirent } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { groupBy } from "../domain/group-by.ts";
import { isLanguageCode } from "./tree/language-code.ts";
import { formatNamed, formatOfPath } from "../formats/formats.ts";

/** An entry of `files` in `skep.yaml`, and what it finds. */
export interface ProposedPattern {
  readonly path: string;
  /** The path of the source files, where their path has no code. */
  readonly source?: string;
  readonly name?: string;
  readonly format?: string;
  /** How many source files there are. */
  readonly sourceFiles: number;
  /** The codes of the other locales that have files. */
  readonly locales: readonly string[];
}

export interface Proposal {
  /** The code of the source locale in the app's files. */
  readonly source: string;
  readonly patterns: readonly ProposedPattern[];
  /** Patterns that have files, but none of the source locale. */
  readonly withoutSource: readonly string[];
}

/** Folders that are skipped, like those that begin with a dot: they hold no files that people edit. */
const ignoredFolders = new Set(
  "node_modules vendor build dist out target coverage tmp log Pods third_party bower_components".split(" "),
);
/** How deep a tree is searched, and how many files. For a larger one, `skep.yaml` must be written by hand. */
const maxDepth = 10;
const maxFiles = 200_000;

/** Usual names of folders with translations, in upper or lower case. */
const home = /^(lang|langs|languages?|locales?|l10n|i18n|intl|translations?|messages|nls)$/i;
/** A language, and what may follow it: a script, a region. */
const code = /^[a-z]{2,3}(?:[-_][A-Z][a-z]{3})?(?:[-_](?:[A-Z]{2}|[a-z]{2}|[0-9]{3}))?$/;
const appleFolder = /^(.*)\.lproj$/;
const androidFolder = /^values(?:-([a-z]{2,3}|b(?:\+[A-Za-z0-9]+)+)(?:-r([A-Z]{2}))?)?$/;
/** Stands for the code of files in Android's folder for the source locale, which has none. */
const noCode = "";

/** Whether a name is a locale's code. */
function isCode(name: string): boolean {
  return code.test(name) && isLanguageCode(name);
}

/** Splits a name at the first place that leaves a code behind it: `app_pt_BR` is `app_` and `pt_BR`. */
function splitAtCode(stem: string): readonly [before: string, code: string] | undefined {
  for (const { index } of stem.matchAll(/(?<=.)[._-]/g)) {
    const rest = stem.slice(index + 1);
    if (isCode(rest)) return [stem.slice(0, index + 1), rest];
  }
  return undefined;
}

/** A file that looks like one of a locale. */
interface Candidate {
  readonly file: string;
  readonly code: string;
  /** Files with the same one belong together. */
  readonly path: string;
  /** The path of the source file if its path has no code. */
  readonly source?: string;
}

/**
 * Looks for files of translations.
 * @param folder the root of the app's tree.
 * @param source the source locale if it is known; `en` or the locale with the most files if not.
 */
export async function proposePatterns(folder: string, source?: string): Promise<Proposal> {
  const found = (await filesBelow(folder)).flatMap((file) => candidateOf(file) ?? []);
  const groups = [...groupBy(withPrefixes(withFolders(found)), ({ path }) => path)];
  const chosen = source ?? sourceAmong(found.map((candidate) => candidate.code));
  const isSource = (candidate: Candidate): boolean =>
    candidate.code === chosen || candidate.code === noCode || candidate.code === "Base";
  const patterns: ProposedPattern[] = [];
  const withoutSource: string[] = [];
  for (const [path, candidates] of groups.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const sources = candidates.filter(isSource);
    const [first] = sources;
    if (first === undefined) {
      withoutSource.push(path);
      continue;
    }
    const format = await formatFor(folder, first);
    const name = nameBeside(patterns, path);
    patterns.push({
      path,
      source: first.code === chosen ? undefined : first.source,
      name,
      format,
      sourceFiles: sources.length,
      locales: [
        ...new Set(candidates.filter((candidate) => !isSource(candidate)).map((each) => each.code)),
      ].toSorted(),
    });
  }
  return { source: chosen, patterns, withoutSource };
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
      const isEntered = !entry.name.startsWith(".") && !ignoredFolders.has(entry.name) && depth < maxDepth;
      if (entry.isDirectory() && isEntered) await visit(`${path}/`, depth + 1);
    }
  };
  await visit("", 0);
  return files.toSorted();
}

function candidateOf(file: string): Candidate | undefined {
  const names = file.split("/");
  const last = names.pop() ?? "";
  const ending = last.slice(last.lastIndexOf("."));
  const stem = last.slice(0, -ending.length);
  const pathOf = (at: number, name: string, rest: string): string =>
    [...names.slice(0, at), name, rest].join("/");
  for (const [at, name] of names.entries()) {
    const [, apple] = appleFolder.exec(name) ?? [];
    if (apple !== undefined && (apple === "Base" || isCode(apple))) {
      const path = pathOf(at, "{locale}.lproj", `*${ending}`);
      return { file, code: apple, path, source: pathOf(at, "Base.lproj", `*${ending}`) };
    }
    const android = androidFolder.exec(name);
    if (android !== null && names[at - 1] === "res" && last === "strings.xml") {
      const [, language = noCode, region] = android;
      const path = pathOf(at, "values-{locale}", last);
      const found = region === undefined ? language : `${language}-r${region}`;
      return { file, code: found, path, source: pathOf(at, "values", last) };
    }
    if (ending !== ".xml" && isCode(name) && names.slice(0, at).some((above) => home.test(above))) {
      return { file, code: name, path: pathOf(at, "{locale}", ofLocale(stem, name, ending)) };
    }
  }
  // Other files of this ending are of formats that Skep does not know.
  if (ending === ".xml" || !names.some((name) => home.test(name))) return undefined;
  const folder = names.map((name) => `${name}/`).join("");
  if (isCode(stem)) return { file, code: stem, path: `${folder}{locale}${ending}` };
  const [before, found] = splitAtCode(stem) ?? [];
  return found === undefined ? undefined : { file, code: found, path: `${folder}${before}{locale}${ending}` };
}

/** The files in a locale's own folder; some trees repeat the code in the file's name. */
function ofLocale(stem: string, found: string, ending: string): string {
  if (stem === found) return `{locale}${ending}`;
  return stem.endsWith(`.${found}`) ? `**/*.{locale}${ending}` : `**/*${ending}`;
}

/** Makes one pattern of the same files in several folders below the folder of translations, as Rails has them. */
function withFolders(candidates: readonly Candidate[]): readonly Candidate[] {
  return merged(candidates, ({ path }) => {
    const names = path.split("/");
    const at = names.findIndex((name) => home.test(name));
    const last = names.at(-1) ?? "";
    if (at === -1 || names.length - at < 2 || names.slice(at + 1, -1).some((name) => /[{*]/.test(name))) {
      return undefined;
    }
    return `${names.slice(0, at + 1).join("/")}/**/${last}`;
  });
}

/** Makes one pattern of files that differ in the part before the code: `devise.en.yml`, `views.en.yml`. */
function withPrefixes(candidates: readonly Candidate[]): readonly Candidate[] {
  return merged(candidates, ({ path }) => {
    const [, folder, separator, ending] = /^(.*?)[^/*{]+([._-])\{locale\}([^/]*)$/.exec(path) ?? [];
    return folder === undefined ? undefined : `${folder}*${separator}{locale}${ending}`;
  });
}

/** Gives candidates the wider path where those that share it have different ones now. */
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

/** English if there are files of it, or some without a code, as in most apps; otherwise the locale with the most files. */
function sourceAmong(codes: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const each of codes) {
    if (each !== noCode && each !== "Base") counts.set(each, (counts.get(each) ?? 0) + 1);
  }
  const english = ["en", ...[...counts.keys()].filter((each) => /^en[-_]/.test(each)).toSorted()];
  const [most] = [...counts].toSorted(([, a], [, b]) => b - a);
  const hasOthers = codes.some((each) => each === noCode || each === "Base");
  return english.find((each) => counts.has(each)) ?? (hasOthers ? "en" : most?.[0]) ?? "en";
}

/** The format of a file whose extension does not determine it: in Rails, YAML has the locale as its root. */
async function formatFor(folder: string, { file, code: found }: Candidate): Promise<string | undefined> {
  const usual = formatOfPath(file)?.name;
  if (!/\.ya?ml$/.test(file)) return undefined;
  const text = await readFile(join(folder, file), "utf8");
  const roots = Array.from(text.matchAll(/^["']?([^\s"'#:][^"':]*)["']?:/gm), ([, name]) => name);
  const format = roots.length === 1 && roots[0] === found ? "rails" : "yaml";
  return format === usual || formatNamed(format) === undefined ? undefined : format;
}

/** The names in the Hive that a pattern gives unless `skep.yaml` says otherwise: what its wildcards match. */
function usualName(path: string): string {
  const names = path.split("/");
  return names.filter((name, i) => i === names.length - 1 || name.includes("*")).join("/");
}

/** A name in the Hive for files that would have the names of another pattern's. */
function nameBeside(patterns: readonly ProposedPattern[], path: string): string | undefined {
  if (!patterns.some((other) => usualName(other.path) === usualName(path))) return undefined;
  return path
    .split("/")
    .filter((name) => name !== "{locale}" && !home.test(name))
    .join("/");
}
