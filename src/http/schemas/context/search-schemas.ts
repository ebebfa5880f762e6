/** The requests and responses about searching strings, about one string, and about translation memory. */
import { z } from "zod";
import { searchedStates } from "../../../domain/strings/string-search.ts";
import { finding } from "../finding-schemas.ts";
import { includedNotes, tagField } from "../note-fields.ts";
import { named, nullableText, pageOf, count, stringAddress } from "../objects.ts";
import { once, queryParam } from "../schemas.ts";
import { pageQuery, asInteger, positiveInteger } from "../page.ts";

/** The longest text that is searched for, in characters. */
const maxSearchText = 1_000;

export const searchQuery = pageQuery.extend({
  text: once
    .pipe(z.string().max(maxSearchText, `must be at most ${maxSearchText} characters`).optional())
    .meta({
      description:
        "What the key, the source text or a translation contains, without regard to case, accents and the kind of blanks.",
      examples: ["password"],
    }),
  locale: queryParam(
    "The target locale whose translations are searched and shown; `*` for all, and none if it is not given.",
    "pt_BR",
  ),
  state: z.enum(searchedStates).optional().meta({ description: "Of a translation into the locale." }),
  file: queryParam("Only strings of this file.", "auth.php"),
  tag: tagField,
});

export const stringQuery = z.strictObject({
  file: z.string("must be given, and once").meta({ description: "The file.", examples: ["auth.php"] }),
  key: z.string("must be given, and once").meta({ description: "The key.", examples: ["failed"] }),
});

const translation = named("StringTranslation", {
  locale: z.string(),
  text: nullableText,
  state: z
    .enum(["translated", "stale", "missing", "none"])
    .meta({ description: "`none` where there is nothing to translate." }),
  old_source_value: nullableText.meta({
    description: "The source text that a stale translation was made for.",
  }),
  waiting: z.boolean().meta({ description: "Whether it waits for a review." }),
  findings: z.array(finding).meta({ description: "What checks find in it." }),
});

const members = {
  ...stringAddress,
  source_value: z.string(),
  notes: includedNotes.meta({ description: "`null` if there are none." }),
  translations: z.array(translation),
};

export const searchResponse = pageOf("FoundStringPage", named("FoundString", members));

const neighbour = named("StringNeighbour", stringAddress).nullable();

export const stringResponse = named("StringInAllLocales", {
  ...members,
  forms: z
    .array(named("StringForm", { form: z.string(), key: z.string() }))
    .meta({ description: "The keys of the same plural string; empty for other strings." }),
  terms: z.array(z.string()).meta({ description: "The terms of the glossary that the source text has." }),
  previous: neighbour,
  next: neighbour,
});

/** The longest text that is looked up, in characters. */
const maxText = 5_000;
const maxHits = 50;

export const memoryQuery = z.strictObject({
  locale: z
    .string("must be given, and once")
    .meta({ description: "The target locale, by its canonical or its custom code.", examples: ["pt_BR"] }),
  text: z
    .string("must be given, and once")
    .min(1, "must not be empty")
    .max(maxText, `must be at most ${maxText} characters`)
    .meta({ description: "The source text, as the Hive has it.", examples: ["Wrong password."] }),
  limit: positiveInteger
    .transform((limit) => Math.min(limit, maxHits))
    .default(10)
    .meta({
      ...asInteger,
      default: 10,
      description: `The number of hits, at most ${maxHits}; a larger value counts as ${maxHits}.`,
    }),
});

export const memoryHit = named("MemoryHit", {
  source: z.string(),
  text: z.string().meta({ description: "Its translation." }),
  hive: z.string(),
  ...stringAddress,
  score: count.max(100).meta({
    description:
      "100 for an equal source text; for a similar one, how many per cent of the trigrams are the same.",
  }),
  approved: z.boolean().meta({ description: "Whether the translation does not wait for a review." }),
  former: z.boolean().meta({
    description:
      "Whether this is of the past: the string has another source text now, or is no more. Its translation may be replaced.",
  }),
});

export const memoryResponse = named("MemoryHits", { data: z.array(memoryHit) });
