/** Makes stored texts safe for the terminal, and colours differences. */
import { diffWords, type WordRun } from "../../domain/strings/word-diff.ts";
import { printable } from "./print.ts";

const codes = { red: 31, green: 32, yellow: 33, dim: 2, bold: 1 } as const;
type Style = keyof typeof codes;

export type Paint = (style: Style, text: string) => string;

/** Colours texts on a terminal, unless `NO_COLOR` is set (no-color.org); otherwise it returns them unchanged. */
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
  return printable(text.toWellFormed().replaceAll("\n", "\\n").replaceAll("\t", "\\t"));
}

/**
 * The difference of two texts word by word: removed words in red and added words in green, or without colours
 * `[-removed-]` and `{+added+}`.
 */
export function wordDiff(before: string | null, after: string | null, paint: Paint | undefined): string {
  const marked = ({ kind, text }: WordRun): string => {
    const shown = onOneLine(text);
    if (kind === "same") return shown;
    if (paint !== undefined) return paint(kind === "gone" ? "red" : "green", shown);
    return kind === "gone" ? `[-${shown}-]` : `{+${shown}+}`;
  };
  // An empty text that is added or removed would be invisible.
  if (before === null && after === "") return marked({ kind: "new", text: "" });
  if (before === "" && after === null) return marked({ kind: "gone", text: "" });
  return diffWords(before ?? "", after ?? "")
    .map(marked)
    .join("");
}
