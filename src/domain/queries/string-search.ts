/** Finds strings of a Hive by what they say, by their keys, and by the state of their translations into one locale. */
import type { CheckedText } from "../glossary/text-checks.ts";
import type { OriginKind } from "../commits/origin.ts";
import type { LocaleCode } from "../hives/locale.ts";
import type { StringAddress } from "../move.ts";
import type { FileName } from "../names.ts";
import type { OffsetLimit } from "../pagination.ts";
import { compareBytes } from "../text.ts";
import { isStepDone, pause } from "../../slices.ts";
import { translationAt } from "../strings/content-diff.ts";
import { flagTexts, fold, FoldedTexts, type SearchedText } from "../strings/folded-texts.ts";
import {
  translationsOf,
  type HiveContent,
  type SourceFiles,
  type TextAddress,
} from "../strings/hive-content.ts";
import type { LocalePlurals } from "../strings/plural-rules.ts";
import type { StaleMarkers } from "../sidecars/stale.ts";
import { fileInLocale, isIn, isMissing, statesOfText, textState, type TextStates } from "./text-states.ts";
import { noTexts, translatableTexts, type StringFile, type Texts } from "../strings/string-file.ts";
import type { Review } from "../sidecars/review.ts";

/** Of a translation; `none` where there is none and none is needed. */
export type TranslationState = "translated" | "stale" | "missing" | "none";
export const searchedStates = ["failing", "waiting", "missing", "stale", "translated", "plural"] as const;
export type SearchedState = (typeof searchedStates)[number];

/** The longest text that is searched for, in characters. */
export const maxSearchText = 1_000;

/** The text is one that the key, the source text or a translation contains. */
export interface StringSearch extends OffsetLimit, SearchedText {
  /** The target locales that are searched; none for the source strings alone. */
  readonly locales: readonly LocaleCode[];
  /** Of a translation into one of the locales. */
  readonly state?: SearchedState;
  /** The keys of failing or waiting translations by locale and file, where these are asked for. */
  readonly listed?: ReadonlyMap<LocaleCode, ReadonlyMap<FileName, ReadonlySet<string>>>;
  /** Who or what wrote a translation into one of the locales last; without any, the source text. */
  readonly origin?: OriginKind;
  /** Of all texts by locale, file and key, where these are asked for. */
  readonly origins?: ReadonlyMap<LocaleCode, ReadonlyMap<FileName, ReadonlyMap<string, OriginKind>>>;
  /** Only strings of the file with this name; if there is none, of files whose names contain it. */
  readonly file?: string;
  /** Only strings of files with exactly these names. */
  readonly files?: readonly string[];
  readonly kept?: ReadonlyMap<FileName, ReadonlySet<string>>;
  /** Only strings of which this is true; all if undefined. */
  readonly isWanted?: (at: StringAddress) => boolean;
  /** Only strings whose source text or translation is another one than in this content. */
  readonly since?: HiveContent;
  readonly signal?: AbortSignal;
}

export interface FoundString extends StringAddress {
  readonly source: string;
  /** If one locale is searched, always its translation; if several are, only the translations that match. */
  readonly translations: readonly Translation[];
}

/** A translation of a string into one locale, or its lack. */
export interface Translation {
  readonly locale: LocaleCode;
  readonly text: string | undefined;
  readonly state: TranslationState;
  /** The source text for which a stale translation was made. */
  readonly translatedFrom: string | undefined;
  /** The review that it waits for, where that is asked for. */
  readonly review?: Review;
  /** Who or what wrote it last, where that is asked for and known. */
  readonly origin?: OriginKind;
  /** Undefined where it is not checked. */
  readonly checked?: CheckedText;
}

