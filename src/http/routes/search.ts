/** Finds Hives, languages and strings of the team by a part of their names or texts. */
import { z } from "zod";
import { named, nullableText, once } from "../../api/objects.ts";
import { codeOf } from "../../domain/hives/locale.ts";
import { languageName } from "../../domain/hives/language-name.ts";
import { maxFound, searchedLength, searchTeam } from "../../service/search.ts";
import { teamGroup, type TeamRoute } from "../pipeline/route.ts";

const { min, max } = searchedLength;

const teamSearchQuery = z.strictObject({
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

const response = named("TeamSearchResults", {
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

export const searchRoutesOfTeam: readonly TeamRoute[] = [
  teamGroup("Source strings", { ability: "read", requiresAllHives: false })(
    "searchTeam",
    "GET",
    "/api/search",
    {
      summary: "Search all Hives",
      description:
        `Finds Hives and languages by their names and codes, and strings by their keys, source texts and, where these are few, translations. ` +
        `It gives at most ${maxFound} of each, and looks for strings in the first 20 Hives that the token can read, for translations in the first three.`,
      query: teamSearchQuery,
      response,
      async handler({ storage, caller, query: { q: text, hive: first }, runSlowRead }) {
        const found = await runSlowRead((signal) => searchTeam(storage, caller, { text, first, signal }));
        return {
          result: {
            hives: found.hives,
            locales: found.locales.map((one) => ({
              hive: one.hive.slug,
              code: codeOf(one.locale),
              name: languageName(one.locale),
            })),
            strings: found.strings.map(({ translation, file, key, source, ...one }) => ({
              file,
              key,
              source,
              hive: one.hive.slug,
              locale: translation ? codeOf(translation.locale) : null,
              text: translation?.text ?? null,
            })),
          },
        };
      },
    },
  ),
];
