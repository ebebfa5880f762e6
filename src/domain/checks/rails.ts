/** Rails' texts: `%{name}`, `%<name>.2f`, and `%%` for a percent sign. */
import { defineSyntax } from "./arguments.ts";
import type { Argument, Message, MessageSyntax, SyntaxFault } from "./message.ts";
import { singleBraces } from "./near-misses.ts";

/** A key whose text Rails marks as HTML, or one plural form or item of it. */
const htmlKey = /(?:_|\b)html(?:\.(?:zero|one|two|few|many|other|\d+))?$/;

/** What Rails gives to every message about a model's errors. */
const errorKey = /(?:^|\.)errors\.(?:messages|format|models|attributes)\b/;
const ofErrors = ["attribute", "model", "value"];

export const rails: MessageSyntax = {
  ...defineSyntax({
    special: /%[{<]|\{/,
    isStrict: false,
    rules: {
      missing: "warning",
      // Both show what they are given; only a directive such as d asks for a number.
      areCompatible: (source, translation) => source === "any" && translation === "text",
      nearMiss: singleBraces,
    },
    parse: parseRails,
  }),
  isEscaped: (key) => !htmlKey.test(key),
  given: (key) => (errorKey.test(key) ? ofErrors : []),
};

const kinds: Readonly<Record<string, string>> = {
  s: "text",
  d: "number",
  i: "number",
  u: "number",
  f: "number",
};

function parseRails(text: string): Message | SyntaxFault {
  const found: Argument[] = [];
  const pattern = /%%|%\{([^{}]*)\}|%<([^<>]*)>[-+ #0]{0,20}\d{0,9}(?:\.\d{1,9})?([a-zA-Z])|(%[{<])/g;
  for (const { 0: whole, 1: braced, 2: angled, 3: directive = "", 4: open, index } of text.matchAll(
    pattern,
  )) {
    const range = [index, index + whole.length] as const;
    if (open !== undefined) return { fault: `an argument that begins with ${open} is not closed`, range };
    const name = braced ?? angled;
    if (name === undefined) continue;
    found.push({ name, kind: braced === undefined ? (kinds[directive] ?? directive) : "any", range });
  }
  return { arguments: found };
}
