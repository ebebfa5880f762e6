/** Translations that engines suggest for one string. */
import { z } from "zod";
import { jsonObject, named, nullableText, text } from "../objects.ts";
import { operations } from "../operation.ts";
import { finding } from "./findings.ts";

const suggestionRequest = jsonObject({
  locale: text.meta({
    description: "The target locale, by its canonical or its custom code.",
    examples: ["fr"],
  }),
  file: text,
  key: text,
  engine: text.optional().meta({
    description:
      "The one engine to ask; each of the team that translates into the locale if it is not given.",
    examples: ["mistral"],
  }),
}).meta({ id: "SuggestionRequest" });

const suggestion = named("Suggestion", {
  engine: z.string(),
  model: nullableText.meta({ description: "As the engine names it." }),
  forms: z.record(z.string(), z.string()).meta({
    description: "Texts by plural form, `other` for a plain text; those that it could not make are missing.",
  }),
  findings: z.array(finding).meta({ description: "What checks find in the texts." }),
  error: nullableText.meta({ description: "Why there is no text." }),
});

export const suggestions = operations(
  {
    noun: "suggestion",
    about: "Have engines suggest translations of a string.",
    path: "/api/hives/:slug/suggestions",
    key: "engine",
    names: "engine",
    entity: suggestion,
    label: "engine",
    group: "Engines",
    ability: "read",
    columns: ["engine", "model", "forms", "error"],
  },
  (op) => ({
    suggestTranslations: op.changeAll("suggest", "POST", {
      summary: "Have engines suggest translations of a string",
      description:
        "Each engine gets what is known of the string: notes, terms, style, translation memory. Nothing is stored, and the same question is not asked again within an hour. An engine that fails says so in its `error`. Who stores a text unchanged says that a model wrote it (`X-Commit-Origin: model`). Needs `read` beside `write`; a Hive that forbids engines answers 403 (`engines_off`).",
      body: suggestionRequest,
      example: { locale: "fr", file: "auth.php", key: "failed" },
      response: named("Suggestions", { suggestions: z.array(suggestion) }),
      takesBranch: true,
    }),
  }),
);
