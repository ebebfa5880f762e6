/**
 * Symfony's texts: `%name%`, a lone `%` for itself, and `{{ limit }}`, as its validators have them. Its ICU messages stand in
 * files that end in `+intl-icu`.
 */
import { defineSyntax } from "./arguments.ts";
import type { Argument, Message } from "./message.ts";

export const symfony = defineSyntax({
  special: /%|\{/,
  isStrict: false,
  rules: { missing: "warning", nearMiss },
  parse: parseSymfony,
});

/** Symfony replaces what it is given as it is written: the blanks inside of braces are a part of the name. */
const argument = /%([A-Za-z_][\w.-]*)%|\{\{ ?[A-Za-z_][\w.-]* ?\}\}/g;

function parseSymfony(text: string): Message {
  const found = Array.from(text.matchAll(argument), ({ 0: whole, 1: name = whole, index }): Argument => {
    return { name, kind: "any", range: [index, index + whole.length] };
  });
  return { arguments: found };
}

/** Finds `% name %`, a name of which one sign is missing, and braces with other blanks, or single ones. */
function nearMiss(text: string, name: string): Argument["range"] | undefined {
  const inBraces = /^\{\{ ?(.*?) ?\}\}$/.exec(name)?.[1];
  const written = (inBraces ?? name).replaceAll(".", String.raw`\.`);
  const match = new RegExp(
    inBraces === undefined
      ? `[%٪％]\\s?${written}\\s?[%٪％]|[%٪％]${written}(?![\\w.-])|(?<![\\w.-])${written}[%٪％]`
      : `[{｛]{1,2}\\s?${written}\\s?[}｝]{1,2}`,
  ).exec(text);
  return match === null ? undefined : [match.index, match.index + match[0].length];
}
