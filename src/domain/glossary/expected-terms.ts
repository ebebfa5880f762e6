/** The terms of a source text, and what the glossary says of them in a locale. */
import type { SyntaxName } from "../checks/syntax-names.ts";
import { isKept, spellingsOf, type Term } from "./term.ts";
import { maxSearched, type ExpectedMeanings, type ExpectedTerm, hiddenParts } from "./term-findings.ts";
import type { FoundTerm, TermIndex } from "./term-index.ts";

/** The most terms of one text that are looked for in its translation. */
const maxFound = 50;

/** The terms in a source text, outside of its arguments and markup; none for one that is too long to be searched. */
export function termsIn(index: TermIndex, syntax: SyntaxName, source: string): readonly FoundTerm[] {
  if (source.length > maxSearched) return [];
  const text = source.normalize("NFC");
  return index.find(text, hiddenParts(syntax, text));
}

/**
 * The same with terms that stand there in another form, such as "files" for "file": what translators are shown. Checks go by
 * {@link termsIn}, since nobody has said how other forms are translated.
 */
export function shownTermsIn(index: TermIndex, syntax: SyntaxName, source: string): readonly FoundTerm[] {
  if (source.length > maxSearched) return [];
  const text = source.normalize("NFC");
  return index.findForms(text, hiddenParts(syntax, text));
}

/**
 * What the glossary says in a locale of the terms of a source text, each once, without those of which it says nothing.
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
