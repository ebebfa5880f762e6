/** The requests and responses about searching strings, and about one string. */
import { z } from "zod";
import { searchedStates } from "../../../domain/strings/string-search.ts";
import { finding } from "../finding-schemas.ts";
import { includedNotes, tagField } from "../note-fields.ts";
import { named, nullableText, pageOf } from "../objects.ts";
import { once, pageQuery } from "../schemas.ts";

/** The longest text that is searched for, in characters. */
const maxText = 1_000;

export const searchQuery = pageQuery.extend({
  text: once.pipe(z.string().max(maxText, `must be at most ${maxText} characters`).optional()).meta({
    description:
      "What the key, the source text or a translation contains, without regard to case, accents and the kind of blanks.",
    examples: ["password"],
  }),
  locale: once.meta({
    description:
      "The target locale whose translations are searched and shown; `*` for all, and none if it is not given.",
    examples: ["pt_BR"],
  }),
  state: z.enum(searchedStates).optional().meta({ description: "Of a translation into the locale." }),
  file: once.meta({ description: "Only strings of this file.", examples: ["auth.php"] }),
  tag: tagField,
});

export const stringQuery = z.strictObject({
  file: z.string("must be given, and once").meta({ description: "The file.", examples: ["auth.php"] }),
  key: z.string("must be given, and once").meta({ description: "The key.", examples: ["failed"] }),
});

const translation = named("StringTranslation", {
  locale: z.string(),
  text: nullableText,
  state: z.enum(["translated", "stale", "missing", "none"]).meta({
    description: "`none` where there is nothing to translate.",
  }),
  old_source_value: nullableText.meta({
    description: "The source text that a stale translation was made for.",
  }),
  waiting: z.boolean().meta({ description: "Whether it waits for a review." }),
  findings: z.array(finding).meta({ description: "What checks find in it." }),
});

const members = {
  file: z.string(),
  key: z.string(),
  source_value: z.string(),
  notes: includedNotes.meta({ description: "`null` if there are none." }),
  translations: z.array(translation),
};

export const searchResponse = pageOf("FoundStringPage", named("FoundString", members));

const neighbour = named("StringNeighbour", { file: z.string(), key: z.string() }).nullable();

export const stringResponse = named("StringInAllLocales", {
  ...members,
  forms: z
    .array(named("StringForm", { form: z.string(), key: z.string() }))
    .meta({ description: "The keys of the same plural string; empty for other strings." }),
  terms: z.array(z.string()).meta({ description: "The terms of the glossary that the source text has." }),
  previous: neighbour,
  next: neighbour,
});
