/** Searching strings, one string in all locales, and translation memory. */
import { z } from "zod";
import { maxSearchText, searchedStates } from "../../domain/queries/string-search.ts";
import { count, named, nullableText, once, queryParam, stringAddress } from "../objects.ts";
import { operations } from "../operation.ts";
import { asInteger, positiveInteger } from "../page.ts";
import { finding } from "./findings.ts";
import { includedNotes, tagField } from "./notes.ts";
import { seenTexts, workForm } from "./work-texts.ts";

const filters = {
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
};

const stringQuery = z.strictObject({
  file: z.string("must be given, and once").meta({ description: "The file.", examples: ["auth.php"] }),
  key: z.string("must be given, and once").meta({ description: "The key.", examples: ["failed"] }),
});

const stringTranslation = named("StringTranslation", {
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
  forms: z.array(workForm).meta({
    description: "All forms of a plural string in the locale, this one included; empty for other strings.",
  }),
  expected: seenTexts.meta({
    description:
      "To be sent back as it is with an answer in `POST /work/done`, which names a plural string by the key of its form `other`.",
  }),
});

const members = {
  ...stringAddress,
  source_value: z.string(),
  notes: includedNotes.meta({ description: "`null` if there are none." }),
  translations: z.array(stringTranslation),
};

const foundString = named("FoundString", members);

const neighbour = named("StringNeighbour", stringAddress).nullable();

const stringInAllLocales = named("StringInAllLocales", {
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

const memoryQuery = z.strictObject({
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

/** An equal or a similar text with its translation. */
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

const memoryHits = named("MemoryHits", { data: z.array(memoryHit) });

export const searches = operations(
  {
    noun: "string",
    about: "Search strings of a Hive, and show one in all locales.",
    path: "/api/hives/:slug/search",
    key: "key",
    names: "key",
    entity: foundString,
    label: "source_value",
    group: "Source strings",
    ability: "read",
    hasCommit: true,
    columns: ["file", "key", "source_value"],
  },
  (op) => ({
    searchStrings: op.list({
      summary: "Search strings and their translations",
      description:
        "By what they say, by their keys, and by the state of their translations. Files are sorted by name; keys are in the order of their file.",
      query: filters,
      takesBranch: true,
      tool: {
        name: "search",
        title: "Search strings",
        description:
          "Searches source texts, keys and translations, and filters by the state of translations. Each translation has all its plural forms, and expected for work_done.",
        givesTexts: true,
      },
    }),
    getString: op.viewAt("show", "/api/hives/:slug/string", {
      summary: "Get a string with all its translations",
      query: stringQuery,
      response: stringInAllLocales,
      takesBranch: true,
      tool: {
        name: "string",
        title: "Show a string",
        description:
          "Shows one string in all locales, with all its plural forms, its notes, its terms, what checks find, and expected for work_done.",
        givesTexts: true,
      },
    }),
    lookUpMemory: op.viewAt("memory", "/api/hives/:slug/memory", {
      group: "Translations",
      summary: "Look up how equal and similar texts were translated",
      description:
        "Looks in the Hive and in each other Hive that the token can read and that has the same source locale and the target locale. " +
        "Equal source texts come first, then similar ones by their score; of both, former source texts after the present ones. " +
        "Of equal hits, approved translations come before those that wait for a review. Two hits never have the same source text and translation.",
      query: memoryQuery,
      response: memoryHits,
      takesBranch: true,
    }),
  }),
);
