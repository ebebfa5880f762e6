/** Finds out which file of the Hive a file of another tool's export is: by `skep.yaml`, or by the names of its path. */
import { formatNamed, formatOfPath } from "../../formats/formats.ts";
import type { MovingContext, Placed } from "../../formats/moving/context.ts";
import type { HiveLocale, HiveLocales } from "../api/hive-api.ts";
import { Entry } from "../tree/entry.ts";
import { canonicalCode, isLanguageCode } from "../tree/language-code.ts";
import { fillPattern, matcherOf } from "../tree/pattern.ts";
import type { FileEntry } from "../tree/schema.ts";

/**
 * Finds the locale of the Hive for a code of another tool: the same one, or else the only one of its language where one of
 * both names no region, or a script in place of a region: `zh_Hans` is `zh-CN`.
 */
export function localeFinder({ source, targets }: HiveLocales): (code: string) => string | undefined {
  const all = [source, ...targets];
  const found = new Map<string, string | undefined>();
  const find = (given: string): string | undefined => {
    const code = folded(given);
    const canonical = canonicalCode(given);
    const same = all.find(
      (one) => folded(one.code) === code || folded(one.canonical) === code || one.canonical === canonical,
    );
    if (same !== undefined) return same.code;
    const alike = all.filter(({ canonical: own }) => isWithin(code, own) || isWithin(folded(own), code));
    if (alike.length > 0) return alike.length === 1 ? alike[0]?.code : undefined;
    const written = all.filter(
      ({ canonical: own }) => canonical !== undefined && isSameByScript(own, canonical),
    );
    return written.length === 1 ? written[0]?.code : undefined;
  };
  return (code) => {
    if (!found.has(code)) found.set(code, find(code));
    return found.get(code);
  };
}

function folded(code: string): string {
  return code.toLowerCase().replaceAll("_", "-");
}

function isWithin(code: string, language: string): boolean {
  return code.startsWith(`${folded(language)}-`);
}

/** Whether two codes mean the same, though one of them names a script, and the other one where it is written so. */
function isSameByScript(...codes: readonly [string, string]): boolean {
  const [one, other] = codes.map((code) => new Intl.Locale(code));
  return (
    (one?.script === undefined) !== (other?.script === undefined) &&
    one?.maximize().baseName === other?.maximize().baseName
  );
}

export interface PlaceOptions {
  /** The files of `skep.yaml`, if there is one. */
  readonly entries: readonly FileEntry[];
  readonly locales: HiveLocales;
  /** The names of the Hive's files. */
  readonly names: Iterable<string>;
  /** The paths of the export, whose common folder says nothing. */
  readonly paths: Iterable<string>;
  /** The name of the Hive's file for all of them. */
  readonly as: string | undefined;
}

/** Makes the function that tells what the file of a path is. */
export function placerFor(options: PlaceOptions): MovingContext["place"] {
  const { locales, as } = options;
  const entries = options.entries.map((entry) => new Entry(entry));
  const localeOf = localeFinder(locales);
  const paths = [...options.paths];
  const root = commonFolder(paths, (folder) =>
    codesOfFolder(folder).some((code) => localeOf(code) !== undefined || isPlainCode(code)),
  );
  const guessing = { locales, localeOf, known: new KnownNames(options.names), root };
  for (const path of paths) guessing.known.expect(namesOf(path, undefined, guessing).names);
  return (given, code) => {
    const path = given.replace(/^(?:\.?\/)+/, "");
    const byPattern = matchEntries(entries, locales, path, code === undefined ? undefined : localeOf(code));
    const placed = byPattern ?? guess(path, code, guessing);
    return as === undefined || "unknown" in placed ? placed : { ...placed, file: as };
  };
}

/** The file by the patterns of `skep.yaml`; folders above the app's own may stand before it. */
function matchEntries(
  entries: readonly Entry[],
  { source, targets }: HiveLocales,
  path: string,
  only: string | undefined,
): Placed | undefined {
  const names = path.split("/");
  for (const at of names.keys()) {
    const suffix = names.slice(at).join("/");
    for (const entry of entries) {
      for (const locale of [source, ...targets]) {
        if (only !== undefined && locale !== source && locale.code !== only) continue;
        const code = entry.codeOf(locale);
        const captures = matcherOf(locale === source ? entry.source : entry.path, code)(suffix);
        if (captures === undefined) continue;
        const file = fillPattern(entry.name, captures, source.code).normalize("NFC");
        return { file, locale: only ?? locale.code, code, format: entry.format };
      }
    }
  }
  return undefined;
}

