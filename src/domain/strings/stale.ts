/**
 * Stale translations, which were kept although their source text changed. A stale translation has a stale marker, the
 * source text that it was made for. A translation without a marker was made for the current source text.
 */
import {
  translationsOf,
  type FileWrite,
  type HiveContent,
  type KeyChange,
  type Plan,
  type TextAddress,
} from "./hive-content.ts";
import { groupBy } from "../group-by.ts";
import type { Locale, LocaleCode } from "../hives/locale.ts";
import { isFileName, type FileName } from "../names.ts";
import { filtered } from "../filtered.ts";
import { AddressMap, type StringAddress } from "../move.ts";
import { isStepDone, type Steps } from "../steps.ts";
import { lazyFile, noTexts, translatableTexts, type StringFile, type Texts } from "./string-file.ts";

/** Stale markers of one locale: file → key → the source text that the translation was made for. */
export type MarkerFiles = ReadonlyMap<FileName, Texts>;
/** Stored stale markers by target locale. Markers without a translation are ignored. */
export type StaleMarkers = ReadonlyMap<LocaleCode, MarkerFiles>;

/** A Hive's content with what is stored beside its texts. */
export interface ContentWithMarkers {
  readonly content: HiveContent;
  readonly markers: StaleMarkers;
  readonly accepted?: StaleMarkers;
  readonly reviews?: StaleMarkers;
}

/** The source text that a translation was made for; undefined where there is no source string. */
export function translatedFromAt(
  { content, markers }: ContentWithMarkers,
  locale: LocaleCode,
  { file, key }: StringAddress,
): string | undefined {
  return markers.get(locale)?.get(file)?.get(key) ?? translatableTexts(content.source.get(file)).get(key);
}

/** The stale markers after some of their files were written. A write without content removes its file. */
export function withMarkers(markers: StaleMarkers, writes: readonly FileWrite[]): StaleMarkers {
  const after = new Map(Array.from(markers, ([code, files]) => [code, new Map(files)]));
  for (const { locale, file, content } of writes) {
    const files = after.get(locale) ?? new Map<FileName, Texts>();
    if (content === undefined) files.delete(file);
    else files.set(file, content.texts);
    after.set(locale, files);
  }
  return after;
}

/** A translation that was made for another source text than the current one. */
export interface StaleTranslation extends StringAddress {
  readonly locale: Locale;
  /** The source text that it was made for. */
  readonly translatedFrom: string;
  readonly source: string;
  readonly translation: string;
}

/** Gives the source text that a translation was made for, if it is known without its marker. */
export type TranslatedFrom = (
  locale: LocaleCode,
  file: FileName,
  key: string,
  translation: string,
) => string | undefined;

/** Says whether a marker of a file belongs to a stale translation: one whose source text has changed. */
function staleIn(
  hive: HiveContent,
  locale: LocaleCode,
  file: FileName,
): (key: string, marker: string) => boolean {
  const source = translatableTexts(hive.source.get(file));
  const translations = translationsOf(hive, locale).get(file) ?? noTexts;
  return (key, marker) => {
    const text = source.get(key);
    return text !== undefined && text !== marker && translations.has(key);
  };
}

/** The markers of a file that belong to stale translations. */
export function validMarkers(
  hive: HiveContent,
  locale: LocaleCode,
  file: FileName,
  markers: Texts,
): Map<string, string> {
  return filtered(markers, staleIn(hive, locale, file));
}

/** The stale translations of a locale: files in byte order of name, keys in the order of the source file. */
export function* staleOf(
  hive: HiveContent,
  markers: StaleMarkers,
  locale: Locale,
): Steps<readonly StaleTranslation[]> {
  const stale: StaleTranslation[] = [];
  const files = markers.get(locale.code);
  if (files === undefined || files.size === 0) return stale;
  for (const [file, strings] of hive.source) {
    const marked = files.get(file);
    if (marked === undefined) continue;
    yield;
    const translations = translationsOf(hive, locale.code).get(file) ?? noTexts;
    for (const [key, source] of translatableTexts(strings)) {
      if (isStepDone()) yield;
      const translatedFrom = marked.get(key);
      const translation = translations.get(key);
      if (translatedFrom === undefined || translatedFrom === source || translation === undefined) continue;
      stale.push({ locale, file, key, translatedFrom, source, translation });
    }
  }
  return stale;
}

/** The write of a file of markers. Keys are sorted, so that equal markers make the same blob. */
export function toMarkerWrite(locale: LocaleCode, file: FileName, markers: Texts): FileWrite {
  if (markers.size === 0) return { locale, file, content: undefined };
  const texts = new Map([...markers.keys()].toSorted().map((key) => [key, markers.get(key) ?? ""]));
  return { locale, file, content: lazyFile(texts, () => Object.fromEntries(texts)) };
}

/** A change of a Hive: its keys, and the files that hold them then. */
export type ContentChange = Pick<Plan<unknown>, "changes" | "writes">;

