/** Qt's texts: `%1`, `%L1` and `%n`, which is the number of a plural. Other programs write `%0`, too. */
import { defineSyntax } from "./arguments.ts";
import { foreignIn } from "./near-misses.ts";
import type { Argument, Message, SyntaxFault, TextRange } from "./message.ts";

export const qt = defineSyntax({
  special: /%/,
  isStrict: false,
  rules: {
    // Qt puts its values in by the order of the numbers, so the values of higher numbers move down.
    missing: ({ name }, all) =>
      all.some((other) => Number(other.name) > Number(name)) ? "error" : "warning",
    nearMiss,
    isText: isPercentage,
  },
  parse: parseQt,
});

function parseQt(text: string): Message | SyntaxFault {
  const found: Argument[] = [];
  for (const { 0: whole, 1: name = "", index } of text.matchAll(/%L?(\p{Nd}{1,2}|n)/gu)) {
    const range = [index, index + whole.length] as const;
    const wrong = foreignIn(text, range);
    if (wrong !== undefined) return { fault: `${wrong.name} stands in an argument`, range: wrong.range };
    found.push({ name, kind: "any", range });
  }
  return { arguments: found };
}

/** Whether a language such as Turkish writes `%10` for the `10%` of the source text. */
function isPercentage(source: string, { name }: Argument): boolean {
  return new RegExp(`(?<!\\d)${name}\\s?[%٪％]`).test(source);
}

/** Finds `% 1`, `1%` and percent signs of other scripts, which machines and people write for `%1`. */
function nearMiss(text: string, name: string): TextRange | undefined {
  const match = new RegExp(`[%٪％]\\s?${name}(?![\\d%])|(?<!\\d)${name}\\s?[%٪％](?!\\d)`).exec(text);
  return match === null ? undefined : [match.index, match.index + match[0].length];
}
