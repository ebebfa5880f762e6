/** Finds terms that a translation lacks, and spellings that the glossary forbids. Both are warnings: words are inflected. */
import { type CheckFinding, type TextRange, isFault } from "../checks/message.ts";
import type { SyntaxName } from "../checks/syntax-names.ts";
import { fold, SearchedText, type MatchRule } from "./searched-text.ts";
import { syntaxes } from "../checks/syntaxes.ts";

/** The longest text that is searched, in units of UTF-16. */
export const maxSearched = 20_000;
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

/** Whether there may be anything of {@link opaque}. */
const suspicious = /[<&@\]]|:\/\/|www\./i;
/** Tags, entities, CDATA, addresses of pages and of mail. Repetitions are bounded where they could begin at every place. */
const opaque =
  /<!\[CDATA\[|\]\]>|<\/?[a-z][^<>]*>|&#?\w+;|\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s<>"]+|\bwww\.[^\s<>"]+|[\w.+-]{1,64}@[\w-]+\.[\w.-]+/gi;
/** What stands for an argument in most syntaxes, where a text is no message of its own. */
const likelyArgument = /\{[^{}]*\}|%[-+#0-9.$]*[a-zA-Z@]/g;

/** The ranges of these parts, which may overlap. */
export function hiddenParts(syntax: SyntaxName, text: string): readonly TextRange[] {
  const hidden = suspicious.test(text) ? Array.from(text.matchAll(opaque), rangeOf) : [];
  if (syntax === "none" || !syntaxes[syntax].special.test(text)) return hidden;
  if (syntax === "icu") return [...hidden, ...icuSyntax(text)];
  const message = syntaxes[syntax].parse(text);
  const all = isFault(message)
    ? Array.from(text.matchAll(likelyArgument), rangeOf)
    : message.arguments.map(({ range }) => range);
  return [...hidden, ...all];
}

function rangeOf({ 0: found, index }: RegExpExecArray): TextRange {
  return [index, index + found.length];
}

/** In ICU messages, text and syntax alternate with the depth of braces: `{n, plural, one {text} other {text}}`. */
function* icuSyntax(text: string): Generator<TextRange> {
  let depth = 0;
  let start = 0;
  for (const { 0: brace, index } of text.matchAll(/[{}]/g)) {
    const isText = depth % 2 === 0;
    if (brace === "{") depth++;
    else if (depth > 0) depth--;
    if (isText) start = index;
    else yield [start, index + 1];
  }
  if (depth % 2 === 1) yield [start, text.length];
}
