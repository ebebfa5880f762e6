/** Finds Hives, languages and strings of the team by a part of their names or texts. */
import { z } from "zod";
import { maxFound, searchedLength } from "../../domain/queries/team-search.ts";
import { named, nullableText, once } from "../objects.ts";
import { operations } from "../operation.ts";

const { min, max } = searchedLength;

const query = z.strictObject({
  q: z
    .string("is required")
    .trim()
    .min(min, `must have at least ${min} characters`)
    .max(max, `must have at most ${max} characters`)
    .meta({
      description: "A part of a name, a key or a text. Case, accents, and the kind of blanks do not matter.",
      example: "sign in",
    }),
  hive: once.meta({ description: "The slug of the Hive whose results come first.", example: "web" }),
});

const hive = z.string().meta({ description: "Its slug." });

const found = named("TeamSearchResults", {
  hives: z.array(named("FoundHive", { slug: z.string(), name: z.string() })),
  locales: z.array(
    named("FoundLocale", {
      hive,
      code: z.string().meta({ description: "As the Hive writes it." }),
      name: z.string().meta({ description: "In English." }),
    }),
  ),
  strings: z.array(
    named("FoundAnywhere", {
      hive,
      file: z.string(),
      key: z.string(),
      source: z.string(),
      locale: nullableText.meta({
        description: "Of the translation that has the text; `null` where the source string has it.",
      }),
      text: nullableText.meta({ description: "That translation." }),
    }),
  ),
});

export const teamSearches = operations(
  {
    noun: "search",
    about: "Search all Hives.",
    path: "/api/search",
    key: "key",
    entity: found,
    label: "strings",
    names: "strings",
    group: "Source strings",
    ability: "read",
    columns: ["hives", "locales", "strings"],
  },
  (op) => ({
    searchTeam: op.viewAt("search", "/api/search", {
      summary: "Search all Hives",
      description:
        `Finds Hives and languages by their names and codes, and strings by their keys, source texts and, where these are few, translations. ` +
        `It gives at most ${maxFound} of each, and looks for strings in the first 20 Hives that the token can read, for translations in the first three.`,
      query,
      response: found,
    }),
  }),
);
