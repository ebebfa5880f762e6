/** Finds text in translations, and replaces it. */
import { z } from "zod";
import { maxReplacedTexts, maxReplacementLength, type Replaced } from "../../domain/glossary/replacement.ts";
import { maxSearchText, searchedStates } from "../../domain/queries/string-search.ts";
import { refusals, type Refusal } from "../../domain/work/work.ts";
import { count, defaulting, jsonObject, listOf, named, text, textAddress, textOf } from "../objects.ts";
import { operations } from "../operation.ts";
import { finding } from "./findings.ts";
import { seen, seenTexts, selected } from "./work-texts.ts";
import { dryRunQuery } from "./writes.ts";

const plainText = textOf(maxReplacementLength);

/** What is looked for, and what comes in its place. */
export const replacementFields = {
  find: plainText
    .refine((given) => given !== "", "must not be empty")
    .meta({ minLength: 1, description: "What is looked for: plain text, letter by letter." }),
  replace: plainText.meta({ description: "What comes in its place; an empty text takes it away." }),
};

const flag = (description: string) => defaulting(z.boolean("must be true or false"), false, description);

/** What is replaced, in a request. */
export const replacement = jsonObject({
  ...replacementFields,
  whole_word: flag("Whether it is only found as whole words, as the language has them."),
  case: flag("Whether upper and lower case make a difference."),
  locale: text.optional().meta({
    description:
      "The target locale, by its canonical or its custom code; all that the token may write if it is not given.",
    examples: ["fr"],
  }),
  ...selected,
  q: text.max(maxSearchText, `must be at most ${maxSearchText} characters`).optional().meta({
    description:
      "Only strings whose key, source text or translation contains this, as `GET /search` finds it.",
  }),
  state: z
    .enum(searchedStates, `must be one of ${searchedStates.join(", ")}`)
    .optional()
    .meta({ description: "Only strings whose translation is in this state." }),
  items: listOf(jsonObject({ locale: text, file: text, key: text, expected: seen }), {
    message: "must be a list of items",
    max: maxReplacedTexts,
  })
    .optional()
    .meta({
      description:
        "The only texts to replace in, as a dry run gives them, whatever the other members select. Those that are not as expected any more stay as they are.",
    }),
});

const codes = ["arguments_changed", "unreadable", "too_long", ...refusals] as const;

const replacedText = named("ReplacedText", {
  ...textAddress,
  before: z.string(),
  after: z.string(),
  findings: z.array(finding).meta({ description: "What checks find in the text `after`." }),
  expected: seenTexts.meta({ description: "What was seen, to be sent back as it is." }),
  code: z
    .enum([...new Set<Exclude<Replaced["status"], "replaced"> | Refusal>(codes)])
    .optional()
    .meta({
      description:
        "Why the text stays as it is. `check_failed`: it would have an error that it has not yet. `arguments_changed`: its arguments or tags would be others. `unreadable`: nothing says what of it are arguments.",
    }),
  message: z.string().optional().meta({ description: "The same for people." }),
});

const replaceResult = named("ReplaceResult", {
  replaced: count.meta({ description: "How many texts were replaced." }),
  changed: count.meta({
    description:
      "How many of the `items` stay as they are since they are not as expected, or have nothing to be replaced.",
  }),
  refused: count.meta({ description: "How many texts stay as they are for the `code` that they have." }),
  more: z
    .boolean()
    .optional()
    .meta({
      description: `Whether there are more texts: at most ${maxReplacedTexts} are replaced at once. Absent for no, but of a dry run.`,
    }),
  items: z.array(replacedText).optional().meta({
    description:
      "Of a dry run: all texts in which something is found. Otherwise those that were refused, if there are any.",
  }),
});

export const replacements = operations(
  {
    noun: "replacement",
    about: "Find and replace text in the Hive's translations.",
    path: "/api/hives/:slug/replace",
    key: "key",
    names: "key",
    entity: replacedText,
    label: "before",
    group: "Translations",
    ability: "read",
    hasCommit: true,
    columns: ["locale", "file", "key", "before", "after", "code"],
  },
  (op) => ({
    replaceText: op.changeAll("replace", "POST", {
      summary: "Find and replace text in translations",
      description:
        "Replaces plain text in the translations that the body selects, as one commit. Nothing is found in arguments, tags and the syntax around branches of plurals; the texts of the branches are searched. Stale translations stay stale, and texts wait for a review as any that the token writes. A text stays as it is, and is named, where it would have an error that it has not yet (any error where the Hive refuses errors), or where its arguments or tags would be others. A dry run lists the texts; its `items` may be sent back as they are, or some of them. Needs `read` beside `write`.",
      query: dryRunQuery,
      hasDryRun: true,
      body: replacement,
      example: { find: "tableau de bord", replace: "panneau", whole_word: true, locale: "fr" },
      response: replaceResult,
      isRepeatable: true,
      takesBranch: true,
    }),
  }),
);
