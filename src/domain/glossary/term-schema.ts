/** A term as zod schemas: one of the stored file, from which those of requests and responses derive. */
import { z } from "zod";
import { recordSchema } from "../record-schema.ts";
import { answerMembers, givenMembers } from "../schema-forms.ts";
import { unprintable } from "../text.ts";
import { matchKinds } from "./searched-text.ts";

/** How long the members of a term may be, in units of UTF-16. */
export const maxSpelling = 200;
export const maxSpellings = 20;
const maxMeaning = 1_000;
const maxPartOfSpeech = 50;
const maxTermId = 40;

/** Why a text can be no member of a term; undefined when it can. */
function spellingProblem(text: string): string | undefined {
  if (text.trim() === "") return "must not be empty";
  if (!text.isWellFormed()) return "must not contain a lone surrogate (half of a UTF-16 pair)";
  if (text.search(unprintable) !== -1) return "must not contain control or format characters";
  return undefined;
}

/** A spelling as it is stored: without outer blanks, in NFC. */
function toSpelling(text: string): string {
  return text.trim().normalize("NFC");
}

/** A text of one line. */
function line(max: number) {
  return z
    .string("must be text")
    .refine((text) => text.length <= max, `must be at most ${max} characters`)
    .superRefine((text, context) => {
      const problem = spellingProblem(text);
      if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
    })
    .meta({ minLength: 1, maxLength: max });
}

const spelling = line(maxSpelling);
const spellings = z
  .array(spelling, "must be a list")
  .max(maxSpellings, `must have at most ${maxSpellings} elements`);
const flag = z.boolean("must be true or false");

const translation = {
  text: spelling.optional().meta({ description: "The spelling to use; `null` for none." }),
  accepted: spellings.default([]).meta({ description: "Other spellings that are right." }),
  forbidden: spellings.default([]).meta({
    description: "Spellings that are wrong where the source text has the term.",
  }),
  keep: flag.default(false).meta({ description: "Whether the term stays as it is in this locale." }),
};
/** The translation of a term in `glossary.json`. */
export const translationSchema = z.strictObject(translation);

const match = z.enum(matchKinds, `must be one of ${matchKinds.join(", ")}`).meta({
  description:
    "In the source text and in translations: `word` finds whole words, `prefix` words that begin with the spelling, `exact` whole words in upper and lower case as written.",
});

const term = {
  id: z
    .string("must be text")
    .max(maxTermId)
    .regex(/^[a-z0-9]+$/, "is not the id of a term"),
  source: spelling,
  part_of_speech: line(maxPartOfSpeech).optional(),
  meaning: line(maxMeaning).optional().meta({
    description: "What the term stands for; two terms may have one spelling and two meanings.",
  }),
  case: flag.default(false).meta({ description: "Whether upper and lower case make a difference." }),
  match: match.default("word"),
  keep: flag.default(false).meta({ description: "Whether the term stays as it is in every locale." }),
};

/** A term in `glossary.json`. */
export const termSchema = z.strictObject({
  ...term,
  translations: recordSchema(z.string(), translationSchema).default({}),
});

const givenTranslation = z
  .strictObject(
    givenMembers(translation, toSpelling),
    "must be an object of text, accepted, forbidden and keep",
  )
  .meta({ id: "NewTermTranslation" });

/** A term in a request. Blanks around a text do not count. */
export const givenTermSchema = z
  .strictObject(
    {
      ...givenMembers(term, toSpelling),
      id: term.id.optional().meta({
        description:
          "Of the term to change. Without it, that is the one with the same source, and the same meaning and part of speech where these are given.",
      }),
      translations: recordSchema(
        z.string(),
        givenTranslation.nullable(),
        "must be an object of translations by locale",
      )
        .optional()
        .meta({ description: "By the code of the locale; `null` removes one." }),
    },
    "must be an object with a source",
  )
  .meta({ id: "NewTerm" });

/** A term in the JSON of a request. */
export type TermInput = z.input<typeof givenTermSchema>;

/** The translation of a term in a response. */
export const translationAnswer = z.object(answerMembers(translation)).meta({ id: "TermTranslation" });

/** A term in a response. */
export const termAnswer = z
  .object({ ...answerMembers(term), translations: z.record(z.string(), translationAnswer) })
  .meta({ id: "Term" });
