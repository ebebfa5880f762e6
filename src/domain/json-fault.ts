/** Finds the place at which a text stops being JSON, which the messages of `JSON.parse` do not always tell. */
const scalar = /(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)(?![\w.+-])/y;
const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const space = /[ \t\r\n]/;

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
    while (space.test(text.charAt(at))) at++;
    const found = tokenAt(text, at);
    if ("fault" in found) return lineAt(text, found.fault);
    const next = after(expected, found.kind, open);
    if (next === undefined) return lineAt(text, at);
    expected = next;
    at = found.end;
  }
}

type Token = { readonly kind: string; readonly end: number } | { readonly fault: number };

/** The token at an offset: a sign, a string, or another scalar; or where it is broken. */
function tokenAt(text: string, at: number): Token {
  const first = text.charAt(at);
  if (first === '"') return stringAt(text, at);
  if (first !== "" && "{}[],:".includes(first)) return { kind: first, end: at + 1 };
  scalar.lastIndex = at;
  return scalar.test(text) ? { kind: "scalar", end: scalar.lastIndex } : { fault: at };
}

function stringAt(text: string, start: number): Token {
  for (let at = start + 1; at < text.length;) {
    const character = text.charAt(at);
    if (character === '"') return { kind: "string", end: at + 1 };
    if (character < " ") return { fault: at };
    if (character !== "\\") at++;
    else {
      escape.lastIndex = at;
      if (!escape.test(text)) return { fault: at };
      at = escape.lastIndex;
    }
  }
  return { fault: text.length };
}

/** The number of the line that a character of a text is in. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line++;
  return line;
}

/** What is expected after a token; undefined when it must not stand there. */
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
    case "string":
      if (expected === "name" || expected === "first-name") return "colon";
      return isValue ? "separator" : undefined;
    default:
      return isValue ? "separator" : undefined;
  }
}