interface Guessing {
  readonly locales: HiveLocales;
  readonly localeOf: (code: string) => string | undefined;
  readonly known: KnownNames;
  /** With a slash at its end, or empty. */
  readonly root: string;
}

/** Where the code of a locale stands in a path, and what the path is without it. */
interface FoundCode {
  readonly code: string;
  /** Names for the file in the Hive, the likeliest first. */
  readonly names: readonly string[];
}

/** The names that a file may have in the Hive, and the code of its locale as its path has it. */
function namesOf(
  path: string,
  given: string | undefined,
  { locales, localeOf, root }: Omit<Guessing, "known">,
): { readonly names: readonly string[]; readonly code: string | undefined; readonly foreign?: string } {
  const inRoot = path.startsWith(root) ? path.slice(root.length) : path;
  const places = codesIn(inRoot, locales.source.code);
  // A tool names the file of a translation, or the source file that it made it of.
  const meant = new Set([localeOf(given ?? ""), locales.source.code]);
  const isMeant = (code: string): boolean => given === undefined || meant.has(localeOf(code));
  const found = places.find(({ code }) => localeOf(code) !== undefined && isMeant(code));
  if (found !== undefined) return found;
  return {
    names: [inRoot.replace(sourceFolder, "$1")],
    code: undefined,
    foreign: places.find(({ code }) => isPlainCode(code))?.code,
  };
}

/** The folders that Android and Apple have for the source locale. */
const sourceFolder = /(^|\/)(?:values|Base\.lproj)\//;

function guess(
  path: string,
  given: string | undefined,
  guessing: Guessing,
): ReturnType<MovingContext["place"]> {
  const { locales, localeOf, known } = guessing;
  const format = formatOfPath(path);
  const { names, code, foreign } = namesOf(path, given, guessing);
  if (given !== undefined) {
    const locale = localeOf(given);
    return locale === undefined
      ? { unknown: given }
      : { file: known.choose(names), locale, code: code ?? given, format };
  }
  if (foreign !== undefined) return { unknown: foreign };
  const own = code ?? locales.source.code;
  return { file: known.choose(names), locale: localeOf(own) ?? locales.source.code, code: own, format };
}

/** Whether a text is surely a code: of a language, with nothing behind it but a region, a script or a variant. */
function isPlainCode(text: string): boolean {
  const form = /^[a-z]{2,3}(?:[-_](?:[A-Z]{2}|[A-Z][a-z]{3}|[0-9]{3})|@[a-z]{4,8})*$/;
  return form.test(text) && isLanguageCode(text);
}

/** The names of a path that may be codes, the last first. */
function codesIn(path: string, source: string): readonly FoundCode[] {
  const folders = path.split("/");
  const own = folders.pop() ?? "";
  const found: FoundCode[] = [];
  const inFolder = (name: string): string => [...folders, name].join("/");
  const [stem, ending] = splitEnding(own);
  found.push({ code: stem, names: [inFolder(source + ending)] });
  for (const pattern of [
    /^(.+?)([._-])([A-Za-z]{2,3}(?:[-_@][A-Za-z0-9]+)*)$/,
    /^(.+)([._-])([A-Za-z]{2,3})$/,
  ]) {
    const [, before, mark, code] = pattern.exec(stem) ?? [];
    if (before !== undefined && mark !== undefined && code !== undefined)
      found.push({ code, names: [inFolder(before + ending), inFolder(before + mark + source + ending)] });
  }
  for (const [i, name] of [...folders.entries()].toReversed()) {
    const below = [...folders.slice(i + 1).filter((one) => one !== "LC_MESSAGES"), own];
    const names = [[...folders.slice(0, i), ...below].join("/"), below.join("/"), own];
    for (const code of codesOfFolder(name)) found.push({ code, names });
  }
  return found;
}

/** The codes that the name of a folder may stand for. */
function codesOfFolder(name: string): readonly string[] {
  const code = androidCode(name);
  return [...new Set([name, name.replace(/\.lproj$/, "")]), ...(code === undefined ? [] : [code])];
}

