/** What is answered about Hives and the locales of the world, as zod schemas. */
import { z } from "zod";
import { pluralsField } from "./management-schemas.ts";
import { count } from "./schemas.ts";

export const worldLocalesResponse = z
  .object({
    locales: z.array(
      z
        .object({
          code: z.string(),
          name: z.string(),
          region: z.string().meta({ description: "A country's code in ISO 3166, or empty." }),
          rtl: z.boolean(),
          is_popular: z.boolean(),
        })
        .meta({ id: "WorldLocale" }),
    ),
  })
  .meta({ id: "WorldLocaleList" });
export type WorldLocalesResponse = z.infer<typeof worldLocalesResponse>;

const listedHive = z
  .object({
    slug: z.string(),
    name: z.string(),
    source_locale: z.string(),
    locales: z.array(z.string()).meta({ description: "The codes of the target locales." }),
    string_count: count.meta({ description: "Of the source strings that have a text." }),
    empty_source: count.meta({
      description: "Of those with an empty text: nothing to translate, so they count nowhere else here.",
    }),
  })
  .meta({ id: "ListedHive" });
export type ListedHiveResponse = z.infer<typeof listedHive>;

/** Clients read one or the other; both are the same. */
export const hivesResponse = z
  .object({ hives: z.array(listedHive), data: z.array(listedHive) })
  .meta({ id: "HiveList" });
export type HivesResponse = z.infer<typeof hivesResponse>;

const percent = z.number().min(0).max(100);

const localeStatsResponse = z
  .object({
    translated: count,
    approved: count,
    warning: count.meta({ description: "Translations of an earlier source text." }),
    empty: count,
    total: count,
    translated_percent: percent,
    approved_percent: percent,
  })
  .meta({ id: "LocaleStats" });
export type LocaleStatsResponse = z.infer<typeof localeStatsResponse>;

export const hiveResponse = listedHive
  .omit({ locales: true })
  .extend({
    locales: z
      .record(z.string(), localeStatsResponse)
      .meta({ description: "By the code of each target locale." }),
    plurals: pluralsField,
    stats: z.record(z.string(), localeStatsResponse).meta({ description: "The same." }),
  })
  .meta({ id: "HiveProgress" });

export const keysResponse = z
  .object({
    total: count,
    keys: z.array(
      z
        .object({
          key: z.string(),
          file: z
            .string()
            .nullable()
            .meta({ description: "`null` for the file that is named after the source locale." }),
        })
        .meta({ id: "SourceKey" }),
    ),
  })
  .meta({ id: "SourceKeyList" });
export type KeysResponse = z.infer<typeof keysResponse>;
