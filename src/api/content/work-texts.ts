/**
 * The texts of a string in a locale, as items of work and other reads show them to whoever may answer; which strings
 * those are.
 */
import { z } from "zod";
import { isTag, noteLimits } from "../../domain/notes/note.ts";
import { recordSchema } from "../../domain/record-schema.ts";
import { maxForms } from "../../domain/work/work.ts";
import { listOf, named, nullableText, text } from "../objects.ts";

/** How many files a request may name. */
const maxFiles = 1000;

/** Members that select strings. */
export const selected = {
  files: listOf(text, { message: "must be a list of files", max: maxFiles })
    .optional()
    .meta({ description: "Only strings of these files." }),
  tags: listOf(
    text.refine((tag) => isTag(tag) && tag.length <= 2 * noteLimits.tag, "is not a tag"),
    { message: "must be a list of tags", max: noteLimits.tags },
  )
    .optional()
    .meta({ description: "Only strings with one of these tags in their notes." }),
};

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

function isSmall(members: object): boolean {
  return Object.keys(members).length <= maxForms;
}

/** Texts in a request, by plural form. */
export function textsByForm<Text extends z.ZodType>(schema: Text) {
  return recordSchema(z.string(), schema, "must be an object of texts").refine(isSmall, "has too many forms");
}

/** What somebody has seen of a string. */
export const seen = z.object({ source: textsByForm(text), translation: textsByForm(text.nullable()) }).meta({
  id: "ExpectedTexts",
  description: "What was seen, as the item has it. Without it, the caller's living claim counts.",
});
