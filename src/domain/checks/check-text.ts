/** Checks one text: a finding is a pure function of the source text, the translation, its form, its locale and syntax. */
import { maxArguments } from "./arguments.ts";
import { compareEntities, markupComparison, otherNamed } from "./markup.ts";
import {
  faultFinding,
  isFault,
  maxFindings,
  nothing,
  type CheckFinding,
  type Comparison,
  type TextContext,
  type CheckName,
  type Severity,
  type TextRange,
} from "./message.ts";
import type { SyntaxName } from "./syntax-names.ts";
import { syntaxes } from "./syntaxes.ts";

/**
 * Longer texts, in units of UTF-16, are not parsed: nobody writes arguments into a book. Nothing is compared with a source text
 * that is longer; a translation that is longer than its source text may be is wrong, as anything could stand in it.
 */
export const maxCheckedLength = 100_000;

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
    context.isGettext !== true && isPlain(syntax, translation) && isPlain(syntax, context.sourceOther ?? "")
      ? nothing
      : comparisonOf(syntax, source)(translation, context);
}

/** Whether a text has neither arguments nor tags, so that nothing is found in it unless its counterpart has some. */
export function isPlain(syntax: SyntaxName, text: string): boolean {
  return syntax === "none" || (!syntaxes[syntax].special.test(text) && !/[<&]/.test(text));
}

function comparisonOf(syntax: SyntaxName, source: string): Comparison {
  const compare = syntaxes[syntax].compareWith(source);
  const compareMarkup = markupComparison(source, syntaxes[syntax].hasNamedTags);
  return (translation, context) => {
    if (source === translation || translation === "") return nothing;
    if (!isChecked(translation))
      return [uncheckedFinding("error", "so that its arguments and tags are not checked")];
    const findings = compare(translation, context);
    const inMarkup = [
      ...compareMarkup(translation, context),
      ...(context.isGettext === true ? compareLineEnds(source, translation) : nothing),
      ...(isHtml(syntax, context) ? nothing : compareEntities(source, translation)),
    ];
    const count = findings.length + inMarkup.length;
    if (count === 0) return nothing;
    const all = [...findings, ...inMarkup];
    if (count <= maxFindings) return all;
    // Of too many, none that refuses a write is left out for one that does not.
    return all.toSorted((a, b) => rankOf(a) - rankOf(b)).slice(0, maxFindings);
  };
}

/** Finds line breaks at the ends that one of two texts alone has. */
function compareLineEnds(source: string, translation: string): readonly CheckFinding[] {
  const [atStart, atEnd] = [
    source.startsWith("\n") !== translation.startsWith("\n"),
    source.endsWith("\n") !== translation.endsWith("\n"),
  ];
  if (!atStart && !atEnd) return nothing;
  const message = `must ${atStart ? "begin" : "end"} with a line break where the source text does, and only there`;
  return [{ check: "ends", severity: "error", message, expected: "\n" }];
}

/** Whether the app is known to show a text as HTML, whatever its source text has. */
function isHtml(syntax: SyntaxName, { isEscaped = false }: TextContext): boolean {
  return syntaxes[syntax].isEscaped !== undefined && !isEscaped;
}

function rankOf({ severity }: CheckFinding): number {
  return severity === "error" ? 0 : 1;
}

/** @param what follows from it, as the message ends. */
function uncheckedFinding(severity: Severity, what: string): CheckFinding {
  const most = `${maxCheckedLength.toLocaleString("en")} characters`;
  return {
    check: "unchecked",
    severity,
    message: `is longer than ${most}, ${what}`,
    expected: `at most ${most}`,
  };
}

/** Compares a translation with its source text. Use {@link checkAgainst} for several translations of one text. */
export function checkTranslation(
  syntax: SyntaxName,
  source: string,
  translation: string,
  context: TextContext,
): readonly CheckFinding[] {
  return checkAgainst(syntax, source)(translation, context);
}

/** Finds what is wrong with a source text by itself: that a program cannot read it, or its translations cannot be checked. */
export function checkSource(syntax: SyntaxName, source: string): readonly CheckFinding[] {
  const { special, isStrict, parse } = syntaxes[syntax];
  if (!isChecked(source))
    return isPlain(syntax, source)
      ? []
      : [uncheckedFinding("warning", "so that its translations are not compared with it")];
  if (!(isStrict || source.length > maxArguments) || !special.test(source)) return [];
  const parsed = parse(source);
  if (!isFault(parsed)) return [];
  if (isStrict) return [faultFinding(source, parsed)];
  return parsed.isLimit === true
    ? [{ ...faultFinding(source, parsed), check: "unchecked", severity: "warning" }]
    : [];
}

