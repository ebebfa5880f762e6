/** Finds strings of a Hive by what they say, by their keys, and by the state of their translations into one locale. */
import type { LocaleCode } from "../hives/locale.ts";
import type { FileName } from "../names.ts";
import type { OffsetLimit } from "../pagination.ts";
import { type Steps } from "../steps.ts";
import { translationAt } from "./content-diff.ts";
import { fold, FoldedTexts } from "./folded-texts.ts";
import { translationsOf, type HiveContent } from "./hive-content.ts";
import { LocalePlurals } from "./plural-rules.ts";
import type { StaleMarkers } from "./stale.ts";
import { noTexts, translatableTexts, type StringFile, type Texts } from "./string-file.ts";

/** Of a translation; `none` where the source has no text, or the locale does not need a plural form. */
export type TranslationState = "translated" | "stale" | "missing" | "none";
/** What a search may ask for besides its words. */
export const searchedStates = ["missing", "stale", "translated", "plural"] as const;
export type SearchedState = (typeof searchedStates)[number];

export interface StringSearch extends OffsetLimit {
  /** A target locale; undefined for the source strings alone. */
  readonly locale?: LocaleCode;
  /** What the key, the source text or the translation contains, in upper or lower case. */
  readonly text?: string;
  readonly state?: SearchedState;
  /** Only strings of this file. */
  readonly file?: string;
  /** Only strings whose source text or translation is another one than in this content. */
  readonly since?: HiveContent;
}

/** A string, with its translation into the locale that was asked for. */
export interface FoundString {
  readonly file: FileName;
  readonly key: string;
  readonly source: string;
  readonly translation: string | undefined;
  readonly state: TranslationState;
  /** The source text for which a stale translation was made. */
  readonly translatedFrom: string | undefined;
}

export interface FoundStrings {
  readonly strings: readonly FoundString[];
  /** The number of strings on all pages. */
  readonly total: number;
}

/** The keys of translations of a source file with their source texts, in order. */
export interface FoldedSource {
  readonly keys: readonly string[];
  readonly foldedKeys: FoldedTexts;
  readonly texts: FoldedTexts;
}

/** Gives folded texts, which are worth keeping: folding takes longer than searching. */
export interface FoldedFiles {
  readonly ofSource: (strings: StringFile) => FoldedSource;
  /** The texts of a translation in the order of the source's keys; empty where one is missing. */
  readonly ofTranslation: (strings: StringFile, texts: Texts) => FoldedTexts;
}

/** Folds the keys and the texts of a source file. */
export function foldSource(strings: StringFile): FoldedSource {
  const texts = translatableTexts(strings);
  const keys = [...texts.keys()];
  return { keys, foldedKeys: FoldedTexts.of(keys), texts: FoldedTexts.of(texts.values()) };
}

/** Folds the texts of a translation; see {@link FoldedFiles.ofTranslation}. */
export function foldTranslation({ keys }: FoldedSource, texts: Texts): FoldedTexts {
  const held = texts;
  const inOrder = function* (): Generator<string> {
    for (const key of keys) yield held.get(key) ?? "";
  };
  return FoldedTexts.of(inOrder());
}

/**
 * A page of the strings that a search finds: files in byte order of their names, keys in the order of the source, plural
 * forms that the locale has and the source lacks behind the forms of the source.
 * @param markers the stale markers of the locale.
 */
export function* searchStrings(
  hive: HiveContent,
  markers: StaleMarkers,
  search: StringSearch,
  folded: FoldedFiles,
): Steps<FoundStrings> {
  const { offset, limit, file: only } = search;
  const found: FoundString[] = [];
  let total = 0;
  for (const [file, strings] of hive.source) {
    if (only !== undefined && only !== file) continue;
    yield;
    const places = placesIn({ hive, markers, search, folded }, file, strings);
    for (const at of places.slice(Math.max(0, offset - total), Math.max(0, offset + limit - total))) {
      const key = folded.ofSource(strings).keys[at] ?? "";
      found.push(stringAt({ hive, markers, locale: search.locale }, file, key));
    }
    total += places.length;
  }
  return { strings: found, total };
}

/** One string with its translation into a locale. @param locale undefined for the source string alone. */
export function stringAt(
  {
    hive,
    markers,
    locale,
  }: {
    readonly hive: HiveContent;
    readonly markers: StaleMarkers;
    readonly locale: LocaleCode | undefined;
  },
  file: FileName,
  key: string,
): FoundString {
  const strings = hive.source.get(file);
  const source = translatableTexts(strings).get(key) ?? "";
  if (locale === undefined || strings === undefined)
    return { file, key, source, translation: undefined, state: "none", translatedFrom: undefined };
  const translation = translationAt(hive, locale, file, key);
  const marker = markers.get(locale)?.get(file)?.get(key);
  const translatedFrom = translation === undefined || marker === source ? undefined : marker;
  const isNeeded = source !== "" && new LocalePlurals(locale, hive.settings.plurals).requires(strings, key);
  const untranslated = isNeeded ? "missing" : "none";
  const translated = translatedFrom === undefined ? "translated" : "stale";
  return {
    file,
    key,
    source,
    translation,
    state: translation === undefined ? untranslated : translated,
    translatedFrom,
  };
}

interface Searched {
  readonly hive: HiveContent;
  readonly markers: StaleMarkers;
  readonly search: StringSearch;
  readonly folded: FoldedFiles;
}

/** The places of the strings of a file that a search finds, among the keys of the file. */
function placesIn(
  { hive, markers, search: { locale, text = "", state, since }, folded }: Searched,
  file: FileName,
  strings: StringFile,
): readonly number[] {
  const { keys, foldedKeys, texts } = folded.ofSource(strings);
  const stored = locale === undefined ? noTexts : (translationsOf(hive, locale).get(file) ?? noTexts);
  const translated = stored.size === 0 ? undefined : folded.ofTranslation(strings, stored);
  const needle = fold(text.trim());
  const flags = needle === "" ? undefined : new Uint8Array(keys.length);
  if (flags !== undefined)
    for (const column of [foldedKeys, texts, translated]) if (column) column.mark(needle, flags);
  const plurals = locale === undefined ? undefined : new LocalePlurals(locale, hive.settings.plurals);
  const marked = locale === undefined ? undefined : markers.get(locale)?.get(file);
  const { plurals: forms, texts: own } = strings;

  const isStale = (key: string): boolean => {
    const translatedFrom = marked?.get(key);
    return translatedFrom !== undefined && translatedFrom !== translatableTexts(strings).get(key);
  };
  const isInState = (key: string, at: number): boolean => {
    if (state === undefined) return true;
    if (state === "plural") return forms?.formOf(key) !== undefined;
    if (translated === undefined || translated.isEmpty(at))
      return state === "missing" && !texts.isEmpty(at) && plurals?.requires(strings, key) === true;
    return state !== "missing" && isStale(key) === (state === "stale");
  };
  const hasChanged = (key: string): boolean =>
    since === undefined ||
    translatableTexts(since.source.get(file)).get(key) !== translatableTexts(strings).get(key) ||
    (locale !== undefined &&
      translationAt(since, locale, file, key) !== translationAt(hive, locale, file, key));

  const places: number[] = [];
  for (const [at, key] of keys.entries()) {
    if (flags?.[at] === 0 || !isInState(key, at)) continue;
    if (forms !== undefined && !(plurals?.accepts(strings, key) ?? own.has(key))) continue;
    if (hasChanged(key)) places.push(at);
  }
  return places;
}
