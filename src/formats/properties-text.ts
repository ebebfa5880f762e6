/** Keys and texts of Java's `.properties`, with and without escapes. */
import { escapeByName, escapeUnits, pickEscapes, unescape } from "./patch/escapes.ts";

/** How a file writes characters that are not ASCII. */
export interface PropertiesStyle {
  /** Whether everything but ASCII is escaped. */
  readonly isEscaped: boolean;
}

const namedEscapes = pickEscapes("ntrf");

// A continued line goes on after the blanks at its start.
const escape = /\\(?:u([0-9A-Fa-f]{4})|(\r?\n[ \t\f]*)|([^])|$)/g;

/**
 * Reads a key or text with its escapes and continued lines.
 * @returns undefined when an escape is incomplete.
 */
export function readProperty(raw: string): string | undefined {
  return unescape(raw, escape, (code, continued, character) => {
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
    if (continued !== undefined) return "";
    return character === undefined || character === "u"
      ? undefined
      : (namedEscapes.get(character) ?? character);
  });
}

/** Writes a text. */
export function writePropertyText(text: string, style: PropertiesStyle): string {
  return escapeControls(text.replaceAll("\\", String.raw`\\`).replace(/^ /, String.raw`\ `), style);
}

/** Writes a key. */
export function writePropertyKey(key: string, style: PropertiesStyle): string {
  return escapeControls(key.replaceAll(/[\\ :=#!]/g, String.raw`\$&`), style);
}

function escapeControls(text: string, { isEscaped }: PropertiesStyle): string {
  const named = text.replaceAll(/[\n\t\r\f]/g, (control) => escapeByName(namedEscapes, control) ?? control);
  // Some editors take U+2028 and U+2029 as line ends.
  const other = isEscaped ? /[^ -~]/g : /[\p{Cc}\u2028\u2029\ufeff]/gu;
  return named.replaceAll(other, (unit) => escapeUnits(unit));
}
