/** Arguments between braces alone: `{name}`, `{0}`, `{0:N2}`, `{{name}}`, as in vue-i18n, Angular and .NET. */
import { defineSyntax } from "./arguments.ts";
import type { Argument, Message, SyntaxFault } from "./message.ts";

export const brace = defineSyntax({
  special: /[{}]/,
  isStrict: false,
  rules: { missing: "warning" },
  parse: parseBrace,
});

/** A name or a number, and perhaps a format behind a comma, a colon or a pipe. */
const inner = /^\s*(?:([\p{L}\p{M}\p{Nd}_$.[\]@-]+)\s*)?(?:[,:|][^{}]*)?$/u;

function parseBrace(text: string): Message | SyntaxFault {
  const found: Argument[] = [];
  let unnamed = 0;
  const rest = text.replaceAll(
    /(\{{1,4})([^{}]*)(\}{1,4})/g,
    (whole, open: string, name: string, close: string, at: number) => {
      // `{'@'}` is how vue-i18n writes a character that means something else.
      if (/^'[^']*'$/.test(name)) return " ".repeat(whole.length);
      const match = inner.exec(name);
      if (match === null || open.length !== close.length) return whole;
      const [, named = ""] = match;
      if (named === "") unnamed++;
      const kind = open.length === 1 ? "between single braces" : "between double braces";
      found.push({ name: named === "" ? String(unnamed) : named, kind, range: [at, at + whole.length] });
      return " ".repeat(whole.length);
    },
  );
  const isCounted = unnamed > 0 && unnamed === found.length;
  return strayBrace(rest) ?? { arguments: found, isCounted };
}

function strayBrace(rest: string): SyntaxFault | undefined {
  const at = rest.search(/[{}]/);
  if (at === -1) return undefined;
  return { fault: `the brace ${rest[at] ?? ""} belongs to no argument`, range: [at, at + 1] };
}
