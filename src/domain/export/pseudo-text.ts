/** Texts of pseudo-locales: what is code in a source text stays as it is, and its prose is made to look translated. */
import type { TextRange } from "../checks/message.ts";
import type { SyntaxName } from "../checks/syntax-names.ts";
import { codeIn, type TextCode } from "../glossary/literal-text.ts";
import type { PseudoKind } from "./pseudo-locales.ts";

/** Another letter for each of ASCII, so that no letter is left from which code could arise, such as `% o`. */
const accented = withAccents(
  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
  "åƀçðéƒĝĥîĵķļɱñöþǫŕšţûṽŵẋýžÅƁÇÐÉƑĜĤÎĴĶĻṀÑÖÞǪŔŠŢÛṼŴẊÝŽ",
);

/** How much longer texts become: about as much as those of a language that needs more room than English. */
const growth = 0.4;
/** Show where a text ends, so that one that is cut off is seen, and so is one that is put together from several. */
const brackets = ["⟦", "⟧"] as const;
/** A mark, what turns the letters round, and what ends these; all are invisible. */
const turned = ["\u200f\u202e", "\u202c\u200f"] as const;

/** What is prose to the syntax, and would be another thing with other letters: escapes, and addresses. */
const fixed = /\\(?:u[\da-f]{4}|u\{[\da-f]{1,6}\}|x[\da-f]{2}|[^])|\b[a-z]+:\/\/\S+/gi;
/** Arguments of other libraries, which files of one syntax have, too: `{count}` is one in every plural string. */
const foreign = /\{\{[^{}]*\}\}|[%$]?\{[\w.-]+\}|%(?:\d+\$)?[sd@](?![A-Za-z])/g;
const anyLetter = /\p{L}/u;
const letterOrDigit = /[\p{L}\p{N}]/u;

/**
 * A source text as a pseudo-locale has it. Arguments, tags, the syntax of plurals, escapes and addresses stay.
 * @param isSound whether a text will do; one that will not is made without brackets and as long as the source text, and
 *   is the source text where that will not do either.
 * @returns the text itself where what of it is code cannot be told.
 */
export function pseudoText(
  kind: PseudoKind,
  syntax: SyntaxName,
  text: string,
  isSound: (made: string) => boolean,
): string {
  const code = codeIn(syntax, text);
  if (code === undefined) return text;
  for (const isShort of [false, true]) {
    const made = madeText(kind, text, code, isShort);
    if (made === text) break;
    if (codeIn(syntax, made)?.signature === code.signature && isSound(made)) return made;
  }
  return text;
}

function madeText(kind: PseudoKind, text: string, code: TextCode, isShort: boolean): string {
  const others = [fixed, foreign].flatMap((pattern) =>
    Array.from(text.matchAll(pattern), ({ 0: whole, index }) => [index, index + whole.length] as const),
  );
  const kept = [...code.ranges, ...code.units, ...others].toSorted((a, b) => a[0] - b[0]);
  const parts: string[] = [];
  let [end, next] = [0, 0];
  for (const form of code.forms) {
    const first = next;
    while ((kept[next]?.[0] ?? Infinity) < form[1]) next++;
    parts.push(
      text.slice(end, form[0]),
      madeForm(kind, text, form, { kept: kept.slice(first, next), isShort }),
    );
    end = form[1];
  }
  return parts.join("") + text.slice(end);
}

/** One text that is shown by itself. @param options.kept what of it stays, in the order of the text. */
function madeForm(
  kind: PseudoKind,
  text: string,
  [start, end]: TextRange,
  { kept, isShort }: { readonly kept: readonly TextRange[]; readonly isShort: boolean },
): string {
  const change = kind === "accents" ? accenter(isShort) : isShort ? (prose: string) => prose : turn;
  const parts: string[] = [];
  let at = start;
  for (const [from, to] of kept) {
    if (to <= at) continue;
    if (from > at) parts.push(change(text.slice(at, from)));
    parts.push(text.slice(Math.max(at, from), Math.min(to, end)));
    at = Math.min(to, end);
  }
  parts.push(change(text.slice(at, end)));
  const made = parts.join("");
  const before = text.slice(start, end);
  if (made === before || isShort || kind !== "accents") return made;
  // Blanks at the ends have a meaning to some files, such as those of gettext.
  const first = made.length - made.trimStart().length;
  const last = made.trimEnd().length;
  return made.slice(0, first) + brackets[0] + made.slice(first, last) + brackets[1] + made.slice(last);
}

/** Accents letters, and doubles as many of them as the text is to be longer. */
function accenter(isShort: boolean): (prose: string) => string {
  let owed = 0.5;
  return (prose) => {
    let made = "";
    for (const character of prose) {
      owed += isShort ? 0 : growth;
      const own = accented.get(character) ?? character;
      made += own;
      if (owed < 1 || !anyLetter.test(character)) continue;
      made += own;
      owed--;
    }
    return made;
  };
}

/** Turns each word round. */
function turn(prose: string): string {
  return prose.replaceAll(/\S+/g, (word) => (letterOrDigit.test(word) ? turned[0] + word + turned[1] : word));
}

function withAccents(letters: string, others: string): ReadonlyMap<string, string> {
  return new Map(Array.from(letters, (letter, at) => [letter, others[at] ?? letter]));
}
