/** i18next's texts: `{{name}}`, `{{name, format}}`, `{{- name}}` without escaping, and `$t(key)` for another text. */
import { defineSyntax } from "./arguments.ts";
import type { Argument, Message, MessageSyntax, SyntaxFault, TextRange } from "./message.ts";
import { ownMember } from "../record.ts";
import { singleBraces, strayBraces } from "./near-misses.ts";

/** Formats of one group take the same kind of value. */
const formatKinds: Readonly<Record<string, string>> = {
  number: "number",
  currency: "number",
  datetime: "date",
  relativetime: "relative time",
  list: "list",
};

export const i18next: MessageSyntax = {
  ...defineSyntax({
    special: /\{\{|\}\}|\$t\(/,
    isStrict: true,
    rules: {
      missing: "warning",
      // Without a format the value is shown as it is.
      areCompatible: (source, translation) =>
        isUnescaped(source) === isUnescaped(translation) && (isPlain(source) || isPlain(translation)),
      nearMiss: singleBraces,
    },
    parse: parseI18next,
  }),
  hasNamedTags: true,
};

const argument = /\{\{([^{}]*)\}\}/g;

/** The branches of Go's templates. */
const template = /\{\{-?\s*(?:if|range|with)\s/;
const control = /^-?\s*(?:if|else|end|range|with)\b/;

/** Most texts with arguments are of this syntax, so that it avoids what takes long: callbacks, lists, copies. */
function parseI18next(text: string): Message | SyntaxFault {
  const found: Argument[] = [];
  let stray: SyntaxFault | undefined;
  let end = 0;
  const hasControl = template.test(text);
  argument.lastIndex = 0;
  for (let match = argument.exec(text); match !== null; match = argument.exec(text)) {
    const { 0: whole, 1: inner = "", index } = match;
    stray ??= strayBraces(text, end, index);
    end = index + whole.length;
    if (hasControl && control.test(inner)) continue;
    found.push(toArgument(inner, [index, end]));
  }
  stray ??= strayBraces(text, end, text.length);
  if (stray !== undefined) return stray;
  if (!text.includes("$t(")) return { arguments: found };
  for (const { 0: whole, 1: key = "", index } of text.matchAll(/\$t\(([^(),{}]*)(?:,[^()]*)?\)?/g)) {
    found.push({ name: `$t(${key.trim()})`, kind: "text", range: [index, index + whole.length] });
  }
  return { arguments: found };
}

function toArgument(inner: string, range: TextRange): Argument {
  const start = inner.trimStart();
  const isRaw = start.startsWith("-");
  const comma = start.indexOf(",");
  const name = start.slice(isRaw ? 1 : 0, comma === -1 ? undefined : comma).trim();
  const kind = comma === -1 ? "any" : kindOf(start.slice(comma + 1));
  return { name, kind: isRaw ? `${unescaped}${kind}` : kind, range };
}

/** @param format as it stands behind the comma, such as `number(maximumFractionDigits: 2)`. */
function kindOf(format: string): string {
  const [first = ""] = format.split(",", 1);
  const name = first.trim().replace(/\(.*$/s, "");
  return ownMember(formatKinds, name) ?? (name === "" ? "any" : `format ${name}`);
}

const unescaped = "unescaped ";

function isUnescaped(kind: string): boolean {
  return kind.startsWith(unescaped);
}

function isPlain(kind: string): boolean {
  return kind.endsWith("any");
}
