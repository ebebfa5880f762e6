/** Checks one translation for everything that is known of its string. The server and the pages of the console do it by this. */
import { checkStyle, checkTranslation } from "../checks/check-text.ts";
import { checkLength, lengthOf, type LengthLimit } from "../checks/length.ts";
import type { CheckFinding, TextContext } from "../checks/message.ts";
import type { SyntaxName } from "../checks/syntax-names.ts";
import { checkTerms, type ExpectedMeanings } from "./term-findings.ts";

/** How the translations of one text into one locale are checked. Plain data, which a page gives to its script. */
export interface TextChecks {
  readonly syntax: SyntaxName;
  readonly source: string;
  readonly context: TextContext;
  readonly terms: readonly ExpectedMeanings[];
  readonly limit?: LengthLimit;
}

export interface CheckedText {
  readonly checks: TextChecks;
  readonly findings: readonly CheckFinding[];
}

/** Finds errors and warnings in a translation. */
export function findingsIn(
  { syntax, source, context, terms, limit }: TextChecks,
  text: string,
): readonly CheckFinding[] {
  return [
    ...checkTranslation(syntax, source, text, context),
    ...checkTerms(terms, syntax, text, context.locale),
    ...(limit === undefined ? [] : checkLength(limit, text)),
  ];
}

/** Finds what is to be said while somebody writes: hints, too. */
export function findingsWithHints(checks: TextChecks, text: string): readonly CheckFinding[] {
  return [...findingsIn(checks, text), ...checkStyle(checks.source, text, checks.context, checks.syntax)];
}

/** The length of a text as a limit counts it. */
export function lengthIn({ unit }: Pick<LengthLimit, "unit">, text: string): number {
  return lengthOf(text, unit, 0);
}
