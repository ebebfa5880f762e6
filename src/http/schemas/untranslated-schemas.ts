/** The request and the response about untranslated texts. */
import { z } from "zod";
import { openStates, untranslatedStates } from "../../domain/strings/untranslated.ts";
import { includedNotes, includeField, tagField } from "./note-fields.ts";
import { at, once, pageQuery } from "./schemas.ts";
import { named, nullableText, pageOf } from "./objects.ts";

const anyState = `(?:${untranslatedStates.join("|")})`;
const statesPattern = new RegExp(`^${anyState}(?:,${anyState})*$`);

const states = z
  .string("must be given once")
  .regex(statesPattern, `must be one or more of ${untranslatedStates.join(", ")}, separated by commas`)
  .transform((text) => untranslatedStates.filter((state) => text.split(",").includes(state)))
  .default([...openStates])
  .meta({
    type: "string",
    default: openStates.join(","),
    pattern: statesPattern.source,
    description:
      "The states to list, separated by commas: `missing` texts have no translation, `stale` ones have a translation of an earlier source text, `kept` ones have no translation and a note that keeps them as they are.",
    examples: ["missing"],
  });

export const untranslatedQuery = pageQuery.extend({
  locale: z.string("must be given, and once").meta({
    description: "The target locale, by its canonical or its custom code.",
    examples: ["pt_BR"],
  }),
  state: states,
  file: once.meta({ description: "Only the texts of this file.", examples: ["auth.php"] }),
  tag: tagField,
  include: includeField,
  at,
});

const untranslatedText = named("UntranslatedText", {
  file: z.string(),
  key: z.string(),
  source_value: z.string(),
  state: z.enum(untranslatedStates),
  translation: nullableText.meta({ description: "The stale translation; `null` if it is missing." }),
  old_source_value: nullableText.meta({
    description: "The source text for which a stale translation was made; `null` if it is missing.",
  }),
  notes: includedNotes,
});

export const untranslatedResponse = pageOf("UntranslatedTextPage", untranslatedText);
