/** What checks find, in responses. */
import { type HiveSettings, shownCodes } from "../../domain/hives/hive-settings.ts";
import type { LocatedFinding } from "../../domain/plans/check-content.ts";

/** Gives findings, which name locales as they are stored, the codes that the Hive shows. */
export function withShownLocale(settings: HiveSettings) {
  const shown = shownCodes(settings);
  return (one: LocatedFinding) => ({ ...one, locale: shown(one.locale) });
}
