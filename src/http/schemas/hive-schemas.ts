/** The responses about Hives and about all known locales. */
import { z } from "zod";
import { toPercent, type LocaleStats } from "../../domain/strings/locale-stats.ts";
import { checksField } from "./check-schemas.ts";
import { glossaryField, pluralsField } from "./management-schemas.ts";
import { encode } from "./encode.ts";
import { count, named, nullableText } from "./objects.ts";

export const worldLocalesResponse = named("WorldLocaleList", {
  locales: z.array(
    named("WorldLocale", {
      code: z.string(),
      name: z.string(),
      region: z.string().meta({
        description: "The country in the code, as ISO 3166 names it; empty if the code names none.",
      }),
      rtl: z.boolean().meta({ description: "Whether it is written from right to left." }),
      is_popular: z.boolean().meta({
        description:
          "Whether software is commonly translated into it: at least five million people use it, and CLDR covers it fully. If its code has a region, its language must be official there.",
      }),
    }),
  ),
});
export type WorldLocalesResponse = z.infer<typeof worldLocalesResponse>;

const listedHive = named("ListedHive", {
  slug: z.string(),
  name: z.string(),
  source_locale: z.string(),
  locales: z.array(z.string()).meta({ description: "The codes of the target locales." }),
  string_count: count.meta({ description: "The number of source strings whose text is not empty." }),
  empty_source: count.meta({
    description:
      "The number of source strings whose text is empty. They need no translation and are not counted elsewhere.",
  }),
});
export type ListedHiveResponse = z.infer<typeof listedHive>;

/** Both members have the same list, because some clients read the one and some the other. */
export const hivesResponse = named("HiveList", { hives: z.array(listedHive), data: z.array(listedHive) });

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

export const hiveResponse = listedHive
  .omit({ locales: true })
  .extend({
    locales: z
      .record(z.string(), localeStatsResponse)
      .meta({ description: "The progress of each target locale, by its code." }),
    plurals: pluralsField,
    checks: checksField,
    glossary: glossaryField,
    stats: z.record(z.string(), localeStatsResponse).meta({ description: "The same as `locales`." }),
  })
  .meta({ id: "HiveProgress" });

export const keysResponse = named("SourceKeyList", {
  total: count,
  keys: z.array(
    named("SourceKey", {
      key: z.string(),
      file: nullableText.meta({
        description: "The name of its file; `null` for the file that is named after the source locale.",
      }),
    }),
  ),
});
