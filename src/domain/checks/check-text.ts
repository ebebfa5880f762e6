/** Checks one text: a finding is a pure function of the source text, the translation, its form, its locale and syntax. */
import { hintsFor } from "./hints.ts";
import { compareMarkup } from "./markup.ts";
import { faultFinding, isFault, type CheckFinding, type TextContext } from "./message.ts";
import type { SyntaxName } from "./syntax-names.ts";
import { syntaxes } from "./syntaxes.ts";

/** How a translation is checked, and what was found in it. */
export interface CheckedText {
  readonly syntax: SyntaxName;
  readonly context: TextContext;
  readonly findings: readonly CheckFinding[];
}

/** Longer texts, in units of UTF-16, are not parsed: nobody writes arguments into a book. */
export const maxCheckedLength = 100_000;
/** The most findings of one text. */
const maxFindings = 20;

/**
 * Checks a translation against its source text.
 * @param source the source text, of the same plural form where it has it, else of `other`.
 * @returns errors and warnings, none where either text is empty.
 */
export function checkTranslation(
  syntax: SyntaxName,
  source: string,
  translation: string,
  context: TextContext,
): readonly CheckFinding[] {
  if (source === translation || source === "" || translation === "" || !isChecked(source, translation))
    return [];
  if (syntax === "none") return [];
  const { special, compare } = syntaxes[syntax];
  const hasArguments = special.test(source) || special.test(translation);
  const findings = [
    ...(hasArguments ? compare(source, translation, context) : []),
    ...compareMarkup(source, translation),
  ];
  return findings.length > maxFindings ? findings.slice(0, maxFindings) : findings;
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
