/** The files of an app's tree that look like translations, and the pattern that each belongs to. */
import type { Dirent } from "node:fs";
import { open, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { groupBy } from "../../domain/group-by.ts";
import { formatOfPath } from "../../formats/formats.ts";
import { startOfApps } from "../../formats/xliff/xliff-names.ts";
import { isLanguageCode } from "./language-code.ts";
import { matcherOf, parsePattern } from "./pattern.ts";
import { baseCode, noCode, type Candidate } from "./proposed-source.ts";
import { templatesOf } from "./templates.ts";
import { isOfOtherKind, unreadFiles, type UnreadFiles } from "./unread-files.ts";

/** Folders that are skipped, as are folders that begin with a dot: they hold no files that people edit. */
const ignoredFolder =
  /^(\..*|node_modules|vendor|build|dist|out|target|coverage|tmp|log|Pods|Carthage|third_party|bower_components|jspm_packages|__pycache__|site-packages|tests?|__tests__|specs?|fixtures|__fixtures__|testdata|.*\.(xc)?framework)$/;
/** Plugins that a web app was given are in such a folder. */
const ofOthers =
  /(?:^|\/)(?:public|static|assets|www)\/(?:plugins|libs?|vendors?|third[-_]party|components)\//;
/** How deep a tree is searched, and how many files. For a larger one, `skep.yaml` must be written by hand. */
const maxDepth = 10;
const maxFiles = 200_000;

/** Usual names of folders with translations, in upper or lower case. */
export const home =
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

/** What is found in a tree. */
export interface FoundFiles {
  readonly candidates: readonly Candidate[];
  /** Files of translations that cannot be offered. */
  readonly unread: readonly UnreadFiles[];
}

/** Finds the files that may be translations. */
export async function findCandidates(folder: string): Promise<FoundFiles> {
  const all = await filesBelow(folder);
  const files = all.filter((file) => formatOfPath(file) !== undefined);
  const found = amongLocales(withBases(await candidatesIn(folder, files), files), files);
  const offered = new Set(found.map(({ file }) => file));
  const others = all.filter((file) => !offered.has(file) && isOfOtherKind(file));
  const unread = await unreadFiles(others, (file) =>
    readFile(join(folder, file), "utf8").catch(() => undefined),
  );
  return { candidates: withPrefixes(withFolders(withBundles(found))), unread };
}

/**
 * Leaves out a code that is alone among other names, other than of English: `src`, which is Sardinian, beside `test`, or
 * `de.json` beside `settings.json`.
 */
function amongLocales(candidates: readonly Candidate[], files: readonly string[]): readonly Candidate[] {
  const codes = new Map<string, Set<string>>();
  for (const { path, code } of candidates) codes.set(path, (codes.get(path) ?? new Set()).add(code));
  return candidates.filter(({ path, code, source }) => {
    if (source !== undefined || [noCode, baseCode].includes(code) || /^en\b/.test(code)) return true;
    return (codes.get(path)?.size ?? 0) > 1 || !hasOtherNames(path, files);
  });
}

/** Whether there are names that are no codes where a path has one. */
function hasOtherNames(path: string, files: readonly string[]): boolean {
  const names = path.split("/");
  const at = names.findIndex((name) => name.includes("{locale}"));
  const before = names
    .slice(0, at)
    .map((name) => `${name}/`)
    .join("");
  const isFolder = names[at] === "{locale}" && at < names.length - 1;
  const ending = path.slice(path.lastIndexOf("."));
  return files.some((file) => {
    const [name = "", ...below] = file.startsWith(before) ? file.slice(before.length).split("/") : [];
    if (name === "" || below.length > 0 !== isFolder || (!isFolder && !name.endsWith(ending))) return false;
    const stem = isFolder ? name : name.slice(0, name.lastIndexOf("."));
    return !isCode(stem) && (isFolder || splitAtCode(stem) === undefined);
  });
}

/** Files that may have translations; nothing is looked for through symbolic links. */
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
      const isWanted = formatOfPath(path) !== undefined || isOfOtherKind(path);
      if (entry.isFile() && isWanted && !ofOthers.test(path)) files.push(path);
      const isEntered = entry.isDirectory() && !ignoredFolder.test(entry.name) && depth < maxDepth;
      if (isEntered) await visit(`${path}/`, depth + 1);
    }
  };
  await visit("", 0);
  return files.toSorted();
}

const noFile = String.raw`(?:(?!<file\b)[^])*`;
/** What shows that a file is of a format whose ending other files have, too. */
const beginnings: Readonly<Record<string, RegExp>> = {
  ".ts": /^\ufeff?\s*<(?:\?xml|!DOCTYPE TS|TS)\b/,
  ".xlf": startOfApps,
  // Xcode exports the texts of all files of an app in one.
  ".xliff": new RegExp(String.raw`^${noFile}${startOfApps.source}${noFile}<file\b${noFile}$`),
};
/** Android's folders hold colours, styles and more, too. */
const ofAndroid = /<(?:string|plurals|string-array)\b/;

/** How much of a table is read: most are data, and may be of any size. */
const maxHead = 16 * 1024;

async function headOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxHead), 0, maxHead, 0);
    return buffer.toString("utf8", 0, bytesRead).replace(/^\ufeff/, "");
  } finally {
    await file.close();
  }
}

