/** Printing of results, messages and tables. */
import { readableKey, toPrintableJson, unprintable } from "../../domain/text.ts";
import { output, writeResult } from "../program/output.ts";

/** Prints a result on stdout. */
export function print(line: string): void {
  writeResult(`${line}\n`);
}

/** Prints a message that is not the result on stderr. */
export function printNotice(line: string): void {
  output().stderr.write(`${line}\n`);
}

/** Prints rows as a table with aligned columns, or as JSON; control characters never reach the terminal. */
export function printList<T extends object>(
  rows: readonly T[],
  json: boolean,
  columns: Readonly<Record<string, (row: T) => string>>,
): void {
  if (json) return print(toPrintableJson(rows, 2));
  const { isTTY = false, columns: terminal = Infinity } = output().stdout;
  for (const line of toTable(rows, columns, isTTY ? terminal : Infinity)) print(line);
}

/**
 * The lines of a table with aligned columns.
 * @param width the longest a line may be, in characters; longer lines are cut and end with an ellipsis.
 */
export function toTable<T extends object>(
  rows: readonly T[],
  columns: Readonly<Record<string, (row: T) => string>>,
  width: number,
): readonly string[] {
  const titles = Object.keys(columns);
  const cells = rows.map((row) => Object.values(columns).map((cell) => printable(cell(row))));
  const widths = titles.map((title, i) =>
    Math.max(title.length, ...cells.map((line) => line[i]?.length ?? 0)),
  );
  return [titles, ...cells].map((line) => {
    const last = line.length - 1;
    const text = line.map((cell, i) => (i === last ? cell : cell.padEnd(widths[i] ?? 0))).join("  ");
    return cut(text.trimEnd(), width);
  });
}

function cut(text: string, width: number): string {
  // A character outside the basic plane is two UTF-16 units long; half of one must not be left at the end.
  return text.length <= width
    ? text
    : `${text.slice(0, Math.max(0, width - 1)).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** A text in which every character that a terminal might obey is replaced by U+FFFD, and keys are readable. */
export function printable(text: string): string {
  return readableKey(text).replaceAll(unprintable, "\u{fffd}");
}
