/** Checks one text: a finding is a pure function of the source text, the translation, its form, its locale and syntax. */
import { hintsFor } from "./hints.ts";
import { markupComparison } from "./markup.ts";
import {
  faultFinding,
  isFault,
  nothing,
  type CheckFinding,
  type Comparison,
  type TextContext,
} from "./message.ts";
import type { SyntaxName } from "./syntax-names.ts";
import { syntaxes } from "./syntaxes.ts";

/** Longer texts, in units of UTF-16, are not parsed: nobody writes arguments into a book. */
export const maxCheckedLength = 100_000;
/** The most findings of one text. */
const maxFindings = 20;

/**
 * Parses a source text once for all its translations.
 * @param source the source text, of the same plural form where it has it, else of `other`.
 * @returns finds errors and warnings in a translation, none where either text is empty.
 */
export function checkAgainst(syntax: SyntaxName, source: string): Comparison {
  if (syntax === "none" || source === "" || !isChecked(source)) return () => nothing;
  if (!isPlain(syntax, source)) return comparisonOf(syntax, source);
  // Most texts are plain, and so are their translations.
  return (translation, context) =>
    isPlain(syntax, translation) ? nothing : comparisonOf(syntax, source)(translation, context);
}

/** Whether a text has neither arguments nor tags, so that nothing is found in it unless its counterpart has some. */
export function isPlain(syntax: SyntaxName, text: string): boolean {
  return !syntaxes[syntax].special.test(text) && !text.includes("<");
}

function comparisonOf(syntax: SyntaxName, source: string): Comparison {
  const compare = syntaxes[syntax].compareWith(source);
  const compareMarkup = markupComparison(source);
  return (translation, context) => {
    if (source === translation || translation === "" || !isChecked(translation)) return nothing;
    const findings = compare(translation, context);
    const inMarkup = compareMarkup(translation, context);
    if (findings.length + inMarkup.length === 0) return nothing;
    return [...findings, ...inMarkup].slice(0, maxFindings);
  };
}

/** Checks one translation against its source text, as {@link checkAgainst} does. */
export function checkTranslation(
  syntax: SyntaxName,
  source: string,
  translation: string,
  context: TextContext,
): readonly CheckFinding[] {
  return checkAgainst(syntax, source)(translation, context);
}

/** Finds what is wrong with a source text by itself: that a program cannot read it. */
export function checkSource(syntax: SyntaxName, source: string): readonly CheckFinding[] {
  const { special, isStrict, parse } = syntaxes[syntax];
  if (!isStrict || !special.test(source) || !isChecked(source)) return [];
  const parsed = parse(source);
  return isFault(parsed) ? [faultFinding(source, parsed)] : [];
}

/** Hints about a translation, for people alone. */
export function checkStyle(
  source: string,
  translation: string,
  context: TextContext,
): readonly CheckFinding[] {
  return source === "" || translation === "" || !isChecked(source, translation)
    ? []
    : hintsFor(source, translation, context);
}

function isChecked(...texts: readonly string[]): boolean {
  return texts.every((text) => text.length <= maxCheckedLength);
}
