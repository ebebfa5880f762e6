/** The requests and responses about the queue of work. */
import { z } from "zod";
import { seenAs } from "../../domain/work/queue.ts";
import { lengthUnits } from "../../domain/checks/length.ts";
import { checkNames } from "../../domain/checks/message.ts";
import { syntaxNames } from "../../domain/checks/syntax-names.ts";
import { originKinds, originProblem } from "../../domain/commits/origin.ts";
import { termAnswer, translationAnswer } from "../../domain/glossary/term-schema.ts";
import { noteLimits } from "../../domain/notes/note.ts";
import { maxReasonLength } from "../../domain/review/review.ts";
import { textProblem } from "../../domain/text.ts";
import {
  defaultWant,
  maxAnsweredItems,
  maxClaimSeconds,
  maxOtherLocales,
  maxWorkItems,
  refusals,
  usualHits,
  workStates,
  workStatuses,
  type AnsweredItem,
  type WorkAnswer,
} from "../../domain/work/work.ts";
import { memoryHit } from "./search.ts";
import { finding } from "./findings.ts";
import { count, defaulting, jsonObject, named, nullableText, text, listOf, commitName } from "../objects.ts";
import { byForm, seen, seenTexts, selected, textsByForm, workForm } from "./work-texts.ts";

/** How many hits of the memory an item may have. */
const maxHits = 10;

function integer(least: number, most: number) {
  return z
    .int("must be a whole number")
    .min(least, `must be at least ${least}`)
    .max(most, `must be at most ${most}`);
}

const locale = text.meta({
  description: "A target locale, by its canonical or its custom code.",
  examples: ["fr"],
});
const state = z.enum(workStates, `must be one of ${workStates.join(", ")}`);

export const workBody = jsonObject({
  locale,
  want: listOf(state, { message: "must be a list of states", max: workStates.length })
    .refine((states) => states.length > 0, "must not be empty")
    .default([...defaultWant])
    .meta({
      default: [...defaultWant],
      description:
        "Only strings in one of these states: `missing` (a form has no translation), `stale` (it was made for an earlier source text), `failing` (it has an error that was not accepted), `review` (it waits for a review; needs the ability `approve`, all others need `write`), `asked` (somebody has asked about the string; it is in no other state), `skipped` (this token, or its person, has skipped the string, which is in no other state for them; needs `write` or `approve`).",
    }),
  ...selected,
  max_items: defaulting(integer(1, maxWorkItems), 25, "The most items."),
  max_tokens: integer(1, 10_000_000).optional().meta({
    description: "About as many tokens of a model as all items together may take; there is always one item.",
  }),
  claim_seconds: defaulting(integer(1, maxClaimSeconds), 600, "For how long nobody else gets the items."),
  other_locales: listOf(text, { message: "must be a list of locales", max: maxOtherLocales })
    .optional()
    .meta({
      description:
        "The locales whose translations each item shows, too. Three that are near if this is not given; none for an empty list.",
    }),
  memory: defaulting(
    integer(0, maxHits),
    usualHits,
    "The most hits of the translation memory of an item, as far as there are tokens; of more than 50 items the later ones have none.",
  ),
});

const argument = named("WorkArgument", {
  name: z.string(),
  kind: nullableText.meta({ description: "`number`, `date`, `any` and so on, as the syntax has it." }),
  type: z.string().optional(),
  example: z.string().optional(),
  description: z.string().optional(),
});

const { source, meaning, part_of_speech } = termAnswer.shape;
const { text: translation, accepted, forbidden, keep } = translationAnswer.shape;
const term = named("WorkTerm", {
  source,
  meaning,
  part_of_speech,
  translation,
  accepted,
  forbidden,
  keep: keep.meta({ description: "Whether the term stays as it is in the source." }),
});

const neighbour = named("WorkNeighbour", { key: z.string(), source: z.string(), translation: nullableText });

