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

/** The fault of braces that are left over once all arguments are taken out of a text. */
export function strayBraces(rest: string, open: string, close: string): SyntaxFault | undefined {
  const at = rest.indexOf(open);
  if (at !== -1)
    return { fault: `an argument that begins with ${open} is not closed`, range: [at, at + open.length] };
  const end = rest.indexOf(close);
  if (end === -1) return undefined;
  return { fault: `${close} closes no argument`, range: [end, end + close.length] };
}
