/** The progress of a locale in responses. */
import type { z } from "zod";
import { localeStats } from "../../api/locale-stats.ts";
import { toPercent, type LocaleStats } from "../../domain/queries/locale-stats.ts";
import { encode } from "../../domain/json-codec.ts";

/** The statistics of a locale as JSON has them. */
export function toLocaleStats(stats: LocaleStats): z.infer<typeof localeStats> {
  const { translated, approved, stale, inherited, total } = stats;
  return encode(localeStats, {
    ...stats,
    warning: stale,
    translatedPercent: toPercent(translated + stale + inherited, total),
    approvedPercent: toPercent(approved, total),
  });
}
