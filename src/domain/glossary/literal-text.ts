/** What of a text is prose, and what is code: arguments, tags, and what chooses between forms. */
import { maxCheckedLength } from "../checks/check-text.ts";
import { isFault, type Message, type TextRange } from "../checks/message.ts";
import type { SyntaxName } from "../checks/syntax-names.ts";
import { syntaxes } from "../checks/syntaxes.ts";
import { isPlural } from "../text.ts";

/** The code of a text. */
export interface TextCode {
  /** Where it stands, in the order of the text. Ranges may overlap. */
  readonly ranges: readonly TextRange[];
  /** Signs of several characters that are shown as one, such as `&amp;`: prose, but only as a whole. */
  readonly units: readonly TextRange[];
  /** The texts that are shown by themselves: the forms between the signs of a plural, or all of the text. */
  readonly forms: readonly TextRange[];
  /** Is the same for texts with the same code, whatever their prose is. */
  readonly signature: string;
}

const tag = /<!\[CDATA\[|\]\]>|<\/?[A-Za-z\d][^<>]*>/g;
const tagOrComment = new RegExp(`<!--[^]*?-->|${tag.source}`, "g");
const entity = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]\w{1,30});/gi;
/** The sign between the forms of a plural, and what may stand before a form. */
const betweenForms = /(?:^|\|)\s*(?:\{[^{}|]*\}|[[\]][^[\]|]*[[\]])|\|/g;
/**
 * What is quoted from a brace on, between apostrophes of which neither is one of a pair; and such a pair, which is shown as one
 * apostrophe.
 */
const quotedBrace = /'(?=[{}])(?<=(?:^|[^'])(?:'')*')[{}](?:[^']|'')*(?:'|$)/g;
const twoApostrophes = /''/g;
const twoPercentSigns = /%%/g;

interface Further {
  readonly code?: RegExp;
  readonly units?: RegExp;
  /** What separates the forms of a plural; a sign inside other code does not. */
  readonly between?: RegExp;
}

/** What is code, and what are units, beside what the syntax takes for arguments. */
const further: Readonly<Partial<Record<SyntaxName, Further>>> = {
  icu: { code: quotedBrace, units: twoApostrophes },
  "flutter-escaped": { code: quotedBrace, units: twoApostrophes },
  java: { code: quotedBrace, units: twoApostrophes },
  // The branches of Go's templates stand in such braces, too.
  i18next: { code: /\{\{[^{}]*\}\}/g },
  laravel: { code: betweenForms, between: betweenForms },
  symfony: { code: betweenForms, units: twoPercentSigns, between: betweenForms },
  // vue-i18n has forms without conditions, and quotes characters that mean something else.
  brace: { code: /\||\{'[^'{}]*'\}/g, between: /\|/g },
  rails: { units: twoPercentSigns },
  printf: { units: twoPercentSigns },
  android: { units: twoPercentSigns },
  chrome: { units: /\$\$/g },
};

function found(text: string, pattern: RegExp | undefined): readonly TextRange[] {
  if (pattern === undefined) return [];
  return Array.from(text.matchAll(pattern), ({ 0: whole, index }) => [index, index + whole.length] as const);
}

/** The tags and comments. Behind the end of the last comment none is looked for: each beginning would go to the text's end. */
function tagsIn(text: string): readonly TextRange[] {
  const end = text.lastIndexOf("-->");
  if (end === -1) return found(text, tag);
  const at = end + "-->".length;
  const behind = found(text.slice(at), tag).map(([from, to]) => [from + at, to + at] as const);
  return [...found(text.slice(0, at), tagOrComment), ...behind];
}

/**
 * Tells the code of a text from its prose.
 * @returns undefined where that cannot be told: the text cannot be read as its syntax has it, or is too long to be.
 */
export function codeIn(syntax: SyntaxName, text: string): TextCode | undefined {
  if (text.length > maxCheckedLength) return undefined;
  const { special, parse } = syntaxes[syntax];
  const message: ReturnType<typeof parse> = special.test(text) ? parse(text) : { arguments: [] };
  if (isFault(message)) return undefined;
  const own = further[syntax] ?? {};
  const inText = [...argumentsOf(message, text), ...tagsIn(text)];
  const ranges = [...inText, ...found(text, own.code)].toSorted((a, b) => a[0] - b[0] || a[1] - b[1]);
  const units = [...found(text, entity), ...found(text, own.units)];
  const between = own.between ?? (isPlural(text) ? /\|/g : undefined);
  const forms = formsBetween(found(text, between), inText, text.length);
  return { ranges, units, forms, signature: signatureOf(message, text, ranges) };
}

/** The ranges between separators. @param code in which nothing separates. */
function formsBetween(
  separators: readonly TextRange[],
  code: readonly TextRange[],
  length: number,
): readonly TextRange[] {
  const sorted = code.toSorted((a, b) => a[0] - b[0]);
  const ranges: TextRange[] = [];
  let [start, next, endOfCode] = [0, 0, 0];
  for (const [from, to] of separators) {
    for (let one = sorted[next]; one !== undefined && one[0] <= from; one = sorted[++next])
      endOfCode = Math.max(endOfCode, one[1]);
    if (to <= endOfCode) continue;
    if (from > 0) ranges.push([start, from]);
    start = to;
  }
  return [...ranges, [start, length]];
}

/** Where a message has arguments, and the syntax around its branches. */
function argumentsOf({ literals, ...message }: Message, text: string): readonly TextRange[] {
  if (literals === undefined)
    return message.arguments.map(({ range }) => range).filter(([start, end]) => start < end);
  const ranges: TextRange[] = [];
  let end = 0;
  for (const [from, to] of literals.toSorted((a, b) => a[0] - b[0])) {
    if (from > end) ranges.push([end, from]);
    end = Math.max(end, to);
  }
  return end < text.length ? [...ranges, [end, text.length]] : ranges;
}

function signatureOf({ arguments: all, choices = [] }: Message, text: string, ranges: readonly TextRange[]) {
  const code: string[] = [];
  let end = 0;
  for (const [from, to] of ranges) {
    if (to > end) code.push(text.slice(Math.max(from, end), to));
    end = Math.max(end, to);
  }
  return JSON.stringify([
    code.join(""),
    all.map(({ name, kind }) => [name, kind]),
    choices.map(({ name, kind, branches }) => [name, kind, [...branches.keys()]]),
  ]);
}
