/** The texts of a string in a locale, as items of work and other reads show them to whoever may answer. */
import { z } from "zod";
import { named, nullableText } from "../../api/objects.ts";

/** Something for each plural form. */
export function byForm(value: z.ZodType, description: string) {
  return z.record(z.string(), value).meta({ description });
}

/** What an answer sends back as `expected`. */
export const seenTexts = named("SeenTexts", {
  source: byForm(z.string(), "The source texts, by plural form."),
  translation: byForm(nullableText, "The translations, by plural form; `null` for none."),
});

export const workForm = named("WorkForm", {
  form: z.string().meta({ description: "The plural category; `other` for a plain text.", examples: ["one"] }),
  key: z.string().meta({ description: "The stored key of the form." }),
  source: z.string(),
  example: z
    .int()
    .nullable()
    .meta({ description: "A number for which the form is used; `null` for a plain text." }),
  translation: nullableText,
  former_source: nullableText.meta({
    description: "The source text that a stale translation was made for; `null` if it is not stale.",
  }),
});
