/** The progress of a locale in answers. */
import { z } from "zod";
import { count, named } from "./objects.ts";

const percent = z.number().min(0).max(100);

export const localeStats = named("LocaleStats", {
  translated: count.meta({ description: "Texts with a translation of the current source text." }),
  approved: count.meta({ description: "Those of them that do not wait for a review." }),
  waiting: count.meta({
    description: "Translations that wait for a review, stale or not; they are counted elsewhere, too.",
  }),
  warning: count.meta({ description: "Texts with a stale translation, made for an earlier source text." }),
  empty: count.meta({ description: "Texts without a translation." }),
  inherited: count.meta({
    description:
      "Texts without a translation in whose place stands that of another locale, which it inherits.",
  }),
  failing: count.meta({
    description:
      "Translations in which checks find an error, in whatever state; they are counted above, too.",
  }),
  total: count.meta({ description: "`translated`, `warning`, `empty` and `inherited` together." }),
  translated_percent: percent.meta({
    description:
      "`translated`, `warning` and `inherited` as a percentage of `total`, rounded down to one decimal.",
  }),
  approved_percent: percent.meta({
    description: "`approved` as a percentage of `total`, rounded down to one decimal.",
  }),
});