const item = named("WorkItem", {
  file: z.string(),
  key: z.string().meta({ description: "The stored key; of a plural string, the key of the form `other`." }),
  state: z.enum(workStates),
  forms: z.array(workForm).meta({ description: "The forms that the locale needs." }),
  syntax: z.enum(syntaxNames).meta({ description: "How the source text is written." }),
  arguments: z.array(argument),
  note: nullableText.meta({ description: "What the text is for." }),
  ask: nullableText.meta({ description: "The question that somebody has asked about the string." }),
  rejected: nullableText.meta({ description: "Why an earlier translation was rejected." }),
  max_length: z.int().nullable(),
  max_length_unit: z.enum(lengthUnits).nullable(),
  tags: z.array(z.string()),
  pictures: z.array(z.string()).meta({ description: "The hashes of the pictures that show the string." }),
  where: z.array(z.string()).meta({ description: "Places in the app's code." }),
  neighbours: z
    .array(neighbour)
    .meta({ description: "Two strings before it and two behind it in its file, cut after 300 characters." }),
  other_locales: z
    .record(z.string(), z.string())
    .meta({ description: "Translations into other locales, by their codes." }),
  memory: z
    .array(memoryHit)
    .meta({ description: "How equal and similar texts were translated, the best first." }),
  terms: z.array(term).meta({ description: "The terms of the glossary that the source text has." }),
  findings: z.array(finding).meta({ description: "What checks find in the translations." }),
  expected: seenTexts.meta({ description: "To be sent back with the answer, as it is." }),
});

export const workResponse = named("Work", {
  claim: nullableText.meta({ description: "`null` if there is nothing to hand out." }),
  expires_at: nullableText.meta({ format: "date-time" }),
  commit: commitName,
  style: z.string().meta({ description: "How to write in the locale; empty if nobody has said that." }),
  glossary_version: z.string().meta({ description: "As long as it is the same, so is the glossary." }),
  items: z.array(item),
  tokens: count.meta({ description: "An estimate of the tokens of all items." }),
  left: count.meta({ description: "How many strings are left beside these items." }),
  claimed: count.meta({ description: "How many of those that are left are claimed." }),
});

const prose = (max: number) =>
  text
    .refine((given) => given.trim() !== "", "must not be empty")
    .max(max, `must be at most ${max} characters`)
    .refine((given) => textProblem(given) === undefined, "must not hold a NUL or half of a UTF-16 pair");

/** What somebody writes beside the texts of an answer. */
export const answerProse = { reject: prose(maxReasonLength), ask: prose(noteLimits.note) };

const answeredItem = jsonObject({
  file: text,
  key: text,
  forms: textsByForm(text)
    .refine((forms) => Object.keys(forms).length > 0, "must not be empty")
    .nullish()
    .meta({ description: "Texts by plural form; `other` for a plain text. Other forms stay as they are." }),
  approve: z
    .boolean("must be true")
    .nullish()
    .meta({ description: "Approves what waits; with `forms`, the texts as they are sent." }),
  confirm: z
    .boolean("must be true")
    .nullish()
    .meta({ description: "The stale translations are right for the present source texts." }),
  remove: z.boolean("must be true").nullish().meta({ description: "Takes the translations away." }),
  accept: listOf(z.enum(checkNames, `must be one of ${checkNames.join(", ")}`), {
    message: "must be a list of checks",
    max: checkNames.length,
  })
    .refine((checks) => checks.length > 0, "must not be empty")
    .nullish()
    .meta({
      description:
        "Checks that found something in the stored texts which is no fault; it is not found again until a text changes.",
    }),
  reject: answerProse.reject
    .nullish()
    .meta({ description: "Why: the text that was approved last comes back." }),
  skip: text.max(maxReasonLength, `must be at most ${maxReasonLength} characters`).nullish().meta({
    description: "Why: the string is not handed out to this token again for a week, unless it changes.",
  }),
  unskip: z
    .boolean("must be true")
    .nullish()
    .meta({ description: "The string that this token has skipped is handed out to it again." }),
  ask: answerProse.ask.nullish().meta({ description: "A question, which becomes a comment on the string." }),
  expected: seen.optional(),
}).meta({ id: "WorkAnswer" });

type GivenItem = z.output<typeof answeredItem>;

/** The answer of an item; a text that says why there is none. */
function toAnswer({
  forms,
  approve,
  confirm,
  remove,
  accept,
  reject,
  skip,
  unskip,
  ask,
}: GivenItem): WorkAnswer | string {
  // Items that are handed out have `null` for what they lack, and models repeat it.
  const answers: WorkAnswer[] = [];
  if (forms)
    answers.push({ kind: "forms", forms: new Map(Object.entries(forms)), approve: approve === true });
  else if (approve === true) answers.push({ kind: "approve" });
  if (confirm === true) answers.push({ kind: "confirm" });
  if (remove === true) answers.push({ kind: "remove" });
  if (accept) answers.push({ kind: "accept", checks: accept });
  if (typeof reject === "string") answers.push({ kind: "reject", reason: reject });
  if (typeof skip === "string") answers.push({ kind: "skip" });
  if (unskip === true) answers.push({ kind: "unskip" });
  if (typeof ask === "string") answers.push({ kind: "ask", question: ask });
  const [answer, other] = answers;
  if (answer === undefined)
    return "must have an answer: forms, approve, confirm, remove, accept, reject, skip, unskip or ask";
  return other === undefined ? answer : "must have one answer only; approve may be beside forms";
}

