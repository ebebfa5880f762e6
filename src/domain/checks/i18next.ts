/** i18next's texts: `{{name}}`, `{{name, format}}`, `{{- name}}` without escaping, and `$t(key)` for another text. */
import { defineSyntax } from "./arguments.ts";
import type { Argument, Message, SyntaxFault } from "./message.ts";
import { singleBraces, strayBraces } from "./near-misses.ts";

/** Formats of one group take the same kind of value. */
const formatKinds: Readonly<Record<string, string>> = {
  number: "number",
  currency: "number",
  datetime: "date",
  relativetime: "relative time",
  list: "list",
};

export const i18next = defineSyntax({
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
});

function parseI18next(text: string): Message | SyntaxFault {
  const found: Argument[] = [];
  const rest = text.replaceAll(/\{\{([^{}]*)\}\}/g, (whole, inner: string, at: number) => {
    const isRaw = inner.trimStart().startsWith("-");
    const [name = "", format = ""] = inner
      .trimStart()
      .slice(isRaw ? 1 : 0)
      .split(",", 2);
    const formatName = format.trim().replace(/\(.*$/s, "");
    const kind = formatKinds[formatName] ?? (formatName === "" ? "any" : `format ${formatName}`);
    found.push({
      name: name.trim(),
      kind: isRaw ? `${unescaped}${kind}` : kind,
      range: [at, at + whole.length],
    });
    return " ".repeat(whole.length);
  });
  for (const { 0: whole, 1: key = "", index } of text.matchAll(/\$t\(([^(),{}]*)/g)) {
    found.push({ name: `$t(${key.trim()})`, kind: "text", range: [index, index + whole.length] });
  }
  return strayBraces(rest, "{{", "}}") ?? { arguments: found };
}

const unescaped = "unescaped ";

function isUnescaped(kind: string): boolean {
  return kind.startsWith(unescaped);
}

function isPlain(kind: string): boolean {
  return kind.endsWith("any");
}
