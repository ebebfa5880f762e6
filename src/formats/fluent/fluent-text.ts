/** Patterns of Fluent as they stand in a file. */
import { FormatError } from "../patch/format-error.ts";
import { readFluentFile } from "./fluent-file.ts";

/** Why a file cannot hold a text; see `problemIn` of a format. */
export function fluentProblem(text: string): string | undefined {
  return text === "" || isPattern(text)
    ? undefined
    : "is no pattern of Fluent: it has blanks or line ends at its ends, or its placeables cannot be read";
}

function isPattern(text: string): boolean {
  try {
    const [entry, ...others] = readFluentFile(`x =${written(text, "\n")}\n`);
    return others.length === 0 && entry?.attributes.length === 0 && entry.value?.text === text;
  } catch (error) {
    if (error instanceof FormatError) return false;
    throw error;
  }
}

/** What stands before the lines below the first one of an entry. */
export const indent = "    ";

/** Where such a character begins a line, Fluent's renderer takes it for indentation, and its syntax as text. */
export const oddBlank = /^[^\S ]/;

/** A text behind an equals sign: on that line, or on lines below it where all of these are indented anyway. */
export function written(text: string, lineEnd: string, outer = ""): string {
  const [first = "", ...rest] = text.split("\n");
  const isIndented = rest.length > 0 && rest.every((line) => line === "" || line.startsWith(" "));
  const isBlock = isIndented && !oddBlank.test(first);
  const lines = rest.map((line) => (line === "" ? "" : outer + indent + line));
  return (isBlock ? lineEnd + outer + indent : " ") + [first, ...lines].join(lineEnd);
}
