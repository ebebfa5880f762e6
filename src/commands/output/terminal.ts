/** What people see of texts that others wrote: coloured where that helps, and never a command to the terminal. */
import { unprintable } from "../../domain/text.ts";
import { diffWords, type WordRun } from "../../domain/strings/word-diff.ts";

const codes = { red: 31, green: 32, yellow: 33, dim: 2, bold: 1 } as const;
type Style = keyof typeof codes;

/** Gives a text a style. */
export type Paint = (style: Style, text: string) => string;

/** Paints for a terminal, unless `NO_COLOR` is set (no-color.org); leaves texts as they are for anything else. */
export function paintFor(
  stream: { readonly isTTY?: boolean },
  environment: NodeJS.ProcessEnv,
): Paint | undefined {
  const { NO_COLOR: noColor = "", TERM: term } = environment;
  if (stream.isTTY !== true || noColor !== "" || term === "dumb") return undefined;
  return (style, text) => `\u001b[${codes[style]}m${text}\u001b[0m`;
}

/** A text on one line: line breaks and tabs as `\n` and `\t`, other control characters replaced. */
export function onOneLine(text: string): string {
  return text
    .toWellFormed()
    .replaceAll("\n", "\\n")
    .replaceAll("\t", "\\t")
    .replaceAll(unprintable, "\u{fffd}");
}

/**
 * How one text became another, word by word: what went in red and what came in green, or without colours
 * `[-went-]` and `{+came+}`.
 */
export function wordDiff(before: string | null, after: string | null, paint: Paint | undefined): string {
  const marked = ({ kind, text }: WordRun): string => {
    const shown = onOneLine(text);
    if (kind === "same") return shown;
    if (paint !== undefined) return paint(kind === "gone" ? "red" : "green", shown);
    return kind === "gone" ? `[-${shown}-]` : `{+${shown}+}`;
  };
  // An empty text that comes or goes would be nothing to see.
  if (before === null && after === "") return marked({ kind: "new", text: "" });
  if (before === "" && after === null) return marked({ kind: "gone", text: "" });
  return diffWords(before ?? "", after ?? "")
    .map(marked)
    .join("");
}
