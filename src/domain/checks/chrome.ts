/**
 * Messages of browser extensions: `$NAME$`, whose value stands beside the message, `$1` to `$9`, and `$$` for a dollar sign. A
 * browser reads names in any case.
 */
import { defineSyntax } from "./arguments.ts";
import type { Argument, Message } from "./message.ts";

export const chrome = defineSyntax({
  special: /\$/,
  isStrict: false,
  // A text of another locale takes the placeholders of the source file; one of another name stays as it is written.
  rules: { missing: "warning", nearMiss },
  parse: parseChrome,
});

const argument = /\$\$|\$([A-Za-z0-9_@]+)\$|\$([1-9])/g;

function parseChrome(text: string): Message {
  const found: Argument[] = [];
  for (const { 0: whole, 1: name, 2: position, index } of text.matchAll(argument)) {
    const own = name?.toLowerCase() ?? position;
    if (own !== undefined) found.push({ name: own, kind: "any", range: [index, index + whole.length] });
  }
  return { arguments: found };
}

/** Finds `$ name $`, and a name of which one sign is missing. */
function nearMiss(text: string, name: string): Argument["range"] | undefined {
  const written = name.replaceAll("$", "");
  const pattern = /^[1-9]$/.test(written)
    ? new RegExp(`\\$\\s${written}(?!\\d)|(?<!\\d)${written}\\$`)
    : new RegExp(`\\$\\s?${written}\\s?\\$|\\$${written}(?![\\w@])|(?<![\\w@])${written}\\$`, "i");
  const match = pattern.exec(text);
  return match === null ? undefined : [match.index, match.index + match[0].length];
}
