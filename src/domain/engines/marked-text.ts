/**
 * Prose for machines that know no syntax of messages: each argument and tag is a mark, `<x id="1"/>`, which has to come back.
 * Branches of a message, and the forms of a text with bars, are translated one by one.
 */
import { codeIn, type TextCode } from "../glossary/literal-text.ts";
import { isFault, type TextRange } from "../checks/message.ts";
import type { SyntaxName } from "../checks/syntax-names.ts";
import { syntaxes } from "../checks/syntaxes.ts";

export interface MarkedText {
  /** What is translated, as XML without an element around it. */
  readonly parts: readonly string[];
  /**
   * The text with translated parts, as many as {@link parts}.
   * @returns undefined where a mark is missing or came twice, or there is other markup.
   */
  readonly join: (translated: readonly string[]) => string | undefined;
}

interface Part {
  readonly range: TextRange;
  readonly xml: string;
  /** The code that the marks stand for, by their number less one. */
  readonly code: readonly string[];
}

/**
 * @returns undefined where it cannot be told what of a text is prose, such as in Java's `It's {0}`, whose quotation mark makes
 * the rest a quotation, mostly by mistake.
 */
export function markedText(syntax: SyntaxName, text: string): MarkedText | undefined {
  const code = codeIn(syntax, text);
  const segments = code && segmentsOf(syntax, text, code);
  if (code === undefined || segments === undefined) return undefined;
  const quotes = quotesOf(syntax, text);
  if (quotes === "all" && hasOutside(text, "'", merged([...code.ranges, ...code.units]))) return undefined;
  const units = code.units.filter(([start, end]) => text.slice(start, end) !== "''");
  const marks = merged([...code.ranges, ...units]);
  const parts = segments.flatMap((segment) => partOf(text, segment, marks, quotes) ?? []);
  return {
    parts: parts.map(({ xml }) => xml),
    join: (translated) => {
      const pieces: string[] = [];
      let end = 0;
      for (const [i, part] of parts.entries()) {
        const own = restored(part, translated[i] ?? "", quotes);
        if (own === undefined) return undefined;
        pieces.push(text.slice(end, part.range[0]), own);
        [, end] = part.range;
      }
      return pieces.join("") + text.slice(end);
    },
  };
}

/** Ranges in their order, of which none overlap. */
function merged(ranges: readonly TextRange[]): readonly TextRange[] {
  const all: TextRange[] = [];
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0] || a[1] - b[1])) {
    const last = all.at(-1);
    if (last !== undefined && from < last[1]) all[all.length - 1] = [last[0], Math.max(last[1], to)];
    else if (to > from) all.push([from, to]);
  }
  return all;
}

/** Whether a sign stands outside of all ranges, which are in their order. */
function hasOutside(text: string, sign: string, ranges: readonly TextRange[]): boolean {
  return between([0, text.length], ranges).some(([start, end]) => text.slice(start, end).includes(sign));
}

/** The ranges of a text that are sentences by themselves; undefined where branches have no places. */
function segmentsOf(
  syntax: SyntaxName,
  text: string,
  { forms }: Pick<TextCode, "forms">,
): readonly TextRange[] | undefined {
  const { special, parse } = syntaxes[syntax];
  const message = special.test(text) ? parse(text) : { arguments: [] };
  if (isFault(message)) return undefined;
  const breaks: TextRange[] = [];
  for (const { branches, range } of message.choices ?? []) {
    let from = range[0];
    for (const { range: own } of branches.values()) {
      if (own === undefined) return undefined;
      breaks.push([from, own[0]]);
      [, from] = own;
    }
    breaks.push([from, range[1]]);
  }
  const inOrder = merged(breaks);
  return forms.flatMap((form) => between(form, touching(inOrder, form)));
}

/**
 * The ranges that have a part of another one. Each form and each segment has few of them, and a text may have very many.
 * @param ranges in their order, of which none overlap.
 */
