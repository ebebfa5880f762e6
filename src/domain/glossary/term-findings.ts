/** Finds terms that a translation lacks, and spellings that the glossary forbids. Both are warnings: words are inflected. */
import type { CheckFinding, TextRange } from "../checks/message.ts";
import type { SyntaxName } from "../checks/syntax-names.ts";
import { hiddenParts } from "./hidden-parts.ts";
import { fold, SearchedText, type MatchRule } from "./searched-text.ts";
import { isKept, spellingsOf, type Term } from "./term.ts";
import type { FoundTerm, TermIndex } from "./term-index.ts";

/** The longest text that is searched, in units of UTF-16. */
const maxSearched = 20_000;
/** The most terms of one text that are looked for in its translation. */
const maxFound = 50;

/** The terms of a text. */
export function termsIn(index: TermIndex, syntax: SyntaxName, source: string): readonly FoundTerm[] {
  if (source.length > maxSearched) return [];
  const text = source.normalize("NFC");
  return index.find(text, hiddenParts(syntax, text));
}

/** A term as it is to stand in the translations into one locale. */
export interface ExpectedTerm extends MatchRule {
  readonly source: string;
  /** All spellings that are right; none where the glossary does not say. */
  readonly spellings: readonly string[];
  readonly forbidden: readonly string[];
  /** Whether it stays as it is. */
  readonly keep: boolean;
}

/** The meanings of one spelling in the source text, each as a locale is to have it. */
export type ExpectedMeanings = readonly ExpectedTerm[];

/**
 * What the glossary says in a locale of the terms of a source text, each once, without those of which it says nothing.
 * @param found the terms of the source text.
 */
export function expectedTerms(found: readonly FoundTerm[], locale: string): readonly ExpectedMeanings[] {
  const bySpelling = new Map<string, readonly Term[]>();
  for (const { terms } of found.slice(0, maxFound))
    bySpelling.set(terms.map(({ id }) => id).join(" "), terms);
  return Array.from(bySpelling.values(), (terms) => terms.map((term) => expectedTerm(term, locale))).filter(
    (terms) => terms.some(({ spellings, forbidden }) => spellings.length + forbidden.length > 0),
  );
}

function expectedTerm(term: Term, locale: string): ExpectedTerm {
  const { source, match } = term;
  return {
    source,
    match,
    case: term.case,
    spellings: spellingsOf(term, locale),
    forbidden: term.translations.get(locale)?.forbidden ?? [],
    keep: isKept(term, locale),
  };
}

/**
 * Checks a translation for the terms of its source text. A spelling that is right for one meaning of a term is right; where
 * one meaning has no translation, nothing is known to be missing.
 * @param expected as {@link expectedTerms} gives them for the locale.
 */
export function checkTerms(
  expected: readonly ExpectedMeanings[],
  syntax: SyntaxName,
  translation: string,
  locale: string,
): readonly CheckFinding[] {
  if (expected.length === 0 || translation === "" || translation.length > maxSearched) return [];
  const text = translation.normalize("NFC");
  const search = { in: new SearchedText(text, locale, hiddenParts(syntax, text)), locale };
  const right = expected.map((terms) => terms.flatMap((term) => placesOf(search, term, term.spellings)));
  const allRight = right.flat();
  const findings: CheckFinding[] = [];
  for (const [i, terms] of expected.entries()) {
    const spellings = [...new Set(terms.flatMap((term) => term.spellings))].join(", ");
    const wrong = terms
      .flatMap((term) => placesOf(search, term, term.forbidden))
      .find((range) => !allRight.some((other) => other[0] <= range[0] && range[1] <= other[1]));
    if (wrong !== undefined)
      findings.push(forbiddenFinding(terms, text.slice(...wrong), spellings, wrong, text === translation));
    else if (right[i]?.length === 0 && terms.every((term) => term.spellings.length > 0))
      findings.push(missingTermFinding(terms, spellings));
  }
  return findings;
}

function placesOf(
  search: { readonly in: SearchedText; readonly locale: string },
  rule: MatchRule,
  spellings: readonly string[],
): readonly TextRange[] {
  return spellings.flatMap((spelling) => search.in.placesOf(spelling, fold(spelling, search.locale), rule));
}

function forbiddenFinding(
  [term]: ExpectedMeanings,
  found: string,
  expected: string,
  range: TextRange,
  hasRange: boolean,
): CheckFinding {
  const instead = expected === "" ? "" : `; the glossary has ${expected}`;
  const message = `"${found}" is not to be used for "${term?.source ?? ""}"${instead}`;
  return {
    check: "term-forbidden",
    severity: "warning",
    message,
    found,
    ...(expected === "" ? {} : { expected }),
    ...(hasRange ? { range } : {}),
  };
}

function missingTermFinding(terms: ExpectedMeanings, expected: string): CheckFinding {
  const source = terms[0]?.source ?? "";
  const message = terms.every(({ keep }) => keep)
    ? `"${source}" is missing, which stays as it is`
    : `the term "${source}" is missing as the glossary has it: ${expected}`;
  return { check: "term-missing", severity: "warning", message, expected };
}
