/** Finds text in translations, and replaces it. */
import { z } from "zod";
import { maxReplacementLength } from "../../../domain/glossary/replacement.ts";
import { codeOf } from "../../../domain/hives/locale.ts";
import { searchedStates } from "../../../domain/queries/string-search.ts";
import { refusals } from "../../../domain/work/work.ts";
import {
  maxReplacedTexts,
  replaceTexts,
  type ReplacedText,
  type ReplaceRefusal,
  type ReplaceRequest,
} from "../../../service/work/replace.ts";
import {
  count,
  defaulting,
  jsonObject,
  listOf,
  named,
  text,
  textAddress,
  textOf,
} from "../../../api/objects.ts";
import { withExample } from "../../../api/operation.ts";
import { orPreview } from "../../pipeline/preview.ts";
import { hiveGroup, type HiveRoute } from "../../pipeline/route.ts";
import { finding, withShownLocale } from "../../schemas/check-schemas.ts";
import { dryRunQuery } from "../../../api/content/writes.ts";
import { maxSearchText } from "../context/search.ts";
import { selected, seen } from "./work-schemas.ts";
import { seenTexts } from "../../schemas/work-texts.ts";
import { seenAs } from "../../../domain/work/queue.ts";
import type { HiveSettings } from "../../../domain/hives/hive-settings.ts";

const plainText = textOf(maxReplacementLength);

/** What is looked for, and what comes in its place. */
export const replacementFields = {
  find: plainText
    .refine((given) => given !== "", "must not be empty")
    .meta({ minLength: 1, description: "What is looked for: plain text, letter by letter." }),
  replace: plainText.meta({ description: "What comes in its place; an empty text takes it away." }),
};

const flag = (description: string) => defaulting(z.boolean("must be true or false"), false, description);

const replaceBody = jsonObject({
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
    .enum([...new Set<ReplaceRefusal>(codes)])
    .optional()
    .meta({
      description:
        "Why the text stays as it is. `check_failed`: it would have an error that it has not yet. `arguments_changed`: its arguments or tags would be others. `unreadable`: nothing says what of it are arguments.",
    }),
  message: z.string().optional().meta({ description: "The same for people." }),
});

export const replaceResponse = z.object({
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

const { hiveWrite } = hiveGroup("Translations", "write", { takesBranch: true });

export const replaceRoutes: readonly HiveRoute[] = [
  hiveWrite("replaceText", "POST", "/api/hives/:slug/replace", {
    isRepeatable: true,
    summary: "Find and replace text in translations",
    description:
      "Replaces plain text in the translations that the body selects, as one commit. Nothing is found in arguments, tags and the syntax around branches of plurals; the texts of the branches are searched. Stale translations stay stale, and texts wait for a review as any that the token writes. A text stays as it is, and is named, where it would have an error that it has not yet (any error where the Hive refuses errors), or where its arguments or tags would be others. A dry run lists the texts; its `items` may be sent back as they are, or some of them. Needs `read` beside `write`.",
    query: dryRunQuery,
    body: withExample(replaceBody, {
      find: "tableau de bord",
      replace: "panneau",
      whole_word: true,
      locale: "fr",
    }),
    response: orPreview(replaceResponse, "ReplaceResult"),
    async handler({ storage, caller, branch, body, context }) {
      const done = await replaceTexts(storage, caller, branch, toRequest(body), context);
      const { texts, changed, hasMore } = done.result;
      const { settings } = await storage.hives.at(branch).snapshot();
      const refused = texts.filter((one) => one.refused !== undefined);
      const isDryRun = context.dryRun === true;
      const listed = isDryRun ? texts : refused;
      const result = {
        replaced: texts.length - refused.length,
        changed,
        refused: refused.length,
        // A request that is repeated has the counts of its commit alone, and nothing else where there is no more to say.
        more: hasMore || isDryRun ? hasMore : undefined,
        items: listed.length > 0 || isDryRun ? listed.map((one) => toItem(one, settings)) : undefined,
      };
      return { ...done, result };
    },
  }),
];

function toRequest({ whole_word, case: isCaseSensitive, q, items, ...body }: z.output<typeof replaceBody>) {
  return {
    ...body,
    isWholeWord: whole_word,
    isCaseSensitive,
    text: q,
    items: items?.map(({ expected, ...item }) => Object.assign(item, { expected: seenAs(expected) })),
  } satisfies ReplaceRequest;
}

function toItem({ locale, refused, findings, ...item }: ReplacedText, settings: HiveSettings) {
  return { ...item, ...refused, locale: codeOf(locale), findings: findings.map(withShownLocale(settings)) };
}
