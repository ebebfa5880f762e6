/** Symfony's texts: `%name%`, and a lone `%` for itself. Its ICU messages stand in files that end in `+intl-icu`. */
import { defineSyntax } from "./arguments.ts";
import type { Argument, Message } from "./message.ts";

export const symfony = defineSyntax({
  special: /%/,
  isStrict: false,
  rules: { missing: "warning", nearMiss },
  parse: parseSymfony,
});

function parseSymfony(text: string): Message {
  const found = Array.from(
    text.matchAll(/%([A-Za-z_][\w.-]*)%/g),
    ({ 0: whole, 1: name = "", index }): Argument => {
      return { name, kind: "any", range: [index, index + whole.length] };
    },
  );
  return { arguments: found };
}

/** Finds `% name %`, and a name of which one sign is missing. */
function nearMiss(text: string, name: string): Argument["range"] | undefined {
  const written = name.replaceAll(".", String.raw`\.`);
  const match = new RegExp(
    `[%٪％]\\s?${written}\\s?[%٪％]|[%٪％]${written}(?![\\w.-])|(?<![\\w.-])${written}[%٪％]`,
  ).exec(text);
  return match === null ? undefined : [match.index, match.index + match[0].length];
}