/** The hints about a translation: blanks, final marks, the same text. Long and empty texts have none. */
export function checkStyle(
  source: string,
  translation: string,
  context: TextContext,
  syntax: SyntaxName = "none",
): readonly CheckFinding[] {
  if (source === "" || translation === "" || !isChecked(source, translation)) return [];
  const findings = hintsFor(source, translation, context);
  const tag = syntaxes[syntax].hasNamedTags === true ? undefined : otherNamed(source, translation);
  if (tag === undefined) return findings;
  const message = `${tag.found} is ${tag.expected} in the source text`;
  return [...findings, { check: "tag-extra", severity: "hint", message, ...tag }];
}

function isChecked(...texts: readonly string[]): boolean {
  return texts.every((text) => text.length <= maxCheckedLength);
}

/**
 * What cannot be compared by its characters: arguments, tags, addresses, CDATA. Of nested braces it finds the innermost, as
 * each match must begin at a brace that has no other behind it for the time to be linear.
 */
const opaque = /<!\[CDATA\[|\]\]>|<[^<>]*>|\{[^{}]*\}|%[-+#0-9.$]*[a-zA-Z@]|\b[a-z]+:\/\/\S+/g;
const marks: Readonly<Record<string, string>> = {
  "。": ".",
  "।": ".",
  "۔": ".",
  "։": ".",
  "።": ".",
  "．": ".",
  "？": "?",
  "؟": "?",
  "！": "!",
  "：": ":",
  "…": "...",
};
/** Languages that end sentences without a mark. */
const unmarked: ReadonlySet<string> = new Set(["th", "lo", "km", "my", "bo", "dz"]);

/** Finds blanks at the ends, doubled blanks, a text that is its source text, and another mark at the end. */
function hintsFor(
  source: string,
  translation: string,
  { locale, sourceLocale = "en", isGettext = false }: TextContext,
): readonly CheckFinding[] {
  const findings: CheckFinding[] = [];
  const isFound = isGettext && compareLineEnds(source, translation).length > 0;
  const add = (check: CheckName, message: string, expected: string, range?: TextRange): void => {
    const found = range && { found: translation.slice(...range), range };
    findings.push({ check, severity: "hint", message, expected, ...found });
  };
  const [sourceStart, sourceEnd] = blanksAround(source);
  const [start, end] = blanksAround(translation);
  if (start !== sourceStart && !isFound)
    add("ends", "begins with other blanks than the source text", sourceStart, [0, start.length]);
  if (end !== sourceEnd && !isFound) {
    const range = [translation.length - end.length, translation.length] as const;
    add("ends", "ends with other blanks than the source text", sourceEnd, range);
  }
  const doubled = /\S( {2,})\S/.exec(translation);
  if (doubled?.[1] !== undefined && !/\S {2,}\S/.test(source)) {
    add("blanks", "has several blanks in a row", " ", [
      doubled.index + 1,
      doubled.index + 1 + doubled[1].length,
    ]);
  }
  if (translation === source) {
    const isOther = languageOf(locale) !== languageOf(sourceLocale);
    const words = source.replaceAll(opaque, " ").match(/\p{L}{2,}/gu) ?? [];
    if (isOther && words.length > 1) add("same-as-source", "is the same as the source text", "");
    return findings;
  }
  const expected = endMark(source, sourceLocale);
  if (!unmarked.has(languageOf(locale)) && endMark(translation, locale) !== expected) {
    const at = translation.trimEnd().length;
    const message =
      expected === "" ? "ends with a mark that the source text has not" : `does not end with ${expected}`;
    add("punctuation", message, expected, [Math.max(0, at - 1), at]);
  }
  return findings;
}

function blanksAround(text: string): readonly [start: string, end: string] {
  const start = text.length - text.trimStart().length;
  return [text.slice(0, start), text.slice(Math.max(start, text.trimEnd().length))];
}

function languageOf(locale: string): string {
  return locale.split("-", 1)[0] ?? locale;
}

/** The mark that ends a text, as English writes it; nothing where the text ends with an argument or a tag. */
function endMark(text: string, locale: string): string {
  const trimmed = text.trimEnd();
  const end = trimmed.slice(-3);
  if (end === "...") return "...";
  const last = trimmed.slice(-1);
  // Greek ends questions with a semicolon.
  if (languageOf(locale) === "el" && (last === ";" || last === "\u037E")) return "?";
  const mark = marks[last] ?? last;
  return [".", "?", "!", ":", "..."].includes(mark) ? mark : "";
}
