/** The requests and responses about terms and styles. */
import { z } from "zod";
import {
  matchKinds,
  maxMeaning,
  maxPartOfSpeech,
  maxSpelling,
  maxSpellings,
  maxTermId,
  maxTerms,
  spellingProblem,
  termIdPattern,
  toSpelling,
  type Term,
} from "../../domain/glossary/term.ts";
import { maxStyle } from "../../domain/glossary/style.ts";
import { shownCodes, type HiveSettings } from "../../domain/hives/hive-settings.ts";
import { Issues } from "../../domain/errors.ts";
import type { Steps } from "../../domain/steps.ts";
import { inSlices } from "../../slices.ts";
import type { SentTerm } from "../../service/context/glossary.ts";
import { count, jsonObject, named, nullableText, pageOf, text } from "./objects.ts";
import { once, pageQuery } from "./schemas.ts";
import { dryRunQuery } from "./write-preconditions.ts";

/** A text of one line; blanks around it do not count. */
function line(max: number) {
  return text
    .max(max, `must be at most ${max} characters`)
    .superRefine((given, context) => {
      const problem = spellingProblem(given);
      if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
    })
    .transform(toSpelling)
    .meta({ type: "string", minLength: 1, maxLength: max });
}

const spelling = line(maxSpelling);
const spellings = z
  .array(spelling, "must be a list")
  .max(maxSpellings, `must have at most ${maxSpellings} elements`);
const flag = z.boolean("must be true or false");

const givenTranslation = z
  .strictObject(
    {
      text: spelling.nullish().meta({ description: "The spelling to use; `null` for none." }),
      accepted: spellings.optional().meta({ description: "Other spellings that are right." }),
      forbidden: spellings.optional().meta({
        description: "Spellings that are wrong where the source text has the term.",
      }),
      keep: flag.optional().meta({ description: "Whether the term stays as it is in this locale." }),
    },
    "must be an object of text, accepted, forbidden and keep",
  )
  .meta({ id: "NewTermTranslation" });

const match = z.enum(matchKinds, `must be one of ${matchKinds.join(", ")}`).meta({
  description:
    "In the source text and in translations: `word` finds whole words, `prefix` words that begin with the spelling, `exact` whole words in upper and lower case as written.",
});

const givenTerm = z
  .strictObject(
    {
      id: text.max(maxTermId).regex(termIdPattern, "is not the id of a term").optional().meta({
        description:
          "Of the term to change. Without it, that is the one with the same source, and the same meaning and part of speech where these are given.",
      }),
      source: spelling,
      part_of_speech: line(maxPartOfSpeech).nullish(),
      meaning: line(maxMeaning).nullish().meta({
        description: "What the term stands for; two terms may have one spelling and two meanings.",
      }),
      case: flag.optional().meta({ description: "Whether upper and lower case make a difference." }),
      match: match.optional(),
      keep: flag.optional().meta({ description: "Whether the term stays as it is in every locale." }),
      translations: z
        .record(z.string(), givenTranslation.nullable(), "must be an object of translations by locale")
        .optional()
        .meta({ description: "By the code of the locale; `null` removes one." }),
    },
    "must be an object with a source",
  )
  .transform(({ part_of_speech: partOfSpeech, ...term }): SentTerm => ({ ...term, partOfSpeech }))
  .meta({ id: "NewTerm" });

const limited = <Element extends z.ZodType>(element: Element) =>
  z.array(element, "must be a list of terms").max(maxTerms, `must have at most ${maxTerms} elements`);

/** The terms of a request, which {@link toTerms} checks: all at once they would hold up other requests. */
export const termsBody = named("TermList", {
  terms: limited(z.unknown()).meta({ ...z.toJSONSchema(limited(givenTerm), { io: "input" }) }),
});

/** How many faulty terms are reported; the others are not checked. */
const maxFaulty = 20;
const termsPerStep = 256;

/** Checks the terms of a request. @throws SkepError `invalid` on the member of a term. */
export function toTerms(given: readonly unknown[]): Promise<readonly SentTerm[]> {
  function* checked(): Steps<readonly SentTerm[]> {
    const issues = new Issues();
    const terms: SentTerm[] = [];
    let faulty = 0;
    for (const [i, value] of given.entries()) {
      if (i % termsPerStep === 0) yield;
      const { data, error } = givenTerm.safeParse(value);
      if (data !== undefined) terms.push(data);
      for (const { path, message } of error?.issues ?? [])
        issues.add(["terms", i, ...path].join("."), message);
      if (error !== undefined && ++faulty === maxFaulty) break;
    }
    issues.throwIfAny();
    return terms;
  }
  return inSlices(checked());
}

export const glossaryQuery = pageQuery.extend({
  search: once.meta({
    description:
      "Only terms of which the source, the meaning or a translation contains this text, whatever its case.",
    examples: ["file"],
  }),
});

/** Terms are no texts of the Hive, which checks could refuse. */
export const glossaryWriteQuery = dryRunQuery.pick({ dry_run: true });

const term = named("Term", {
  id: z.string(),
  source: z.string(),
  part_of_speech: nullableText,
  meaning: nullableText,
  case: z.boolean(),
  match,
  keep: z.boolean(),
  translations: z.record(
    z.string(),
    named("TermTranslation", {
      text: nullableText,
      accepted: z.array(z.string()),
      forbidden: z.array(z.string()),
      keep: z.boolean(),
    }),
  ),
});
export type TermResponse = z.infer<typeof term>;

export const glossaryResponse = pageOf("TermPage", term);

export const termsMergedResponse = jsonObject({ created: count, updated: count, unchanged: count });

export const termsSyncedResponse = termsMergedResponse.extend({ deleted: count });

export const termDeletedResponse = jsonObject({ deleted: count });

const styleText = text.meta({
  maxLength: maxStyle,
  description: "How to address the reader, the tone, the punctuation; empty where nothing is said.",
});

export const styleBody = named("StyleUpdate", { text: styleText });

export const styleResponse = named("Style", { locale: z.string(), text: styleText });

/** A term as responses have it. */
export function toTermResponse(
  { partOfSpeech, meaning, translations, ...members }: Term,
  settings: HiveSettings,
): TermResponse {
  const shown = shownCodes(settings);
  const byCode: TermResponse["translations"] = {};
  for (const [code, { text: own, accepted, forbidden, keep }] of translations) {
    byCode[shown(code)] = { text: own ?? null, accepted: [...accepted], forbidden: [...forbidden], keep };
  }
  const { id, source, match: kind, keep } = members;
  return {
    id,
    source,
    part_of_speech: partOfSpeech ?? null,
    meaning: meaning ?? null,
    case: members.case,
    match: kind,
    keep,
    translations: byCode,
  };
}
