/** Arguments between braces alone: `{name}`, `{0}`, `{0:N2}`, `{{name}}`, as in vue-i18n, Angular and .NET. */
import { defineSyntax } from "./arguments.ts";
import {
  faultFinding,
  type Argument,
  type Message,
  type MessageSyntax,
  type SyntaxFault,
} from "./message.ts";

const own = defineSyntax({
  special: /[{}]|@[.:]/,
  isStrict: false,
  rules: { missing: "warning" },
  parse: parseBrace,
});

export const brace: MessageSyntax = {
  ...own,
  compareWith(source) {
    const compare = own.compareWith(source);
    const isOfVue = vueOnly.test(source);
    const hasBare = bareAt(source) !== undefined;
    const hasBlanks = blanksInNumber.test(source);
    return (translation, context) => {
      const findings = compare(translation, context);
      if (findings.some(({ severity }) => severity === "error")) return findings;
      const fault =
        (isOfVue && !hasBare ? bareAt(translation) : undefined) ??
        (hasBlanks ? undefined : blanksAround(translation));
      return fault === undefined ? findings : [...findings, faultFinding(translation, fault)];
    };
  },
};

/** A link to another text, of vue-i18n: `@:key`, `@.lower:key`, `@:(key)`, `@:{'key'}`. */
const link = /(?<![\p{L}\p{N}])@(?:\.\w{1,50})?:(?:\{'([^'{}]*)'\}|\(([^(){}]*)\)|([\w-]+(?:\.[\w-]+)*))/gu;
/** What no other program than vue-i18n reads. */
const vueOnly = /\{'[^'{}]*'\}|(?<![\p{L}\p{N}])@(?:\.\w{1,50})?:[\w({]/u;

/** The fault of a sign @ that neither begins a link nor is quoted, which vue-i18n cannot compile. */
function bareAt(text: string): SyntaxFault | undefined {
  if (!text.includes("@")) return undefined;
  const rest = text.replaceAll(/\{'[^'{}]*'\}/g, (quoted) => " ".repeat(quoted.length));
  const at = rest.replaceAll(link, (whole) => " ".repeat(whole.length)).indexOf("@");
  if (at === -1) return undefined;
  return { fault: "@ begins a link to another text; write {'@'} for the sign", range: [at, at + 1] };
}

const blanksInNumber = /(?<!\{)\{(?:\s+\d+\s*(?:[,:][^{}]*)?|\d+\s+)\}/;

/** The fault of `{ 0}` and `{ 0:N2}`, at which .NET throws. */
function blanksAround(text: string): SyntaxFault | undefined {
  const match = blanksInNumber.exec(text);
  if (match === null) return undefined;
  const range = [match.index, match.index + match[0].length] as const;
  return { fault: `${match[0]} has blanks beside its number`, range };
}

/** A name or a number, and perhaps a format behind a comma, a colon or a pipe. */
const inner = /^\s*(?:([\p{L}\p{M}\p{Nd}_$.[\]@-]+)\s*)?(?:[,:|][^{}]*)?$/u;

function parseBrace(text: string): Message | SyntaxFault {
  const found: Argument[] = [];
  let unnamed = 0;
  const links = text.includes("@") ? Array.from(text.matchAll(link), toLink) : [];
  let plain = text;
  if (links.length > 0) plain = text.replaceAll(link, (whole) => " ".repeat(whole.length));
  const rest = plain.replaceAll(
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
  return strayBrace(rest) ?? { arguments: [...found, ...links], isCounted: isCounted && links.length === 0 };
}

function toLink({ 0: whole, 1: quoted, 2: bracketed, 3: bare, index }: RegExpExecArray): Argument {
  const key = quoted ?? bracketed ?? bare ?? "";
  return { name: `@:${key}`, kind: "text", range: [index, index + whole.length] };
}

function strayBrace(rest: string): SyntaxFault | undefined {
  const at = rest.search(/[{}]/);
  if (at === -1) return undefined;
  return { fault: `the brace ${rest[at] ?? ""} belongs to no argument`, range: [at, at + 1] };
}
