/** `glossary.json`, the file of a Hive's terms in its repository. */
import { z } from "zod";
import { isStoredLocaleCode, type LocaleCode } from "../../domain/hives/locale.ts";
import type { Steps } from "../../domain/steps.ts";
import { parseStoredJson } from "../../domain/json.ts";
import {
  matchKinds,
  maxGlossaryBytes,
  maxMeaning,
  maxPartOfSpeech,
  maxSpelling,
  maxSpellings,
  maxTermId,
  maxTerms,
  spellingProblem,
  termIdPattern,
  type Glossary,
  type Term,
  type TermTranslation,
} from "../../domain/glossary/term.ts";

/** The path of the terms in the repository. */
export const glossaryPath = "glossary.json";

const termsPerStep = 500;

const line = (max: number) =>
  z
    .string()
    .max(max)
    .refine((text) => spellingProblem(text) === undefined);
const spelling = line(maxSpelling);
const spellings = z.array(spelling).max(maxSpellings).default([]);

const storedTranslation = z.strictObject({
  text: spelling.optional(),
  accepted: spellings,
  forbidden: spellings,
  keep: z.boolean().default(false),
});

const storedTerm = z
  .strictObject({
    id: z.string().max(maxTermId).regex(termIdPattern),
    source: spelling,
    part_of_speech: line(maxPartOfSpeech).optional(),
    meaning: line(maxMeaning).optional(),
    case: z.boolean().default(false),
    match: z.enum(matchKinds).default("word"),
    keep: z.boolean().default(false),
    translations: z.record(z.string(), storedTranslation).default({}),
  })
  .transform(({ part_of_speech: partOfSpeech, translations, ...term }): Term => {
    const all = Object.entries(translations).map(([code, translation]): [LocaleCode, TermTranslation] => {
      if (!isStoredLocaleCode(code)) throw new TypeError(`${code} is no locale`);
      return [code, translation];
    });
    return { ...term, partOfSpeech, translations: new Map(all) };
  });

const storedGlossary = z.strictObject({ terms: z.array(z.unknown()).max(maxTerms) });

/**
 * Reads `glossary.json`.
 * @throws Error when it is not a glossary.
 */
export function* parseGlossary(bytes: Uint8Array): Steps<Glossary> {
  if (bytes.byteLength > maxGlossaryBytes) throw new Error(`${glossaryPath} is too large`);
  const { terms } = storedGlossary.parse(parseStoredJson(bytes));
  const all: Term[] = [];
  for (const [i, term] of terms.entries()) {
    if (i % termsPerStep === 0) yield;
    all.push(storedTerm.parse(term));
  }
  return all;
}

/** The same terms make the same bytes: members that are as if they were not given are left out. */
export function formatGlossary(terms: Glossary): string {
  const members = terms.map(({ partOfSpeech, translations, ...term }) => ({
    id: term.id,
    source: term.source,
    part_of_speech: partOfSpeech,
    meaning: term.meaning,
    case: term.case || undefined,
    match: term.match === "word" ? undefined : term.match,
    keep: term.keep || undefined,
    translations:
      translations.size === 0
        ? undefined
        : Object.fromEntries(Array.from(translations, ([code, each]) => [code, toMembers(each)])),
  }));
  return `${JSON.stringify({ terms: members }, null, 2)}\n`;
}

function toMembers({ text, accepted, forbidden, keep }: TermTranslation): object {
  return {
    text,
    accepted: accepted.length === 0 ? undefined : accepted,
    forbidden: forbidden.length === 0 ? undefined : forbidden,
    keep: keep || undefined,
  };
}
