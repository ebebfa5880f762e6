/** How far a Hive is translated into a locale. */
import { translationsOf, type HiveContent } from "./hive-content.ts";
import type { Locale } from "../hives/locale.ts";
import type { FileName } from "../names.ts";
import { isStepDone, pause } from "../../slices.ts";
import { AddressMap, type StringAddress } from "../move.ts";
import { LocalePlurals } from "./plural-rules.ts";
import { formerSource, type StaleMarkers } from "../sidecars/stale.ts";
import { translatableTexts } from "./string-file.ts";

/**
 * Strings with an empty source text count nowhere: there is nothing to translate. Of plural strings the forms count
 * that the locale needs, so that the total is not the same in all locales.
 */
export interface TranslationCounts {
  /** Translated, for the current source text. */
  readonly translated: number;
  /** Translated, and neither stale nor waiting for a review. */
  readonly approved: number;
  /** Translations that wait for a review, whether they are needed or not: the exit withholds each of them. */
  readonly waiting: number;
  /** Translated, but for an earlier source text. */
  readonly stale: number;
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
 * @param stored the stale markers.
 * @param waiting the translations that wait for a review.
 * @param kept the keys that are not to be translated, which do not count.
 */
export async function localeStats(
  hive: HiveContent,
  stored: StaleMarkers,
  locale: Locale,
  waiting: readonly StringAddress[] = [],
  kept: ReadonlyMap<FileName, ReadonlySet<string>> = new Map(),
): Promise<TranslationCounts> {
  const translations = translationsOf(hive, locale.code);
  const markers = stored.get(locale.code);
  const plurals = new LocalePlurals(locale.code, hive.settings);
  const isWaiting = new AddressMap<true>();
  for (const one of waiting) isWaiting.set(one, true);
  let [total, filled, stale, unapproved] = [0, 0, 0, 0];
  for (const [file, strings] of hive.source) {
    await pause();
    const texts = translations.get(file);
    const [marked, unread, left] = [markers?.get(file), isWaiting.of(file), kept.get(file)];
    for (const [key, source] of translatableTexts(strings)) {
      if (isStepDone()) await pause();
      if (source === "" || left?.has(key) === true || !plurals.requires(strings, key)) continue;
      total++;
      if (texts?.has(key) !== true) continue;
      filled++;
      if (formerSource(marked?.get(key), source) !== undefined) stale++;
      else if (unread.has(key)) unapproved++;
    }
  }
  const translated = filled - stale;
  const approved = translated - unapproved;
  return { translated, approved, waiting: waiting.length, stale, empty: total - filled, total };
}

/** A share in percent, rounded down to one decimal, so that 100 means all. It is 100 if the total is 0. */
export function toPercent(count: number, total: number): number {
  return total === 0 ? 100 : Math.floor((count * 1000) / total) / 10;
}