export interface FoundStrings {
  readonly strings: readonly FoundString[];
  readonly total: number;
  /** How many of them need no translation and have none, where one locale is searched. */
  readonly unneeded: number;
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

/** Folds the keys and texts of a source file for searches; strings without a text are left out. */
export function foldSource(strings: StringFile): FoldedSource {
  const texts = translatableTexts(strings);
  const keys = [...texts.keys()];
  return { keys, foldedKeys: FoldedTexts.of(keys), texts: FoldedTexts.of(texts.values()) };
}

/** Folds the texts of a translation; see {@link FoldedFiles.ofTranslation}. */
export function foldTranslation({ keys }: FoldedSource, texts: Texts): FoldedTexts {
  return FoldedTexts.of(keys.map((key) => texts.get(key) ?? ""));
}

/**
 * A page of the strings that a search finds: files in byte order of their names, keys in the order of the source, plural
 * forms that a locale has and the source lacks behind the forms of the source.
 */
export async function searchStrings(
  hive: HiveContent,
  markers: StaleMarkers,
  search: StringSearch,
  folded: FoldedFiles,
): Promise<FoundStrings> {
  const { offset, limit } = search;
  const found: FoundString[] = [];
  let [total, unneeded] = [0, 0];
  for (const [file, strings] of filesNamed(hive.source, search)) {
    const { places, stringAt, isUnneeded } = await searchFile({
      hive,
      markers,
      search,
      folded,
      file,
      strings,
    });
    for (const at of places.slice(Math.max(0, offset - total), Math.max(0, offset + limit - total)))
      found.push(stringAt(at));
    total += places.length;
    unneeded += places.filter(isUnneeded).length;
  }
  return { strings: found, total, unneeded };
}

export interface Neighbours {
  readonly previous?: StringAddress;
  readonly next?: StringAddress;
}

/**
 * The strings that a search finds before and behind another one, which it may find or not. Other forms of the same plural
 * string do not count.
 */
export async function foundNeighbours(
  hive: HiveContent,
  markers: StaleMarkers,
  search: Omit<StringSearch, keyof OffsetLimit>,
  folded: FoldedFiles,
  of: StringAddress,
): Promise<Neighbours> {
  let previous: StringAddress | undefined;
  for (const [file, strings] of filesNamed(hive.source, search)) {
    const { places } = await searchFile({ hive, markers, search, folded, file, strings });
    const { keys } = folded.ofSource(strings);
    const plural = strings.plurals?.formOf(of.key)?.string;
    const isOther = (at: number): boolean =>
      plural === undefined || strings.plurals?.formOf(keys[at] ?? "")?.string !== plural;
    const side = compareBytes(file, of.file);
    const own = side < 0 ? Infinity : side > 0 ? -1 : keys.indexOf(of.key);
    const others = side === 0 ? places.filter(isOther) : places;
    const [before, behind] = [others.findLast((at) => at < own), others.find((at) => at > own)];
    if (before !== undefined) previous = { file, key: keys[before] ?? "" };
    if (behind !== undefined) return { previous, next: { file, key: keys[behind] ?? "" } };
  }
  return { previous };
}

/** A stored translation of a string. */
export interface StoredTranslation extends TextAddress {
  readonly source: string;
  readonly text: string;
}

/**
 * The stored translations of what a search finds, in the order of {@link searchStrings} and then of the locales, as they
 * are asked for.
 * @param part only translations that contain it, as {@link fold} compares texts.
 */
export async function* storedTranslations(
  hive: HiveContent,
  markers: StaleMarkers,
  search: Omit<StringSearch, keyof OffsetLimit>,
  folded: FoldedFiles,
  part: string,
): AsyncGenerator<StoredTranslation> {
  if (search.locales.length === 0) return;
  for (const [file, strings] of filesNamed(hive.source, search)) {
    const { places, storedAt } = await searchFile({ hive, markers, search, folded, file, strings, part });
    for (const at of places) {
      if (isStepDone()) await pause(search.signal);
      yield* storedAt(at);
    }
  }
}

/** The files that a name stands for, or a part of one. */
function filesNamed(
  source: SourceFiles,
  { file: name, files }: Pick<StringSearch, "file" | "files">,
): Iterable<readonly [FileName, StringFile]> {
  const wanted = files && new Set<string>(files);
  const all = wanted === undefined ? source : [...source].filter(([file]) => wanted.has(file));
  if (name === undefined) return all;
  const named = [...all].filter(([file]) => file === name);
  return named.length > 0 ? named : [...all].filter(([file]) => fold(file).includes(fold(name).trim()));
}

/**
 * The translation of a string into a locale.
 * @param markers the stale markers of the locale.
 * @param kept the keys that are not to be translated: they are neither missing nor stale.
 */
export function translationInto(
  hive: HiveContent,
  markers: StaleMarkers,
  locale: LocaleCode,
  { file, key }: StringAddress,
  kept?: StringSearch["kept"],
): Translation {
  const strings = hive.source.get(file);
  const source = translatableTexts(strings).get(key);
  if (strings === undefined || source === undefined)
    return { locale, text: undefined, state: "none", translatedFrom: undefined };
  const inLocale = fileInLocale(hive, locale, { markers, kept }, [file, strings]);
  const states = statesOfText(inLocale, key, source);
  const text = inLocale.texts.get(key);
  if (text === undefined)
    return { locale, text, state: isMissing(states) ? "missing" : "none", translatedFrom: undefined };
  const isStale = isIn(states, textState.stale) && !inLocale.kept.has(key);
  const translatedFrom = isStale ? inLocale.staleMarkers.get(key) : undefined;
  return { locale, text, state: isStale ? "stale" : "translated", translatedFrom };
}

interface FileSearch {
  readonly hive: HiveContent;
  readonly markers: StaleMarkers;
  readonly search: Omit<StringSearch, keyof OffsetLimit>;
  readonly folded: FoldedFiles;
  readonly file: FileName;
  readonly strings: StringFile;
  /** See {@link storedTranslations}. */
  readonly part?: string;
}

/** What a search finds in a file: places among its keys, and the string at one of them. */
interface FoundPlaces {
  readonly places: readonly number[];
  readonly stringAt: (at: number) => FoundString;
  /** The stored translations of the string at a place for which it is found. */
  readonly storedAt: (at: number) => readonly StoredTranslation[];
  /** Whether the string at a place needs no translation into the one locale that is searched, and has none. */
  readonly isUnneeded: (at: number) => boolean;
}

async function searchFile(searched: FileSearch): Promise<FoundPlaces> {
  const { hive, markers, search, folded, file, strings } = searched;
  const { locales, state, since, origin } = search;
  const isOf = (locale: LocaleCode, key: string): boolean =>
    origin === undefined || search.origins?.get(locale)?.get(file)?.get(key) === origin;
  await pause(search.signal);
  const { keys, foldedKeys, texts: foldedTexts } = folded.ofSource(strings);
  await pause(search.signal);
  const texts = translatableTexts(strings);
  const inSource = flagTexts(search, keys.length, [
    [foldedKeys, () => keys],
    [foldedTexts, () => texts.values()],
  ]);
  const targets: TargetTexts[] = [];
  for (const locale of locales) {
    await pause(search.signal);
    targets.push(targetTextsIn(searched, keys, locale));
  }
  await pause(search.signal);

  const hasPlural = (key: string): boolean => strings.plurals?.formOf(key) !== undefined;
  const hasChanged = (key: string): boolean =>
    since === undefined || translatableTexts(since.source.get(file)).get(key) !== texts.get(key);
  const isFoundIn = (at: number, key: string, target: TargetTexts): boolean =>
    (inSource?.[at] !== 0 || target.flags?.[at] === 1) &&
    (strings.plurals === undefined || target.plurals.accepts(strings, key)) &&
    (state === "plural" ? hasPlural(key) : target.isInState(at, key)) &&
    isOf(target.locale, key) &&
    (hasChanged(key) || target.hasChanged(key));
  const isFoundInSource = (at: number, key: string): boolean =>
    inSource?.[at] !== 0 &&
    strings.texts.has(key) &&
    (state === undefined || (state === "plural" && hasPlural(key))) &&
    isOf(hive.settings.sourceLocale.code, key) &&
    hasChanged(key);

  const places: number[] = [];
  for (const [at, key] of keys.entries()) {
    if (search.isWanted?.({ file, key }) === false) continue;
    const isFound =
      targets.length === 0 ? isFoundInSource(at, key) : targets.some((target) => isFoundIn(at, key, target));
    if (isFound) places.push(at);
  }
  const isAbout = (at: number, key: string, target: TargetTexts): boolean =>
    isFoundIn(at, key, target) &&
    (target.flags?.[at] === 1 ||
      origin !== undefined ||
      (state !== undefined && state !== "plural") ||
      (since !== undefined && target.hasChanged(key)));
  const stringAt = (at: number): FoundString => {
    const key = keys[at] ?? "";
    const shown = targets.filter((target) => targets.length === 1 || isAbout(at, key, target));
    const translations = shown.map(({ locale }) =>
      translationInto(hive, markers, locale, { file, key }, search.kept),
    );
    return { file, key, source: texts.get(key) ?? "", translations };
  };
  const storedAt = (at: number): readonly StoredTranslation[] => {
    const key = keys[at] ?? "";
    return targets.flatMap((target) => {
      const { locale } = target;
      if (target.partFlags?.[at] === 0 || !isFoundIn(at, key, target)) return [];
      const text = translationAt(hive, locale, file, key);
      return text === undefined ? [] : [{ locale, file, key, source: texts.get(key) ?? "", text }];
    });
  };
  const [only] = targets.length === 1 ? targets : [];
  const isUnneeded = (at: number): boolean =>
    only?.isTranslated(at) === false && !isIn(only.statesOf(at, keys[at] ?? ""), textState.needed);
  return { places, stringAt, storedAt, isUnneeded };
}

/** The translations of a file into one locale, in the order of the source's keys. */
interface TargetTexts {
  readonly locale: LocaleCode;
  readonly plurals: LocalePlurals;
  /** See {@link flagTexts}. */
  readonly flags: Uint8Array | undefined;
  /** The same for {@link FileSearch.part}. */
  readonly partFlags: Uint8Array | undefined;
  readonly isTranslated: (at: number) => boolean;
  readonly statesOf: (at: number, key: string) => TextStates;
  readonly isInState: (at: number, key: string) => boolean;
  readonly hasChanged: (key: string) => boolean;
}

function targetTextsIn(
  { hive, markers, search, folded, file, strings, part }: FileSearch,
  keys: readonly string[],
  locale: LocaleCode,
): TargetTexts {
  const { state, since } = search;
  const stored = translationsOf(hive, locale).get(file) ?? noTexts;
  const texts = stored.size === 0 ? undefined : folded.ofTranslation(strings, stored);
  const flagged = (wanted: SearchedText): Uint8Array | undefined =>
    texts && flagTexts(wanted, keys.length, [[texts, () => keys.map((key) => stored.get(key) ?? "")]]);
  const inLocale = fileInLocale(hive, locale, { markers, kept: search.kept }, [file, strings]);
  const source = translatableTexts(strings);
  // The folded texts tell it by the place alone.
  const isTranslated = (at: number): boolean => texts?.isEmpty(at) === false;
  const statesOf = (at: number, key: string): TextStates =>
    statesOfText(inLocale, key, source.get(key) ?? "", { isTranslated: isTranslated(at) });
  return {
    locale,
    plurals: inLocale.plurals,
    isTranslated,
    flags: flagged(search),
    partFlags: flagged({ text: part }),
    statesOf,
    isInState: (at, key) => {
      if (state === undefined) return true;
      if (state === "failing" || state === "waiting")
        return search.listed?.get(locale)?.get(file)?.has(key) === true;
      // Both leave out most texts before their states are looked at.
      if (isTranslated(at) === (state === "missing")) return false;
      if (state === "missing") return isMissing(statesOf(at, key));
      const isStale =
        inLocale.staleMarkers.has(key) && isIn(statesOf(at, key), textState.needed | textState.stale);
      return isStale === (state === "stale");
    },
    hasChanged: (key) =>
      since !== undefined &&
      translationAt(since, locale, file, key) !== translationAt(hive, locale, file, key),
  };
}
