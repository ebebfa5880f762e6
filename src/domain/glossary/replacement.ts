/** Finds plain text in texts, and puts another in its place: in their prose alone, never in arguments or tags. */
import { maxCheckedLength } from "../checks/check-text.ts";
import type { TextRange } from "../checks/message.ts";
import type { SyntaxName } from "../checks/syntax-names.ts";
import { codeIn, type TextCode } from "./literal-text.ts";
import { fold, SearchedText } from "./searched-text.ts";

/** The most characters of what is looked for, and of what comes in its place. */
export const maxReplacementLength = 200;
/** The most texts that are replaced at once. */
export const maxReplacedTexts = 1_000;

export interface Replacement {
  /** Plain text of at least one character. */
  readonly find: string;
  /** What comes in its place; empty to take it away. */
  readonly replace: string;
  /** Whether it is only found as whole words, as the language has them. */
  readonly isWholeWord: boolean;
  /** Whether upper and lower case make a difference. */
  readonly isCaseSensitive: boolean;
}

/**
 * What becomes of a text in which something is found:
 * - `replaced`: it has the text `after`;
 * - `arguments_changed`: with the text `after`, its arguments or tags would be others, so it stays;
 * - `unreadable`: what of it is prose cannot be told, so it stays;
 * - `too_long`: it would be longer than texts are read.
 */
export type Replaced =
  | { readonly status: "replaced" | "arguments_changed"; readonly after: string }
  | { readonly status: "unreadable" | "too_long" };

/**
 * Replaces in one text all that is found, from its beginning on.
 * @param locale of the text, which decides about its words, and about upper and lower case.
 * @returns undefined where nothing is found, or nothing would be another.
 */
export function replaceIn(
  syntax: SyntaxName,
  locale: string,
  text: string,
  replacement: Replacement,
): Replaced | undefined {
  const { find, replace } = replacement;
  if (find === "" || !mayHave(text, locale, replacement)) return undefined;
  const code = codeIn(syntax, text);
  if (code === undefined) return { status: "unreadable" };
  const places = placesIn(text, locale, replacement, code);
  if (places.length === 0) return undefined;
  // Before it is made: a text of signs could grow by the length of what comes in their place.
  if (text.length + places.length * (replace.length - find.length) > maxCheckedLength)
    return { status: "too_long" };
  const parts: string[] = [];
  let end = 0;
  for (const [from, to] of places) {
    parts.push(text.slice(end, from), replace);
    end = to;
  }
  const after = parts.join("") + text.slice(end);
  if (after === text) return undefined;
  const isSame = codeIn(syntax, after)?.signature === code.signature;
  return { status: isSame ? "replaced" : "arguments_changed", after };
}

/** Whether a text has what is looked for, be it prose or not. */
function mayHave(text: string, locale: string, { find, isCaseSensitive }: Replacement): boolean {
  return isCaseSensitive ? text.includes(find) : fold(text, locale).includes(fold(find, locale));
}

/** Where prose has what is looked for; these places do not overlap. */
export function placesIn(
  text: string,
  locale: string,
  { find, isWholeWord, isCaseSensitive }: Replacement,
  { ranges, units }: Pick<TextCode, "ranges" | "units">,
): readonly TextRange[] {
  const searched = new SearchedText(text, locale, ranges);
  const wanted = fold(find, locale);
  // A set, since a text may have very many of both.
  const inUnits = new Set(units.flatMap(([start, end]) => placesBetween(start, end)));
  const isPlace = (from: number, to: number): boolean => {
    const own = text.slice(from, to);
    if (isCaseSensitive ? own !== find : blanksOf(own) !== blanksOf(find)) return false;
    if (isSplit(text, from) || isSplit(text, to)) return false;
    if (inUnits.has(from) || inUnits.has(to)) return false;
    return !isWholeWord || (searched.isEdge(from) && searched.isEdge(to));
  };
  const places: TextRange[] = [];
  let at = searched.folded.indexOf(wanted);
  while (at !== -1) {
    const end = at + wanted.length;
    const isFound = isPlace(at, end);
    if (isFound) places.push([at, end]);
    at = searched.folded.indexOf(wanted, isFound ? end : at + 1);
  }
  return places;
}

/** The white space of a text, which is compared as it is: a space is none that does not break. */
function blanksOf(text: string): string {
  return text.replaceAll(/\S/g, "x");
}

function placesBetween(start: number, end: number): readonly number[] {
  return Array.from({ length: Math.max(0, end - start - 1) }, (_, i) => start + 1 + i);
}

/** What goes on with the character before it: marks, the second half of a pair, what is joined. */
const continuing = /^[\p{M}\u200d\p{Emoji_Modifier}]/u;

/** Whether a place is within a character as readers see it. */
function isSplit(text: string, at: number): boolean {
  if (at === 0 || at === text.length) return false;
  if (/^[\udc00-\udfff]/.test(text[at] ?? "") && /^[\ud800-\udbff]/.test(text[at - 1] ?? "")) return true;
  return text[at - 1] === "\u200d" || continuing.test(text.slice(at, at + 2));
}