/** Columns of a table that are for people. */
const besideLocales = /^[_?]|^(?:comments?|contexts?|descriptions?|notes?)$/i;

/** Whether the columns of a table are locales, but for the first, which has the keys, and those that are for people. */
function namesLocales(head: string): boolean {
  const names = (head.split(/\r?\n/)[0] ?? "")
    .split(/[,;\t]/)
    .map((name) => name.trim().replaceAll(/^"|"$/g, ""));
  const [key = "", ...others] = names;
  const codes = others.filter((name) => !besideLocales.test(name));
  const isKeyed = /^keys?$/i.test(key);
  return codes.length >= (isKeyed ? 1 : 2) && codes.every((code) => isCode(code));
}

async function candidatesIn(folder: string, files: readonly string[]): Promise<readonly Candidate[]> {
  const found: Candidate[] = [];
  for (const file of files) {
    const candidate = candidateOf(file);
    if (formatOfPath(file)?.name === "csv") {
      if (candidate !== undefined && namesLocales(await headOf(join(folder, file)))) found.push(candidate);
      continue;
    }
    const isOfAndroid = file.endsWith(".xml") && !file.endsWith("/strings.xml");
    const beginning = isOfAndroid ? ofAndroid : beginnings[file.slice(file.lastIndexOf("."))];
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
  const isTable = formatOfPath(file)?.name === "csv";
  if (isTable && !isHome && !home.test(stem) && !/^(?:texts?|strings?)$/i.test(stem)) return undefined;
  if (formatOfPath(file)?.isMultilingual === true) return { file, code: noCode, path: file };
  if (formatOfPath(file)?.name === "chrome") {
    const at = names.length - 1;
    return { file, code: names[at] ?? "", path: pathOf(at, "{locale}", last) };
  }
  // The texts of a Visual Studio Code extension's package.json.
  const extension = /^package\.nls(?:\.(.+))?\.json$/.exec(last);
  const [, code = noCode] = extension ?? [];
  if (extension !== null && (code === noCode || isCode(code))) {
    const at = names.map((name) => `${name}/`).join("");
    return { file, code, path: `${at}package.nls.{locale}.json`, source: `${at}package.nls.json` };
  }
  for (const [at, name] of names.entries()) {
    const [, apple] = appleFolder.exec(name) ?? [];
    if (apple !== undefined && (apple === baseCode || isCode(apple))) {
      const path = pathOf(at, "{locale}.lproj", `*${ending}`);
      return { file, code: apple, path, source: pathOf(at, `${baseCode}.lproj`, `*${ending}`) };
    }
    const android = androidFolder.exec(name);
    if (
      android !== null &&
      names[at - 1] === "res" &&
      ending === ".xml" &&
      !/^do_?not_?translate/i.test(last)
    ) {
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
  // Shopify's themes: en.default.json beside fr.json, and en.default.schema.json beside fr.schema.json. Others have a word
  // behind the code: go-i18n's en.all.json, en.i18n.json of Meteor.
  const [, own, isDefault, kind = ""] = /^([\w-]+?)(\.default)?(\.[a-z][\w-]*)?$/.exec(stem) ?? [];
  if (isHome && own !== undefined && isCode(own) && !isCode(kind.slice(1)) && (isDefault ?? kind) !== "") {
    const path = `${folder}{locale}${kind}${ending}`;
    return isDefault === undefined ? { file, code: own, path } : { file, code: noCode, path, source: file };
  }
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
    const source = own.some((candidate) => candidate.source !== undefined)
      ? undefined
      : baseOf(path, own, known);
    const isBundle = ofBundle.test(path) && !path.split("/").some((name) => home.test(name));
    if (source !== undefined) {
      const matches = matcherOf(parsePattern(source), noCode);
      const bases = files.filter((file) => matches(file) !== undefined);
      for (const candidate of own) all.push({ ...candidate, source });
      for (const file of bases.length > 0 ? bases : [source]) all.push({ file, code: noCode, path, source });
    } else if (!isBundle) all.push(...own);
  }
  return all;
}

/** The path of files without a code for the files of a pattern. */
function baseOf(path: string, own: readonly Candidate[], files: ReadonlySet<string>): string | undefined {
  if (!path.includes("{locale}")) return undefined;
  const templates = templatesOf(path, own, files);
  if (templates !== undefined || path.endsWith(".po")) return templates;
  const base = path.replace(/[._-]\{locale\}(?=[^/]*$)/, "");
  // Angular writes its source file in the folder of the app, or in one above.
  const folders = path.endsWith(".xlf") ? base.split("/").slice(0, -1) : [];
  const name = base.slice(base.lastIndexOf("/") + 1);
  const above = folders.map((_, i) => [...folders.slice(0, i), name].join("/"));
  // Business Central has a letter in the place of the code.
  const generated = path.endsWith(".{locale}.xlf") ? [path.replace("{locale}", "g")] : [];
  const bases = [base, ...generated, ...above.toReversed()];
  return base === path ? undefined : bases.find((file) => files.has(file));
}

/** The files in a locale's own folder; some trees repeat the code in the file's name. */
function ofLocale(stem: string, found: string, ending: string): string {
  if (stem === found) return `{locale}${ending}`;
  if (stem.endsWith(`.${found}`)) return `**/*.{locale}${ending}`;
  return stem.startsWith(`${found}.`) ? `**/{locale}.*${ending}` : `**/*${ending}`;
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