function androidCode(folder: string): string | undefined {
  return folder.startsWith("values-")
    ? formatNamed("android")?.canonicalCode?.(folder.slice("values-".length))
    : undefined;
}

function splitEnding(name: string): readonly [stem: string, ending: string] {
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? [name, ""] : [name.slice(0, dot), name.slice(dot)];
}

/** The names that the Hive has for files, and the names of the export that have each. */
class KnownNames {
  readonly #names: ReadonlySet<string>;
  readonly #byStem = new Map<string, string | undefined>();
  /** The only name of the export that a name may be the end of; undefined if there are several. */
  readonly #owners = new Map<string, string | undefined>();

  constructor(names: Iterable<string>) {
    this.#names = new Set(names);
    for (const name of this.#names) {
      const [stem] = splitEnding(name);
      this.#byStem.set(stem, this.#byStem.has(stem) ? undefined : name);
    }
  }

  /** Notes the likeliest name of a file of the export. */
  expect([given = ""]: readonly string[]): void {
    const name = normalised(given);
    for (const end of endsOf(name)) {
      const isAnothers = this.#owners.has(end) && this.#owners.get(end) !== name;
      if (end === name) this.#owners.set(end, name);
      else if (this.#owners.get(end) !== end) this.#owners.set(end, isAnothers ? undefined : name);
    }
  }

  /** The name of the Hive's file that has one of some names, or the end of one; with another ending if need be. */
  choose(names: readonly string[]): string {
    const all = names.map(normalised);
    const [first = ""] = all;
    const ends = all.flatMap(endsOf).filter((end) => end === first || this.#isOwn(end, first));
    const same = ends.find((name) => this.#names.has(name));
    const template = ends.map((name) => name.replace(/\.po$/, ".pot")).find((name) => this.#names.has(name));
    const alike = ends.flatMap((name) => this.#byStem.get(splitEnding(name)[0]) ?? []);
    return same ?? template ?? alike[0] ?? first;
  }

  /**
   * Whether the end of a name stands for it alone: `shop/en.json` is no `en.json` where the export has that, too. A tool may
   * also name a file by less than its path in the export.
   */
  #isOwn(end: string, name: string): boolean {
    if (!this.#owners.has(end)) this.#owners.set(end, name);
    const owner = this.#owners.get(end);
    return owner === name || owner?.endsWith(`/${name}`) === true;
  }
}

/** A template has the ending of gettext's files in Hives, as its translations. */
function normalised(name: string): string {
  return name.replace(/\.pot$/, ".po").normalize("NFC");
}

/** A path, and what is left of it without its first folders. */
function endsOf(path: string): readonly string[] {
  const names = path.split("/");
  return names.map((_, i) => names.slice(i).join("/"));
}

/** The folders that all files of texts lie in, with a slash at the end, as far as none is of a locale. */
function commonFolder(paths: Iterable<string>, isOfLocale: (folder: string) => boolean): string {
  let common: readonly string[] | undefined;
  for (const path of paths) {
    if (formatOfPath(path) === undefined || /\.(?:csv|tsv)$/i.test(path)) continue;
    const folders = path.split("/").slice(0, -1);
    const end = common?.findIndex((name, i) => folders[i] !== name) ?? -1;
    common = common === undefined ? folders : end === -1 ? common : common.slice(0, end);
  }
  const first = common?.findIndex((folder) => isOfLocale(folder)) ?? -1;
  const kept = first === -1 ? common : common?.slice(0, first);
  return kept === undefined || kept.length === 0 ? "" : `${kept.join("/")}/`;
}

/** The locales with some that the Hive does not have yet. */
export function withNewLocales(locales: HiveLocales, codes: Iterable<string>): HiveLocales {
  const added = [...codes].flatMap((code): readonly HiveLocale[] => {
    const canonical = canonicalCode(code);
    return canonical === undefined ? [] : [{ code: canonical, canonical }];
  });
  const known = new Set([locales.source, ...locales.targets].map(({ canonical }) => canonical));
  const fresh = new Map(added.filter(({ canonical }) => !known.has(canonical)).map((one) => [one.code, one]));
  return { ...locales, targets: [...locales.targets, ...fresh.values()] };
}