function touching(ranges: readonly TextRange[], [start, end]: TextRange): readonly TextRange[] {
  let [first, after] = [0, ranges.length];
  while (first < after) {
    const middle = (first + after) >> 1;
    if ((ranges[middle]?.[1] ?? 0) > start) after = middle;
    else first = middle + 1;
  }
  let last = first;
  while ((ranges[last]?.[0] ?? end) < end) last++;
  return ranges.slice(first, last);
}

/** What is left of a range between others. */
function between([start, end]: TextRange, breaks: readonly TextRange[]): readonly TextRange[] {
  const left: TextRange[] = [];
  let at = start;
  for (const [from, to] of breaks) {
    if (from > at) left.push([at, Math.min(from, end)]);
    at = Math.max(at, to);
  }
  return at < end ? [...left, [at, end]] : left;
}

function partOf(
  text: string,
  [start, end]: TextRange,
  marks: readonly TextRange[],
  quotes: Quotes,
): Part | undefined {
  const own = text.slice(start, end);
  const from = start + (own.length - own.trimStart().length);
  const to = end - (own.length - own.trimEnd().length);
  if (from >= to) return undefined;
  const code: string[] = [];
  let [xml, prose, at] = ["", "", from];
  const add = (until: number): void => {
    const piece = text.slice(at, until);
    prose += piece;
    xml += escaped(quotes === "none" ? piece : piece.replaceAll("''", "'"));
  };
  for (const [markFrom, markTo] of touching(marks, [from, to])) {
    add(Math.max(at, markFrom));
    xml += `<x id="${code.push(text.slice(Math.max(markFrom, from), Math.min(markTo, to)))}"/>`;
    at = Math.min(markTo, to);
  }
  add(to);
  return /\p{L}/u.test(prose) ? { range: [from, to], xml, code } : undefined;
}

const mark = /<x id="(\d{1,6})"\s*(?:\/>|>\s*<\/x>)/g;

/** A translated part with its code. */
function restored({ code }: Part, translated: string, quotes: Quotes): string | undefined {
  const pieces: string[] = [];
  const left = new Set(code.keys());
  let end = 0;
  const prose = (until: number, isBeforeCode: boolean): boolean => {
    const piece = translated.slice(end, until);
    if (piece.includes("<")) return false;
    pieces.push(quoted(unescaped(piece), quotes, isBeforeCode));
    return true;
  };
  for (const { 0: whole, 1: number, index } of translated.matchAll(mark)) {
    const place = Number(number) - 1;
    if (!left.delete(place) || !prose(index, true)) return undefined;
    pieces.push(code[place] ?? "");
    end = index + whole.length;
  }
  if (left.size > 0 || !prose(translated.length, false)) return undefined;
  const text = pieces.join("").trim();
  return text === "" ? undefined : text;
}

/** What an apostrophe means: itself, itself where no brace follows, or the beginning of a quotation. */
type Quotes = "none" | "before-braces" | "all";

function quotesOf(syntax: SyntaxName, text: string): Quotes {
  if (syntax === "java") return syntaxes.java.special.test(text) ? "all" : "none";
  return syntax === "icu" || syntax === "flutter-escaped" ? "before-braces" : "none";
}

/** Prose of a translation as its syntax has it. */
function quoted(prose: string, quotes: Quotes, isBeforeCode: boolean): string {
  if (quotes === "none") return prose;
  if (quotes === "all") return prose.replaceAll("'", "''");
  return prose.replaceAll(/'(?=['{}#|<]|$)/g, (quote, at: number) =>
    at === prose.length - 1 && !isBeforeCode ? quote : "''",
  );
}

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

function escaped(prose: string): string {
  return prose.replaceAll(/[&<>]/g, (sign) => escapes[sign] ?? sign);
}

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
};

/** Undoes the entities of XML, also those that a machine has added. */
function unescaped(prose: string): string {
  return prose.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,5}));/gi, (whole, decimal, hex, name) => {
    if (typeof name === "string") return entities[name.toLowerCase()] ?? whole;
    const code = typeof decimal === "string" ? Number(decimal) : Number.parseInt(String(hex), 16);
    const isCharacter = code > 0 && code <= 0x10_ff_ff && (code < 0xd8_00 || code > 0xdf_ff);
    return isCharacter ? String.fromCodePoint(code) : whole;
  });
}
