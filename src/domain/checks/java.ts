/**
 * Java's MessageFormat: `{0}`, `{1,number,#.##}`, `{0,choice,0#none|1#one}`. What stands between apostrophes is text, and
 * two apostrophes are one.
 */
import { defineSyntax } from "./arguments.ts";
import type { Argument, Message, SyntaxFault, TextRange } from "./message.ts";

export const java = defineSyntax({
  special: /[{}]/,
  isStrict: true,
  rules: {
    missing: "warning",
    areCompatible: (...kinds) => kinds.every((kind) => plain.has(kind)),
    write: (name) => `{${name}}`,
    nearMiss: quotedArgument,
  },
  parse: parseJava,
});

/** Kinds that print a number or whatever they are given. */
const plain: ReadonlySet<string> = new Set(["any", "number", "choice"]);

/** A number, or a name as validators have it; perhaps a kind and its style. */
const inner = /^\s*([\w.$-]+)\s*(?:,\s*(\w+)\s*(?:,[^]*)?)?$/;

/** The pieces of a text: quotations, whose apostrophe may be left open at the end, braces, and anything else. */
const piece = /''|'[^']*(?:'|$)|[{}]|[^'{}]+/g;

function parseJava(text: string): Message | SyntaxFault {
  const found: Argument[] = [];
  let depth = 0;
  let open = 0;
  for (const { 0: part, index } of text.matchAll(piece)) {
    if (part === "{" && depth++ === 0) open = index;
    if (part !== "}" || depth === 0 || --depth > 0) continue;
    const range: TextRange = [open, index + 1];
    const [, name, kind = "any"] = inner.exec(text.slice(open + 1, index)) ?? [];
    if (name === undefined) return { fault: `${text.slice(...range)} has no number or name`, range };
    found.push({ name, kind, range });
  }
  return depth === 0
    ? { arguments: found }
    : { fault: "an argument is not closed with }", range: [open, open + 1] };
}

/** An argument between apostrophes, which is shown as it is written. */
function quotedArgument(text: string, name: string): TextRange | undefined {
  for (const { 0: part, index } of text.matchAll(piece)) {
    const at = part.startsWith("'") ? part.indexOf(`{${name}`) : -1;
    if (at !== -1) return [index + at, index + Math.max(at + 1, part.indexOf("}", at) + 1)];
  }
  return undefined;
}
