/** The parts of a source text that a translator has to treat with care: its arguments, and the terms of the glossary. */
import { maxCheckedLength } from "../checks/check-text.ts";
import { isFault, type TextRange } from "../checks/message.ts";
import type { SyntaxName } from "../checks/syntax-names.ts";
import { syntaxes } from "../checks/syntaxes.ts";
import type { Term } from "./term.ts";
import type { FoundTerm } from "./term-index.ts";

/** A part of a text; without further members, it is nothing but text. */
export interface TextPart {
  readonly text: string;
  /** The name of the argument that the part is. */
  readonly argument?: string;
  /** The meanings of the term that the part is. */
  readonly terms?: readonly Term[];
}

/**
 * Splits a source text into parts, which together are the text. A choice among forms, such as a plural
 * in ICU messages, is none by itself; the arguments and terms inside it are.
 * @param found the terms of the text, as `termsIn` gives them.
 */
export function partsOf(syntax: SyntaxName, text: string, found: readonly FoundTerm[]): readonly TextPart[] {
  // Terms are found in the normal form, whose places are others where the text is not in it.
  const terms = text === text.normalize("NFC") ? found : [];
  const marked = [
    ...argumentsIn(syntax, text).map(({ range, name }) => ({ range, argument: name })),
    ...terms.map(({ range, terms: meanings }) => ({ range, terms: meanings })),
  ].toSorted((a, b) => a.range[0] - b.range[0]);
  const parts: TextPart[] = [];
  let end = 0;
  for (const { range, ...about } of marked) {
    if (range[0] < end) continue;
    if (range[0] > end) parts.push({ text: text.slice(end, range[0]) });
    parts.push({ text: text.slice(...range), ...about });
    end = range[1];
  }
  return end === text.length ? parts : [...parts, { text: text.slice(end) }];
}

/** The terms that stand in a part of their text, at their places in the part. */
export function termsBetween(found: readonly FoundTerm[], part: TextRange): readonly FoundTerm[] {
  return found
    .filter(({ range }) => contains(part, range))
    .map(({ range: [start, end], terms }) => ({ range: [start - part[0], end - part[0]], terms }));
}

function argumentsIn(
  syntax: SyntaxName,
  text: string,
): readonly { readonly name: string; readonly range: TextRange }[] {
  const { special, parse } = syntaxes[syntax];
  if (text.length > maxCheckedLength || !special.test(text)) return [];
  const message = parse(text);
  if (isFault(message)) return [];
  const { choices = [] } = message;
  return message.arguments.filter(
    ({ range }) =>
      range[0] < range[1] &&
      !choices.some((choice) => contains(range, choice.range)) &&
      !message.arguments.some((inner) => inner.range !== range && contains(range, inner.range)),
  );
}

function contains(outer: TextRange, inner: TextRange): boolean {
  return outer[0] <= inner[0] && inner[1] <= outer[1];
}
