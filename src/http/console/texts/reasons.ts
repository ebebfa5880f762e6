/**
 * What is wrong with a form, in the language of the page. Errors say it in English, which programs match and logs keep: each
 * English text of the group `reason` is the pattern of such messages, and its text in another language has their values.
 */
import { sourceCatalogue } from "./catalogues.ts";
import { isInEnglish, t, textIn, textKey, textsIn, type TextKey } from "./texts.ts";

interface Pattern {
  readonly key: TextKey;
  readonly message: RegExp;
  /** The length of what it says by itself: of several that fit, the longest says most. */
  readonly said: number;
}

/** What a placeholder may stand for, where that is less than any text. */
const kinds: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["n", "most", "width", "height", "line"].map((name) => [name, String.raw`\d[\d,.]*`]),
  ),
  words: String.raw`[\w.*/-]+(?:, [\w.*/-]+)*(?:,? or [\w.*/-]+)?`,
};

/** What is said where no pattern fits. */
const otherKey = "reason.other";

let patterns: readonly Pattern[] | undefined;

function allPatterns(): readonly Pattern[] {
  patterns ??= textsIn("reason")
    .map(([name]) => `reason.${name}`)
    .filter((key) => key !== otherKey)
    .map((key) => patternOf(textKey(key), sourceCatalogue.texts[key] ?? ""))
    .toSorted((a, b) => b.said - a.said);
  return patterns;
}

function patternOf(key: TextKey, text: string): Pattern {
  const parts = text.split(/\{(\w+)\}/);
  const said = parts.filter((_, i) => i % 2 === 0);
  const source = parts.map((part, i) =>
    i % 2 === 0
      ? part.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)
      : `(?<${part}>${kinds[part] ?? ".+?"})`,
  );
  return { key, message: new RegExp(`^${source.join("")}$`, "s"), said: said.join("").length };
}

/** A message in the language of the page; undefined for one of which no text is the pattern. */
export function reasonOf(message: string): string | undefined {
  const whole = patterned(message);
  if (whole !== undefined) return whole;
  // What is wrong with one of several files follows its name.
  const [, file, problem = ""] = /^(\S+) (.+)$/s.exec(message) ?? [];
  const reason = patterned(problem);
  return reason === undefined ? undefined : `${file} ${reason}`;
}

function patterned(message: string): string | undefined {
  for (const { key, message: pattern } of allPatterns()) {
    const found = pattern.exec(message);
    if (found !== null) return t(key, shownValues(found.groups ?? {}));
  }
  return undefined;
}

/** Numbers are written as the reader writes them; a value may be a message by itself. */
function shownValues(values: Readonly<Record<string, string>>): Readonly<Record<string, string | number>> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      if (kinds[name] === kinds["n"]) return [name, Number(value.replaceAll(",", ""))];
      return [name, name === "text" ? (reasonOf(value) ?? value) : value];
    }),
  );
}

/** What is wrong with a field, in the language of the page. @param problem as the error says it, without the member. */
export function reasonNow(problem: string): string {
  if (isInEnglish()) return problem;
  return reasonOf(problem) ?? t(otherKey, { text: problem });
}

/** What happened elsewhere, such as to a push: in the language of the page where there is a text of it, else as it was said. */
export function saidNow(message: string): string {
  return isInEnglish() ? message : (reasonOf(message) ?? message);
}

/** The message of an error in the language of the page: as exactly as there is a text, or else what its code means. */
export function messageNow({ message, code }: { readonly message: string; readonly code: string }): string {
  if (isInEnglish()) return message;
  return reasonOf(message) ?? textIn("error-code", code) ?? message;
}
