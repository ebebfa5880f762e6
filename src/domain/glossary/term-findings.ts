/** Finds terms that a translation lacks, and spellings that the glossary forbids. Both are warnings: words are inflected. */
import type { CheckFinding, TextRange } from "../checks/message.ts";
import type { SyntaxName } from "../checks/syntax-names.ts";
import { hiddenParts } from "./hidden-parts.ts";
import { fold, SearchedText } from "./searched-text.ts";
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

/**
 * Checks a translation for the terms of its source text. A spelling that is right for one meaning of a term is right; where
 * one meaning has no translation, nothing is known to be missing.
 * @param found the terms of the source text.
 */
export function checkTerms(
  found: readonly FoundTerm[],
  syntax: SyntaxName,
  translation: string,
  locale: string,
): readonly CheckFinding[] {
  if (found.length === 0 || translation === "" || translation.length > maxSearched) return [];
  const bySpelling = new Map<string, readonly Term[]>();
  for (const { terms } of found.slice(0, maxFound))
    bySpelling.set(terms.map(({ id }) => id).join(" "), terms);
  const relevant = [...bySpelling.values()].filter((terms) => terms.some((term) => isKnown(term, locale)));
  if (relevant.length === 0) return [];
  const text = translation.normalize("NFC");
  const search = { in: new SearchedText(text, locale, hiddenParts(syntax, text)), locale };
  const right = relevant.map((terms) =>
    terms.flatMap((term) => placesOf(search, term, spellingsOf(term, locale))),
  );
  const allRight = right.flat();
  const findings: CheckFinding[] = [];
  for (const [i, terms] of relevant.entries()) {
    const expected = [...new Set(terms.flatMap((term) => spellingsOf(term, locale)))].join(", ");
    const wrong = terms
      .flatMap((term) => placesOf(search, term, term.translations.get(locale)?.forbidden ?? []))
      .find((range) => !allRight.some((other) => other[0] <= range[0] && range[1] <= other[1]));
    if (wrong !== undefined)
      findings.push(forbiddenFinding(terms, text.slice(...wrong), expected, wrong, text === translation));
    else if (right[i]?.length === 0 && terms.every((term) => spellingsOf(term, locale).length > 0))
      findings.push(
        missingTermFinding(
          terms,
          expected,
          terms.every((term) => isKept(term, locale)),
        ),
      );
  }
  return findings;
}

/** Whether the glossary says anything about a term in a locale. */
function isKnown(term: Term, locale: string): boolean {
  return spellingsOf(term, locale).length > 0 || (term.translations.get(locale)?.forbidden.length ?? 0) > 0;
}

function placesOf(
  search: { readonly in: SearchedText; readonly locale: string },
  rule: Term,
  spellings: readonly string[],
): readonly TextRange[] {
  return spellings.flatMap((spelling) => search.in.placesOf(spelling, fold(spelling, search.locale), rule));
}

function forbiddenFinding(
  [term]: readonly Term[],
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

function missingTermFinding([term]: readonly Term[], expected: string, isToKeep: boolean): CheckFinding {
  const source = term?.source ?? "";
  const message = isToKeep
    ? `"${source}" is missing, which stays as it is`
    : `the term "${source}" is missing as the glossary has it: ${expected}`;
  return { check: "term-missing", severity: "warning", message, expected };
}
