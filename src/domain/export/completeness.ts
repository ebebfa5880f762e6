/** Which locales are translated far enough to go out. */
import { codeOf, type Locale } from "../hives/locale.ts";
import { toPercent, type LocaleStats } from "../queries/locale-stats.ts";
import type { ExportState } from "../review/exported-texts.ts";
import type { FailingTexts } from "./export.ts";

export interface CompletenessRules {
  /** The least percentage, from 1 to 100, of the texts that a locale needs; undefined where all locales go out. */
  readonly minComplete?: number;
  readonly state?: ExportState;
  readonly failing?: FailingTexts;
}

/** A locale that does not go out. */
export interface LeftOut {
  readonly locale: Locale;
  /** How much of it would, rounded down to one decimal. */
  readonly percent: number;
}

/** A locale that does not go out, as exports and manifests name it. */
export function shownLeftOut({ locale, percent }: LeftOut): {
  readonly locale: string;
  readonly percent: number;
} {
  return { locale: codeOf(locale), percent };
}

/**
 * How much of a locale goes out, if that is less than it has to be. Stale texts go out, and
 * what is inherited counts; what is withheld by the state of its
 * review does not, and neither do texts with errors where these are left out or give way to their source texts. One that
 * is both counts twice, so that rather too little than too much is taken for translated.
 * @returns undefined where it is enough.
 */
export function percentBelow(
  { translated, stale, inherited, withheld, failing: failingCount, total }: LocaleStats,
  { minComplete = 0, state, failing }: CompletenessRules,
): number | undefined {
  const missing = (state === undefined ? 0 : withheld) + (failing === undefined ? 0 : failingCount);
  const given = Math.max(0, translated + stale + inherited - missing);
  return given * 100 < minComplete * total ? toPercent(given, total) : undefined;
}
