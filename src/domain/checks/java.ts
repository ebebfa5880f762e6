/**
 * Java's MessageFormat: `{0}`, `{1,number,#.##}`, `{0,choice,0#none|1#one}`. What stands between apostrophes is text, and
 * two apostrophes are one.
 */
import { defineSyntax } from "./arguments.ts";
import type { Argument, Message, SyntaxFault, TextRange } from "./message.ts";

export const java = defineSyntax({
  special: /[{}]/,
  isStrict: true,
  rules: {
    missing: "warning",
    areCompatible: (...kinds) => kinds.every((kind) => plain.has(kind)),
    write: (name) => `{${name}}`,
    nearMiss: quotedArgument,
  },
  parse: parseJava,
});

/** Kinds that print a number or whatever they are given. */
const plain: ReadonlySet<string> = new Set(["any", "number", "choice"]);

/** A number, or a name as validators have it; perhaps a kind and its style. */
const inner = /^\s*([\w.$-]+)\s*(?:,\s*(\w+)\s*(?:,([^]*))?)?$/;

/** The pieces of a text: quotations, whose apostrophe may be left open at the end, braces, and anything else. */
const piece = /''|'[^']*(?:'|$)|[{}]|[^'{}]+/g;

function parseJava(text: string): Message | SyntaxFault {
  const found: Argument[] = [];
  let depth = 0;
  let open = 0;
  for (const { 0: part, index } of text.matchAll(piece)) {
    if (part === "{" && depth++ === 0) open = index;
    if (part !== "}" || depth === 0 || --depth > 0) continue;
    const range: TextRange = [open, index + 1];
    const [, name, written = "any", style = ""] = inner.exec(text.slice(open + 1, index)) ?? [];
    if (name === undefined) return { fault: `${text.slice(...range)} has no number or name`, range };
    const kind = written.toLowerCase();
    const fault = styleFault(kind, style);
    if (fault !== undefined) return { fault, range };
    found.push({ name, kind, range });
  }
  return depth === 0
    ? { arguments: found }
    : { fault: "an argument is not closed with }", range: [open, open + 1] };
}

/** Why Java cannot make a format of a kind and its style. */
function styleFault(kind: string, style: string): string | undefined {
  switch (kind) {
    case "any":
      return undefined;
    case "number":
      return isNumberStyle(style)
        ? undefined
        : "its style is no pattern of numbers such as #,##0.00, whose comma and point stand for those of the language";
    case "choice":
      return isChoice(style) ? undefined : "its style is no choice such as 0#none|1#one|1<many";
    case "date":
    case "time":
      return dateFault(style);
    default:
      return `${kind} is none of the kinds number, date, time and choice`;
  }
}

const numberStyles: ReadonlySet<string> = new Set([
  "",
  "integer",
  "currency",
  "percent",
  "compact_short",
  "compact_long",
]);

/** The pieces of a pattern of numbers: quotations, signs for digits with an exponent, and anything else. */
const numberPiece = /'[^']*'|[#0,.]+(?:E0*)?|[^]/g;

/** Whether Java's DecimalFormat takes a pattern. Behind a semicolon it reads what stands around negative numbers alone. */
function isNumberStyle(style: string): boolean {
  if (numberStyles.has(style.trim().toLowerCase())) return true;
  let digits = "";
  let separators = 0;
  let [percents, hasExponent] = [0, false];
  for (const [part] of style.matchAll(numberPiece)) {
    if (/^[#0,.]/.test(part)) {
      if (separators > 0) continue;
      const [own = "", exponent] = part.split("E");
      digits += own;
      // A pattern may go on behind a word.
      if (exponent !== undefined && (hasExponent || exponent === "" || !/[#0]/.test(digits))) return false;
      hasExponent ||= exponent !== undefined;
    } else if (part === ";") {
      if (digits === "" || separators++ > 0) return false;
      percents = 0;
    } else if (/[%\u2030]/.test(part) && !part.startsWith("'") && percents++ > 0) return false;
  }
  const point = digits.indexOf(".");
  const whole = point === -1 ? digits : digits.slice(0, point);
  return (
    !whole.endsWith(",") &&
    /^#*0*(?:\.0*#*)?$|^#*\.#*$/.test(whole.replaceAll(",", "") + digits.slice(whole.length))
  );
}

/**
 * Whether a style is a list of limits, each larger than the one before it, with texts; what has no limit at the end is
 * left out.
 */
function isChoice(style: string): boolean {
  let last = -Infinity;
  let limit = "";
  let isLimit = true;
  let hasText = false;
  for (const [part] of style.matchAll(/'[^']*(?:'|$)|[#<\u2264|]|[^'#<\u2264|]+/g)) {
    if (part === "|") {
      if (isLimit) return false;
      isLimit = true;
      limit = "";
    } else if (/^[#<\u2264]$/.test(part)) {
      const start = startOf(limit, part);
      if (!isLimit || start === undefined || start <= last) return false;
      isLimit = false;
      hasText = true;
      last = start;
    } else if (isLimit) limit += part;
  }
  return hasText;
}

/** The number from which on a text is used. In Java, 1< begins behind 1, and so behind 1#. */
function startOf(limit: string, sign: string): number | undefined {
  const text = limit.trim().replace("\u221E", "Infinity");
  const number = Number(text);
  if (text === "" || Number.isNaN(number)) return undefined;
  return sign === "<" ? number + Math.max(Number.MIN_VALUE, Math.abs(number) * Number.EPSILON) : number;
}

const dateStyles: ReadonlySet<string> = new Set(["", "short", "medium", "long", "full"]);

function dateFault(style: string): string | undefined {
  if (dateStyles.has(style.trim().toLowerCase())) return undefined;
  const letter = /(?![GyYMLwWDdFEuaHkKhmsSzZX])[A-Za-z]/.exec(style.replaceAll(/'[^']*'/g, ""))?.[0];
  return letter && `the letter ${letter} means nothing in its date style; a word stands between apostrophes`;
}

/** An argument between apostrophes, which is shown as it is written. */
function quotedArgument(text: string, name: string): TextRange | undefined {
  for (const { 0: part, index } of text.matchAll(piece)) {
    const at = part.startsWith("'") ? part.indexOf(`{${name}`) : -1;
    if (at !== -1) return [index + at, index + Math.max(at + 1, part.indexOf("}", at) + 1)];
  }
  return undefined;
}
