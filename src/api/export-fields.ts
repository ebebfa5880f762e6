/** What exports and channels give of the texts of a Hive. */
import { z } from "zod";
import { failingTexts } from "../domain/export/export.ts";
import { named } from "./objects.ts";
import { exportStates, missingTexts } from "../domain/review/exported-texts.ts";

export const failingField = z.enum(failingTexts, "must be source or omit").meta({
  description:
    "What becomes of translations in which checks find errors: their source text (`source`), or nothing (`omit`). They stay as they are if not given.",
});

export const stateField = z.enum(exportStates, "must be approved").meta({
  description:
    "With `approved`, a text that waits for a review is given as it was approved last, and left out if it never was. All texts are given as they are stored if this is not given.",
});

export const missingField = z.enum(missingTexts, `must be ${missingTexts.join(", ")}`).meta({
  description:
    "What stands where there is no translation: nothing (`leave`, the default), the source text (`source`), or the text of the nearest locale that it inherits from, and the source text where none of them has one (`fallback`).",
});

const isPercent = { error: "must be a whole number from 1 to 100" };
const leastPercent =
  "How much of a locale must be translated, in percent, for it to be there: texts that go out by `state` and `failing`, stale ones included, of those that the locale needs. The source locale is always there.";

export const minCompleteField = z
  .int(isPercent)
  .min(1, isPercent)
  .max(100, isPercent)
  .meta({ description: leastPercent, examples: [90] });

/** The same in the query of a request. */
export const minCompleteQuery = z
  .string("must be given once")
  .regex(/^(?:[1-9][0-9]?|100)$/, isPercent.error)
  .transform(Number)
  .meta({ type: "integer", minimum: 1, maximum: 100, pattern: undefined, description: leastPercent });

export const leftOutField = z
  .array(
    named("LeftOutLocale", {
      locale: z.string(),
      percent: z.number().min(0).max(100).meta({ description: "Rounded down to one decimal." }),
    }),
  )
  .meta({
    description:
      "The locales that are not there since too little of them is translated, where `min_complete` was given.",
  });
