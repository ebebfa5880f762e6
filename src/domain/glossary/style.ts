/** The style of a locale: how to address the reader, the tone, the punctuation. */
import { invalid } from "../errors.ts";
import { counted, unprintable } from "../text.ts";

/** The longest text of a style, in characters. */
export const maxStyle = 4_000;

/**
 * The text of a style as it is stored: without blanks at its end, and with one kind of line ends.
 * @throws SkepError `invalid` on `text`.
 */
export function toStyle(given: string): string {
  const problem = styleProblem(given);
  if (problem !== undefined) throw invalid("text", problem);
  return given.replaceAll("\r\n", "\n").trim();
}

/** Why a text can be no style; undefined when it can. */
export function styleProblem(text: string): string | undefined {
  // Counted only where it is not much longer: characters take up to two units.
  if (text.length > 2 * maxStyle || Array.from(text).length > maxStyle)
    return `must be at most ${counted(maxStyle, "character")}`;
  if (!text.isWellFormed()) return "must not contain a lone surrogate (half of a UTF-16 pair)";
  if (text.replaceAll(/[\n\r\t]/g, "").search(unprintable) !== -1)
    return "must not contain control or format characters";
  return undefined;
}
