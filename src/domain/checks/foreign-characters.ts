/** Characters that look right in an argument and are not, because a language writes its own. */
import type { TextRange } from "./message.ts";

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
