/** How far a Hive is translated into a locale. */
import { countTranslatable, translationsOf, type HiveContent } from "./hive-content.ts";
import type { Locale } from "../hives/locale.ts";
import { isStepDone, type Steps } from "../steps.ts";
import { staleOf, type StaleMarkers } from "./stale.ts";

/** Strings with an empty source text count nowhere: there is nothing to translate. */
export interface LocaleStats {
  /** Translated, for the source text as it is. */
  readonly translated: number;
  /** Translated, but for an earlier source text. */
  readonly stale: number;
  /** Not translated. */
  readonly empty: number;
  /** Together. */
  readonly total: number;
}

/** Counts the strings of a Hive by what is there of them in a target locale. */
export function* localeStats(hive: HiveContent, markers: StaleMarkers, locale: Locale): Steps<LocaleStats> {
  const translations = translationsOf(hive, locale.code);
  let filled = 0;
  for (const [file, { texts }] of hive.source) {
    const translated = translations.get(file);
    if (translated === undefined) continue;
    for (const [key, source] of texts) {
      if (isStepDone()) yield;
      if (source !== "" && translated.has(key)) filled++;
    }
  }
  let stale = 0;
  for (const { source } of yield* staleOf(hive, markers, locale)) if (source !== "") stale++;
  const total = countTranslatable(hive.source);
  return { translated: filled - stale, stale, empty: total - filled, total };
}

/** A share in percent, rounded down to one decimal, so that 100 means all; 100 of nothing. */
export function toPercent(count: number, total: number): number {
  return total === 0 ? 100 : Math.floor((count * 1000) / total) / 10;
}
