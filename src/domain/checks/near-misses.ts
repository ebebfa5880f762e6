/** Arguments that are nearly right: the program shows them to people as they stand, or cannot read them. */
import type { SyntaxFault, TextRange } from "./message.ts";

/** Characters that look right in an argument and are not, because a language writes its own. */
const foreign =
  /[\u200E\u200F\u061C\u202A-\u202E\u2066-\u2069]|[\u060C\uFF0C\u3001]|(?![0-9])\p{Nd}|[\uFF5B\uFF5D]/u;

/** Finds the first such character in a part of a text, and says what it is, since nobody sees it to be wrong. */
export function foreignIn(
  text: string,
  [start, end]: TextRange,
): { readonly name: string; readonly range: TextRange } | undefined {
  const match = foreign.exec(text.slice(start, end));
  if (match === null) return undefined;
  const at = start + match.index;
  return { name: nameOf(match[0]), range: [at, at + match[0].length] };
}

function nameOf(character: string): string {
  const code = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
  if (/\p{Cf}/u.test(character)) return `an invisible mark of text direction (${code})`;
  if (/\p{Nd}/u.test(character)) return `the digit ${character} (${code}), which is not one of 0 to 9`;
  return `the character ${character} (${code})`;
}

/** Finds a name between single braces, where the syntax wants more than that. */
export function singleBraces(text: string, name: string): TextRange | undefined {
  for (const open of ["{", "{ "]) {
    const at = text.indexOf(`${open}${name}`);
    if (at === -1) continue;
    const end = text.indexOf("}", at);
    if (end !== -1 && text.slice(at + open.length, end).trim() === name) return [at, end + 1];
  }
  return undefined;
}

/** The fault of doubled braces that stand in a part of a text without arguments. */
export function strayBraces(text: string, start: number, end: number): SyntaxFault | undefined {
  const open = text.indexOf("{{", start);
  if (open !== -1 && open + 2 <= end)
    return { fault: "an argument that begins with {{ is not closed", range: [open, open + 2] };
  const close = text.indexOf("}}", start);
  if (close === -1 || close + 2 > end) return undefined;
  return { fault: "}} closes no argument", range: [close, close + 2] };
}
