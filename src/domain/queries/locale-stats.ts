/** How far a Hive is translated into a locale. */
import type { HiveContent } from "../strings/hive-content.ts";
import type { Locale } from "../hives/locale.ts";
import { isIn, isToTranslate, textState, visitTexts, type StateBasis } from "./text-states.ts";

/**
 * Strings with an empty source text count nowhere: there is nothing to translate. Of plural strings the forms count
 * that the locale needs, so that the total is not the same in all locales.
 */
export interface LocaleCounts {
  /** Translated, for the current source text. */
  readonly translated: number;
  /** Translated, and neither stale nor waiting for a review. */
  readonly approved: number;
  /** Translations that wait for a review, whether they are needed or not: the exit withholds each of them. */
  readonly waiting: number;
  /** Translated, but withheld where only approved texts go out: no text of theirs ever was approved. */
  readonly withheld: number;
  /** Translated, but for an earlier source text. */
  readonly stale: number;
  readonly empty: number;
  /** Not translated, while another locale's text stands in its place. */
  readonly inherited: number;
  /** Missing, stale or failing, each once: what waits for a translator. */
  readonly toTranslate: number;
  /** The sum of translated, stale, empty and inherited. */
  readonly total: number;
}

/** How far a Hive is translated into a locale, and what checks find there. */
export interface LocaleStats extends LocaleCounts {
  /** Translated, in whatever state, with an error that nobody accepted as a false alarm. */
  readonly failing: number;
}

/** Counts the strings of a Hive by the state of their translations into a locale. */
export async function localeStats(
  hive: HiveContent,
  locale: Locale,
  basis: StateBasis,
): Promise<LocaleCounts> {
  const counts = {
    total: 0,
    filled: 0,
    stale: 0,
    unapproved: 0,
    waiting: 0,
    withheld: 0,
    inherited: 0,
    toTranslate: 0,
  };
  await visitTexts(hive, locale.code, basis, (states, key, _source, { reviews }) => {
    const isWaiting = isIn(states, textState.waiting);
    if (isWaiting) counts.waiting++;
    if (isToTranslate(states)) counts.toTranslate++;
    if (!isIn(states, textState.needed)) return;
    counts.total++;
    if (isIn(states, textState.translated)) counts.filled++;
    if (isIn(states, textState.inherited)) counts.inherited++;
    if (isWaiting && reviews.get(key)?.approved === undefined) counts.withheld++;
    if (isIn(states, textState.stale)) counts.stale++;
    else if (isWaiting) counts.unapproved++;
  });
  const current = counts.filled - counts.stale;
  return {
    translated: current,
    approved: current - counts.unapproved,
    waiting: counts.waiting,
    withheld: counts.withheld,
    stale: counts.stale,
    empty: counts.total - counts.filled - counts.inherited,
    inherited: counts.inherited,
    toTranslate: counts.toTranslate,
    total: counts.total,
  };
}

/** A share in percent, rounded down to one decimal, so that 100 means all. It is 100 if the total is 0. */
export function toPercent(count: number, total: number): number {
  return total === 0 ? 100 : Math.floor((count * 1000) / total) / 10;
}
