/** Rules and helpers for plain text that several parts of the domain share. */

/** Why a text or a key cannot be stored unchanged by git and JSON; undefined when it can. */
export function textProblem(text: string): string | undefined {
  if (!text.isWellFormed()) return "must not contain a lone surrogate (half of a UTF-16 pair)";
  if (text.includes("\0")) return "must not contain a NUL character";
  return undefined;
}

/** Compares two strings by their UTF-8 bytes, as git orders names. Negative when `a` comes first. */
export function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/**
 * Characters that a terminal or viewer could interpret instead of showing: control and format characters, and line ends.
 * Joiners are not among them, because some scripts need them for spelling.
 */
export const unprintable = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** Stands behind the context in the keys of gettext's messages, as in its compiled files, and between the parts of Qt's. */
export const contextSeparator = "\u0004";

/** A key for people, with a bar behind the context of its message: `menu|Open`. */
export function readableKey(key: string): string {
  return key.replaceAll(contextSeparator, "|");
}

/** A value as JSON in which {@link unprintable} characters are escaped, beyond those that JSON escapes itself. */
export function toPrintableJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replaceAll(unprintable, (character) =>
    character === "\n" ? character : escaped(character),
  );
}

/** A character as JSON escapes it, and those that JSON does not escape. */
function escaped(character: string): string {
  const json = JSON.stringify(character).slice(1, -1);
  return json === character ? escapeUnits(character) : json;
}

/** Writes UTF-16 units by their numbers: `\u00e9`. @param letter follows the backslash. */
export function escapeUnits(text: string, letter: "u" | "U" = "u"): string {
  return Array.from({ length: text.length }, (_, i) => {
    const unit = text.charCodeAt(i).toString(16);
    return `\\${letter}${unit.padStart(4, "0")}`;
  }).join("");
}

/**
 * A whole message of another program as one line: {@link unprintable} characters are escaped, and it is cut after
 * `limit` characters. Quotes stay as they are, other than in an {@link excerpt}.
 */
export function toOneLine(message: string, limit: number): string {
  const shown = message.length > limit ? `${message.slice(0, limit)}…` : message;
  return shown.toWellFormed().replaceAll(unprintable, escaped);
}

/**
 * A text for one line of a message: {@link unprintable} characters are escaped, and it is cut after `limit` characters.
 */
export function excerpt(text: string, limit = 120): string {
  const shown = text.length > limit ? `${text.slice(0, limit)}…` : text;
  return toPrintableJson(shown.toWellFormed()).slice(1, -1);
}

/** The line of an offset in a text, counted from 1. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line++;
  return line;
}

/** Where a match of a sticky expression at an offset ends; undefined when there is none. */
export function matchEnd(expression: RegExp, text: string, offset: number): number | undefined {
  expression.lastIndex = offset;
  return expression.test(text) ? expression.lastIndex : undefined;
}

/** `1 string`, `2 strings`. */
export function counted(n: number, noun: string): string {
  return n === 1 ? `1 ${noun}` : `${n} ${noun}${noun.endsWith("ch") ? "es" : "s"}`;
}

/** Formats seconds since 1970 as ISO 8601 in UTC. Times out of range become the first or last possible time. */
export function toTimestamp(seconds: number): string {
  const last = 253_402_300_799;
  return new Date(Math.min(Math.max(seconds, 0), last) * 1000).toISOString().replace(".000", "");
}

/**
 * A text as a browser sends it, with the line ends of a model: the first one that has any.
 * @param models the text that it replaces, and others like it. One that differs in line ends alone stays as it is.
 */
export function withLineEnds(text: string, models: readonly (string | undefined)[]): string {
  const [present] = models;
  if (present?.replaceAll(/\r\n?/g, "\n") === text) return present;
  const [lineEnd] = models.flatMap((model) => /\r\n?|\n/.exec(model ?? "")?.[0] ?? []);
  return lineEnd === undefined ? text : text.replaceAll("\n", lineEnd);
}

/** Whether a text has plural forms in it, separated by `|`: two or more, each with the placeholder `{count}`. */
export function isPlural(text: string): boolean {
  return text.includes("|") && text.split("|").every((form) => form.includes("{count}"));
}