const answeredItems = listOf(answeredItem, { message: "must be a list of items", max: maxAnsweredItems })
  .refine((items) => items.length > 0, "must not be empty")
  .transform((items, context): AnsweredItem[] => {
    const known = new Set<string>();
    const answered: AnsweredItem[] = [];
    for (const [i, each] of items.entries()) {
      const answer = toAnswer(each);
      const name = JSON.stringify([each.file, each.key]);
      if (known.has(name))
        context.addIssue({ code: "custom", path: [i, "key"], message: "is answered twice" });
      else if (typeof answer === "string") context.addIssue({ code: "custom", path: [i], message: answer });
      else
        answered.push({
          file: each.file,
          key: each.key,
          answer,
          expected: each.expected && seenAs(each.expected),
        });
      known.add(name);
    }
    return answered;
  })
  .meta({ ...z.toJSONSchema(z.array(answeredItem).min(1).max(maxAnsweredItems), { io: "input" }) });

const originText = text
  .transform((given) => given.trim())
  .transform((given, context) => {
    const problem = originProblem(given);
    if (problem !== undefined) context.addIssue(problem);
    return given === "" ? undefined : given;
  })
  .optional();

const origin = z
  .object(
    {
      kind: z.enum(originKinds, `must be one of ${originKinds.join(", ")}`),
      name: originText.meta({ type: "string", description: "The model's name." }),
      prompt: originText.meta({ type: "string", description: "The name or a hash of the model's prompt." }),
    },
    "must be an object",
  )
  .optional()
  .meta({
    description:
      "Who or what made the texts, as the headers `X-Commit-Origin`, `X-Commit-Model` and `X-Commit-Prompt` say it; this counts before them.",
  });

export const doneBody = jsonObject({
  locale,
  claim: text
    .optional()
    .meta({ description: "The claim that the items are from. One that has ended is ignored." }),
  origin,
  message: text
    .max(1000, "must be at most 1000 characters")
    .optional()
    .meta({ description: "The message of the commit; the reasons of rejections take its place." }),
  items: answeredItems,
}).meta({ required: ["locale", "items"] });

const result = named("WorkResult", {
  file: z.string(),
  key: z.string(),
  status: z.enum(workStatuses).meta({
    description:
      "`saved`: the texts are stored. `approved`, `rejected`, `confirmed`, `removed`, `accepted`, `skipped`, `unskipped`, `asked`: as the answer says. `refused`: not stored, see `code` and `findings`; the item stays claimed. `source_changed`: not stored, the source text is another one than was seen. `conflict`: not stored, the translation is another one than was seen. `unknown`: there is no such string, no text or finding that the answer could be about, or for `unskip`, it was not skipped.",
  }),
  code: z.enum(refusals).optional().meta({ description: "Of `refused`: why." }),
  message: z.string().optional().meta({ description: "Of `refused`: why, for people." }),
  findings: z.array(finding).optional().meta({ description: "What checks find in the texts of the answer." }),
  yours: byForm(nullableText, "Of `conflict`: the texts of the answer.").optional(),
  stored: byForm(nullableText, "Of `conflict`: the texts that are stored.").optional(),
  source: byForm(z.string(), "Of `source_changed`: the present source texts.").optional(),
});

export const doneResponse = named("WorkResults", {
  items: z.array(result).meta({ description: "In the order of the request." }),
});

/** Who works on what, in an answer. */
export const workClaim = named("WorkClaim", {
  claim: z.string(),
  by: z.string().meta({ description: "The name or the id of the token that has claimed the items." }),
  locale: z.string(),
  expires_at: z.iso.datetime(),
  items: z.array(named("ClaimedString", { file: z.string(), key: z.string() })),
});

export const releasedResponse = named("ReleasedClaim", {
  released: count.meta({ description: "How many items others can get now." }),
});
