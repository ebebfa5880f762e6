/** Escapes with a backslash, as formats have them that took them from C. */

/** Characters by the letter that stands for them after a backslash. */
export type NamedEscapes = ReadonlyMap<string, string>;

/** C's escapes of control characters. */
export const controlEscapes: NamedEscapes = new Map([
  ["n", "\n"],
  ["t", "\t"],
  ["r", "\r"],
  ["a", "\u0007"],
  ["b", "\b"],
  ["f", "\f"],
  ["v", "\v"],
]);

/** Those of C's escapes of control characters that a format knows. */
export function pickEscapes(letters: string): NamedEscapes {
  return new Map([...controlEscapes].filter(([letter]) => letters.includes(letter)));
}

/** Writes a character as a named escape. @returns undefined when it has none. */
export function escapeByName(escapes: NamedEscapes, character: string): string | undefined {
  for (const [letter, escaped] of escapes) if (escaped === character) return `\\${letter}`;
  return undefined;
}

/**
 * Replaces the escapes in a text.
 * @param escape matches every escape, with a group for each kind.
 * @param valueOf gives the text that an escape stands for by these groups; undefined when it is invalid.
 * @returns undefined when an escape is invalid.
 */
export function unescape(
  text: string,
  escape: RegExp,
  valueOf: (...groups: (string | undefined)[]) => string | undefined,
): string | undefined {
  if (!text.includes("\\")) return text;
  let isValid = true;
  const value = text.replaceAll(escape, (_, ...groups: (string | undefined)[]) => {
    const found = valueOf(...groups);
    if (found === undefined) isValid = false;
    return found ?? "";
  });
  return isValid ? value : undefined;
}

/** The ASCII character of a number. @returns undefined for a number of a code table that is not known. */
export function asciiOf(digits: string, radix: 8 | 16): string | undefined {
  const code = Number.parseInt(digits, radix);
  return code > 127 ? undefined : String.fromCharCode(code);
}

/** Where a text in quotes with escapes ends: the offset of its closing quote, or -1. */
export function closingQuote(text: string, start: number): number {
  const quote = text[start];
  let at = start + 1;
  while (at < text.length && text[at] !== quote) at += text[at] === "\\" ? 2 : 1;
  return at < text.length ? at : -1;
}
