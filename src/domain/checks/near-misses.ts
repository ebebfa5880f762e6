/** Arguments that are nearly right: the program shows them to people as they stand. */
import type { SyntaxFault, TextRange } from "./message.ts";

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
