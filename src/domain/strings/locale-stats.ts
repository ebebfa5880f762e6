/** How far a Hive is translated into a locale. */
import { countTranslatable, translationsOf, type HiveContent } from "./hive-content.ts";
import type { Locale } from "../hives/locale.ts";
import type { FileName } from "../names.ts";
import { isStepDone, type Steps } from "../steps.ts";
import { AddressMap, type StringAddress } from "../move.ts";
import { LocalePlurals } from "./plural-rules.ts";
import { staleOf, type StaleMarkers } from "./stale.ts";
import { translatableTexts, type StringFile } from "./string-file.ts";

/**
 * Strings with an empty source text count nowhere: there is nothing to translate. Of plural strings the forms count
 * that the locale needs, so that the total is not the same in all locales.
 */
export interface TranslationCounts {
  /** Translated, for the current source text. */
  readonly translated: number;
  /** Translated, and neither stale nor waiting for a review. */
  readonly approved: number;
  /** Translated, for whatever source text, and waiting for a review. */
  readonly waiting: number;
  /** Translated, but for an earlier source text. */
  readonly stale: number;
  /** Not translated. */
  readonly empty: number;
  /** The sum of translated, stale and empty. */
  readonly total: number;
}

/** How far a Hive is translated into a locale, and what checks find there. */
export interface LocaleStats extends TranslationCounts {
  /** Translated, in whatever state, with an error that nobody accepted as a false alarm. */
  readonly failing: number;
}

/**
 * Counts the strings of a Hive by the state of their translations into a locale.
 * @param waiting the translations that wait for a review.
 * @param kept the keys that are not to be translated, which do not count.
 */
export function* localeStats(
  hive: HiveContent,
  markers: StaleMarkers,
  locale: Locale,
  waiting: readonly StringAddress[] = [],
  kept: ReadonlyMap<FileName, ReadonlySet<string>> = new Map(),
): Steps<TranslationCounts> {
  const translations = translationsOf(hive, locale.code);
  const plurals = new LocalePlurals(locale.code, hive.settings.plurals);
  let filled = 0;
  for (const [file, { texts }] of hive.source) {
    const stored = translations.get(file);
    if (stored === undefined) continue;
    yield;
    const translated = stored;
    for (const [key, source] of texts) {
      if (source !== "" && translated.has(key)) filled++;
    }
  }
  let total = countTranslatable(hive.source);
  for (const [file, strings] of hive.source) {
    if (isStepDone()) yield;
    const translated = translations.get(file);
    for (const [key, counts] of formsCountedOtherwise(strings, plurals)) {
      total += counts;
      if (translated?.has(key) === true) filled += counts;
    }
  }
  for (const [file, keys] of kept) {
    const [strings, translated] = [hive.source.get(file), translations.get(file)];
    for (const key of keys) {
      const source = translatableTexts(strings).get(key);
      if (strings === undefined || !source || !plurals.requires(strings, key)) continue;
      total--;
      if (translated?.has(key) === true) filled--;
    }
  }
  const counts = ({ file, key }: StringAddress): boolean => {
    if (kept.get(file)?.has(key) === true) return false;
    const strings = hive.source.get(file);
    const isEmpty = (translatableTexts(strings).get(key) ?? "") === "";
    return !isEmpty && strings !== undefined && plurals.requires(strings, key);
  };
  const stale = new AddressMap<true>();
  let count = 0;
  for (const one of (yield* staleOf(hive, markers, locale)).filter(counts)) {
    stale.set(one, true);
    count++;
  }
  const counted = waiting.filter(counts);
  const translated = filled - count;
  const unapproved = counted.filter((one) => !stale.has(one)).length;
  return {
    translated,
    approved: translated - unapproved,
    waiting: counted.length,
    stale: count,
    empty: total - filled,
    total,
  };
}

/** Forms that count although the source lacks them (1), and forms of the source that do not count (-1). */
function formsCountedOtherwise(strings: StringFile, plurals: LocalePlurals): ReadonlyMap<string, 1 | -1> {
  const counted = new Map<string, 1 | -1>();
  for (const { own, added, stem } of strings.plurals?.strings.values() ?? []) {
    for (const key of own) {
      if (strings.texts.get(key) !== "" && !plurals.requires(strings, key)) counted.set(key, -1);
    }
    if (strings.texts.get(`${stem}other`) === "") continue;
    for (const key of added) {
      if (plurals.requires(strings, key)) counted.set(key, 1);
    }
  }
  return counted;
}

/** A share in percent, rounded down to one decimal, so that 100 means all. It is 100 if the total is 0. */
export function toPercent(count: number, total: number): number {
  return total === 0 ? 100 : Math.floor((count * 1000) / total) / 10;
}
