/** Finds out which file of the Hive a file of another tool's export is: by `skep.yaml`, or by the names of its path. */
import { formatOfPath, formatNamed, type FormatRow } from "../../formats/formats.ts";
import type { MovingContext, Placed } from "../../formats/moving/context.ts";
import type { HiveLocale, HiveLocales } from "../api/hive-api.ts";
import { Entry } from "../tree/entry.ts";
import { canonicalCode, isLanguageCode } from "../tree/language-code.ts";
import { fillPattern, matcherOf } from "../tree/pattern.ts";
import type { FileEntry } from "../tree/schema.ts";

/**
 * Finds the locale of the Hive for a code of another tool: the same one, or else the only one of its language where one of
 * both names no region.
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
    return alike.length === 1 ? alike[0]?.code : undefined;
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
  const known = new KnownNames(options.names);
  const root = commonFolder(options.paths);
  return (given, code) => {
    const path = given.replace(/^(?:\.?\/)+/, "");
    const byPattern = matchEntries(entries, locales, path, code === undefined ? undefined : localeOf(code));
    const placed = byPattern ?? guess(path, code, { locales, localeOf, known, root });
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

function guess(
  path: string,
  given: string | undefined,
  { locales, localeOf, known, root }: Guessing,
): ReturnType<MovingContext["place"]> {
  const format = formatFor(path);
  const inRoot = path.startsWith(root) ? path.slice(root.length) : path;
  const places = codesIn(inRoot, locales.source.code);
  // A tool names the file of a translation, or the source file that it made it of.
  const meant = new Set([localeOf(given ?? ""), locales.source.code]);
  const isMeant = (code: string): boolean => given === undefined || meant.has(localeOf(code));
  const found = places.find(({ code }) => localeOf(code) !== undefined && isMeant(code));
  if (found !== undefined) {
    const locale = localeOf(given ?? found.code) ?? locales.source.code;
    return { file: known.choose(found.names), locale, code: found.code, format };
  }
  if (given !== undefined) {
    const locale = localeOf(given);
    if (locale === undefined) return { unknown: given };
    return { file: known.choose([inRoot]), locale, code: given, format };
  }
  const foreign = places.find(({ code }) => isPlainCode(code));
  if (foreign !== undefined) return { unknown: foreign.code };
  return { file: known.choose([inRoot]), locale: locales.source.code, code: locales.source.code, format };
}

/** The format of an export's file: tools write XLIFF and CSV of texts for people, and others for apps. */
function formatFor(path: string): FormatRow | undefined {
  const format = formatOfPath(path);
  // A template has the ending of gettext's files in Hives, as its translations.
  return format?.name === "po" ? formatNamed("po") : format;
}

/** Whether a text is surely a code: of a language, with nothing behind it but a region or a script. */
function isPlainCode(text: string): boolean {
  return /^[a-z]{2,3}(?:[-_](?:[A-Z]{2}|[A-Z][a-z]{3}|[0-9]{3}))*$/.test(text) && isLanguageCode(text);
}

/** The names of a path that may be codes, the last first. */
function codesIn(path: string, source: string): readonly FoundCode[] {
  const folders = path.split("/");
  const own = folders.pop() ?? "";
  const found: FoundCode[] = [];
  const inFolder = (name: string): string => [...folders, name].join("/");
  const [stem, ending] = splitEnding(own);
  found.push({ code: stem, names: [inFolder(source + ending)] });
  const [, before, mark, code] = /^(.+)([._-])([A-Za-z]{2,3}(?:[-_][A-Za-z0-9]+)*)$/.exec(stem) ?? [];
  if (before !== undefined && mark !== undefined && code !== undefined)
    found.push({ code, names: [inFolder(before + ending), inFolder(before + mark + source + ending)] });
  for (const [i, name] of [...folders.entries()].toReversed()) {
    const below = [...folders.slice(i + 1).filter((one) => one !== "LC_MESSAGES"), own].join("/");
    const codes = [name, name.replace(/\.lproj$/, ""), androidCode(name)];
    for (const one of new Set(codes)) if (one !== undefined) found.push({ code: one, names: [below, own] });
  }
  return found;
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

/** The names that the Hive has for files. */
class KnownNames {
  readonly #names: ReadonlySet<string>;
  readonly #byStem = new Map<string, string | undefined>();

  constructor(names: Iterable<string>) {
    this.#names = new Set(names);
    for (const name of this.#names) {
      const [stem] = splitEnding(name);
      this.#byStem.set(stem, this.#byStem.has(stem) ? undefined : name);
    }
  }

  /** The name of the Hive's file that has one of some names, or the end of one; with another ending if need be. */
  choose(names: readonly string[]): string {
    const ends = names.flatMap((name) => endsOf(name.replace(/\.pot$/, ".po").normalize("NFC")));
    const same = ends.find((name) => this.#names.has(name));
    const template = ends.map((name) => name.replace(/\.po$/, ".pot")).find((name) => this.#names.has(name));
    const alike = ends.flatMap((name) => this.#byStem.get(splitEnding(name)[0]) ?? []);
    return same ?? template ?? alike[0] ?? ends[0] ?? "";
  }
}

/** A path, and what is left of it without its first folders. */
function endsOf(path: string): readonly string[] {
  const names = path.split("/");
  return names.map((_, i) => names.slice(i).join("/"));
}

/** The folders that all paths begin with, with a slash at the end. */
function commonFolder(paths: Iterable<string>): string {
  let common: readonly string[] | undefined;
  for (const path of paths) {
    const folders = path.split("/").slice(0, -1);
    const end = common?.findIndex((name, i) => folders[i] !== name) ?? -1;
    common = common === undefined ? folders : end === -1 ? common : common.slice(0, end);
  }
  return common === undefined || common.length === 0 ? "" : `${common.join("/")}/`;
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