/** A source text, or the one that a plural form would have, before a change and after it. */
interface SourceChange {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** The source texts that a change of a file changes, also the source texts of plural forms that only translations have. */
function sourceChanges(
  changed: readonly KeyChange[],
  before: StringFile | undefined,
  after: StringFile | undefined,
): ReadonlyMap<string, SourceChange> {
  const was = translatableTexts(before);
  const is = translatableTexts(after);
  const found = new Map<string, SourceChange>();
  const add = (key: string): void => {
    const change = { before: was.get(key), after: is.get(key) };
    if (change.before !== change.after) found.set(key, change);
  };
  for (const { key } of changed) {
    add(key);
  }
  for (const plurals of [before?.plurals, after?.plurals]) {
    for (const { added } of plurals?.strings.values() ?? []) {
      for (const key of added) {
        add(key);
      }
    }
  }
  return found;
}

/**
 * Updates markers after changes of keys, by the same rules for every operation: an unchanged translation keeps the source
 * text that it was made for, a new one is made for the current source text, and there is a marker if these differ. A
 * plural form that the source lacks is made for the text of `other`.
 * @param hive before the changes; with all translations of the locales whose markers can change.
 * @param markers of the same locales, before the changes.
 * @param translatedFrom knows about restored translations and source texts.
 */
export function* updateStaleMarkers(
  hive: HiveContent,
  markers: StaleMarkers,
  { changes, writes }: ContentChange,
  translatedFrom: TranslatedFrom = () => undefined,
): Steps<readonly FileWrite[]> {
  const sourceCode = hive.settings.sourceLocale.code;
  const sourceWrites = writes.filter(({ locale }) => locale === sourceCode);
  // The most frequent case: new strings in a Hive without markers need no markers.
  const hasMarkers = [...markers.values()].some((files) => files.size > 0);
  const onlyNew = changes.every(({ locale, change }) => locale === sourceCode && change === "created");
  const hasForms = sourceWrites.some(({ file }) => hive.source.get(file)?.plurals !== undefined);
  if (onlyNew && !hasMarkers && !hasForms) return [];
  const changed = new Map<LocaleCode, AddressMap<string | undefined>>();
  const set = (locale: LocaleCode, at: StringAddress, marker: string | undefined): void => {
    const own = changed.get(locale) ?? new AddressMap<string | undefined>();
    const isNothing = marker === undefined && !own.has(at) && !markers.get(locale)?.get(at.file)?.has(at.key);
    if (!isNothing) changed.set(locale, own.set(at, marker));
  };
  const ofSource = groupBy(
    changes.filter(({ locale }) => locale === sourceCode),
    ({ file }) => file,
  );
  const sourceAfter = new Map<FileName, StringFile | undefined>(hive.source);
  const sourceChanged = new Map<FileName, ReadonlyMap<string, SourceChange>>();
  for (const { file, content } of sourceWrites) {
    yield;
    sourceAfter.set(file, content);
    const keys = sourceChanges(ofSource.get(file) ?? [], hive.source.get(file), content);
    if (keys.size > 0) sourceChanged.set(file, keys);
  }

  for (const locale of new Set([...hive.translations.keys(), ...markers.keys()])) {
    for (const [file, keys] of sourceChanged) {
      const stored = markers.get(locale)?.get(file);
      const texts = hive.translations.get(locale)?.get(file);
      if (stored === undefined && texts === undefined) continue;
      yield;
      for (const [key, { before, after }] of keys) {
        if (isStepDone()) yield;
        const text = before === undefined || after === undefined ? undefined : texts?.get(key);
        const marker =
          text === undefined
            ? undefined
            : (translatedFrom(locale, file, key, text) ?? stored?.get(key) ?? before);
        set(locale, { file, key }, marker === after ? undefined : marker);
      }
    }
  }
  for (const { locale, file, key, after: text } of changes) {
    if (isStepDone()) yield;
    if (locale === sourceCode) continue;
    const source = translatableTexts(sourceAfter.get(file)).get(key);
    const marker = text === undefined ? undefined : translatedFrom(locale, file, key, text);
    set(locale, { file, key }, marker === source ? undefined : marker);
  }
  const markerWrites: FileWrite[] = [];
  for (const [locale, own] of changed) {
    for (const file of own.files) {
      yield;
      const stored = markers.get(locale)?.get(file) ?? noTexts;
      const entries = [...own.of(file)];
      if (entries.every(([key, marker]) => stored.get(key) === marker)) continue;
      const isStale = staleIn(hive, locale, file);
      const after = new Map<string, string>();
      for (const [key, marker] of stored) {
        if (isStepDone()) yield;
        if (isStale(key, marker)) after.set(key, marker);
      }
      for (const [key, marker] of entries) {
        if (marker === undefined) after.delete(key);
        else after.set(key, marker);
      }
      yield;
      markerWrites.push(toMarkerWrite(locale, file, after));
      yield;
    }
  }
  return markerWrites;
}

export interface ConfirmCounts {
  readonly confirmed: number;
  /** Keys without a stale translation. */
  readonly unknown: number;
}

/** Removes the markers of some keys of a file, and names the translations that had one; a repeated key counts once. */
export function planConfirmation(
  hive: HiveContent,
  markers: StaleMarkers,
  {
    locale,
    file,
    keys,
  }: { readonly locale: LocaleCode; readonly file: string; readonly keys: Iterable<string> },
): {
  readonly counts: ConfirmCounts;
  readonly writes: readonly FileWrite[];
  readonly confirmed: readonly TextAddress[];
} {
  const wanted = new Set(keys);
  const stored = isFileName(file) ? markers.get(locale)?.get(file) : undefined;
  if (!isFileName(file) || stored === undefined)
    return { counts: { confirmed: 0, unknown: wanted.size }, writes: [], confirmed: [] };
  const valid = validMarkers(hive, locale, file, stored);
  const left = filtered(valid, (key) => !wanted.has(key));
  const confirmed = valid.size - left.size;
  const writes = confirmed > 0 ? [toMarkerWrite(locale, file, left)] : [];
  const addresses = [...wanted].filter((key) => valid.has(key)).map((key) => ({ locale, file, key }));
  return { counts: { confirmed, unknown: wanted.size - confirmed }, writes, confirmed: addresses };
}
