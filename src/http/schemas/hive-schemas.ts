/** The progress of a locale in responses. */
import { z } from "zod";
import { toPercent, type LocaleStats } from "../../domain/queries/locale-stats.ts";
import { encode } from "../../domain/json-codec.ts";
import { count, named } from "../../api/objects.ts";

const percent = z.number().min(0).max(100);

export const localeStatsResponse = named("LocaleStats", {
  translated: count.meta({ description: "Texts with a translation of the current source text." }),
  approved: count.meta({ description: "Those of them that do not wait for a review." }),
  waiting: count.meta({
    description: "Translations that wait for a review, stale or not; they are counted elsewhere, too.",
  }),
  warning: count.meta({ description: "Texts with a stale translation, made for an earlier source text." }),
  empty: count.meta({ description: "Texts without a translation." }),
  failing: count.meta({
    description:
      "Translations in which checks find an error, in whatever state; they are counted above, too.",
  }),
  total: count.meta({ description: "`translated`, `warning` and `empty` together." }),
  translated_percent: percent.meta({
    description: "`translated` and `warning` as a percentage of `total`, rounded down to one decimal.",
  }),
  approved_percent: percent.meta({
    description: "`approved` as a percentage of `total`, rounded down to one decimal.",
  }),
});
type LocaleStatsResponse = z.infer<typeof localeStatsResponse>;

/** The statistics of a locale as JSON has them. */
export function toLocaleStats(stats: LocaleStats): LocaleStatsResponse {
  const { translated, approved, stale, total } = stats;
  return encode(localeStatsResponse, {
    ...stats,
    warning: stale,
    translatedPercent: toPercent(translated + stale, total),
    approvedPercent: toPercent(approved, total),
  });
}
