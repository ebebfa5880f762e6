/** Printing of results, messages and tables. */
import { readableKey, toPrintableJson, unprintable } from "../../domain/text.ts";
import { output, writeResult } from "../program/output.ts";
import { columnsOf, cutColumns, padColumns } from "./width.ts";

/** Prints a result on stdout. */
export function print(line: string): void {
  writeResult(`${line}\n`);
}

/** Prints a message that is not the result on stderr. */
export function printNotice(line: string): void {
  output().stderr.write(`${line}\n`);
}

/**
 * Prints rows as a table with aligned columns, or as JSON; control characters never reach the terminal, and a table is cut
 * to its width.
 */
export function printList<T extends object>(rows: readonly T[], json: boolean, columns: Columns<T>): void {
  if (json) return print(toPrintableJson(rows, 2));
  for (const line of toTable(rows, columns, terminalWidth())) print(line);
}

/** What stands in the columns of a table, by their titles. */
export type Columns<T> = Readonly<Record<string, (row: T) => string>>;

/** The columns of the terminal that results are printed on; without one, or where it says 0, nothing is cut. */
function terminalWidth(): number {
  const { isTTY = false, columns = 0 } = output().stdout;
  return isTTY && columns > 0 ? columns : Infinity;
}

/**
 * The lines of a table with aligned columns.
 * @param width the most columns of the terminal that a line may take; longer lines are cut and end with an ellipsis.
 */
export function toTable<T extends object>(
  rows: readonly T[],
  columns: Columns<T>,
  width: number,
): readonly string[] {
  const cells = rows.map((row) => Object.values(columns).map((cell) => cell(row)));
  return alignCells([Object.keys(columns), ...cells], width);
}

/** Lines whose cells begin in the same columns of the terminal. @param width as in {@link toTable}. */
function alignCells(lines: readonly (readonly string[])[], width: number): readonly string[] {
  const shown = lines.map((cells) => cells.map(printable));
  const widths: number[] = [];
  for (const cells of shown)
    for (const [i, cell] of cells.slice(0, -1).entries())
      widths[i] = Math.max(widths[i] ?? 0, columnsOf(cell));
  return shown.map((cells) => {
    const padded = cells.map((cell, i) => (i === cells.length - 1 ? cell : padColumns(cell, widths[i] ?? 0)));
    return cutColumns(padded.join("  ").trimEnd(), width);
  });
}

/** A text in which every character that a terminal might obey is replaced by U+FFFD, and keys are readable. */
export function printable(text: string): string {
  return readableKey(text).replaceAll(unprintable, "\u{fffd}");
}
