/** Finds the place at which a text stops being JSON, which the messages of `JSON.parse` do not always tell. */
import { lineAt, matchEnd } from "./text.ts";

const blanks = /[ \t\r\n]*/y;
/** A sign, a string or another scalar; none of them goes over several lines. */
const token =
  // eslint-disable-next-line no-control-regex
  /[{}[\],:]|"(?:[^"\\\u0000-\u001f]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)(?![\w.+-])/y;

/** What may come next: a value; the name of a member; a colon; or what follows a value. */
type Expected = "value" | "first-element" | "name" | "first-name" | "colon" | "separator";

/**
 * The number of the first line that is not JSON.
 * @returns the last line for a text that ends too early, or that has no fault.
 */
export function jsonFaultLine(text: string): number {
  const open: ("{" | "[")[] = [];
  let expected: Expected = "value";
  for (let at = text.startsWith("\ufeff") ? 1 : 0; ;) {
    at = matchEnd(blanks, text, at) ?? at;
    const end = matchEnd(token, text, at);
    const next: Expected | undefined = end === undefined ? undefined : after(expected, text.charAt(at), open);
    if (end === undefined || next === undefined) return lineAt(text, at);
    expected = next;
    at = end;
  }
}

/** What is expected after a token, by its first character; undefined when it must not stand there. */
function after(expected: Expected, found: string, open: ("{" | "[")[]): Expected | undefined {
  const isValue = expected === "value" || expected === "first-element";
  switch (found) {
    case "{":
    case "[":
      if (!isValue) return undefined;
      open.push(found);
      return found === "{" ? "first-name" : "first-element";
    case "}":
      return (expected === "separator" || expected === "first-name") && open.pop() === "{"
        ? "separator"
        : undefined;
    case "]":
      return (expected === "separator" || expected === "first-element") && open.pop() === "["
        ? "separator"
        : undefined;
    case ",":
      if (expected !== "separator" || open.length === 0) return undefined;
      return open.at(-1) === "{" ? "name" : "value";
    case ":":
      return expected === "colon" ? "value" : undefined;
    case '"':
      if (expected === "name" || expected === "first-name") return "colon";
      return isValue ? "separator" : undefined;
    default:
      return isValue ? "separator" : undefined;
  }
}

/** Each search goes through the whole file, so that only the first texts are looked for. */
const maxSearches = 500;

/**
 * @param find searches the file for a text.
 * @returns finds the line of a text, counted from 1.
 */
export function linesIn(
  file: string,
  find: (file: string, text: string) => number | undefined,
): (text: string) => number | undefined {
  let left = maxSearches;
  return (text) => (left-- > 0 ? find(file, text) : undefined);
}
