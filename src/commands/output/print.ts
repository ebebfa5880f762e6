/** Printing of results, messages and tables. */
import { readableKey, toPrintableJson, unprintable } from "../../domain/text.ts";
import { output, writeResult } from "../program/output.ts";
import { relativeTime } from "./times.ts";
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
 * Prints rows as a table with aligned columns, or as JSON; control characters never reach the terminal. On a terminal a
 * table is cut to its width, and says how long ago its times were. No table is printed of no rows.
 * @param empty what stderr then says: what there is none of, and the command that makes one.
 * @param now milliseconds since 1970.
 */
export function printList<T extends object>(
  rows: readonly T[],
  json: boolean,
  columns: Columns<T>,
  { empty = "There is nothing to list.", now = Date.now() }: ListOptions = {},
): void {
  if (json) return print(toPrintableJson(rows, 2));
  if (rows.length === 0) return printNotice(printable(empty));
  const shown = output().stdout.isTTY === true ? withAges(columns, now) : columns;
  for (const line of toTable(rows, shown, terminalWidth())) print(line);
}

interface ListOptions {
  readonly empty?: string;
  readonly now?: number;
}

/** What stands in the columns of a table, by their titles. */
export type Columns<T> = Readonly<Record<string, (row: T) => string>>;

function withAges<T>(columns: Columns<T>, now: number): Columns<T> {
  const cells = Object.entries(columns).map(([title, cell]) => [
    title,
    (row: T) => relativeTime(cell(row), now),
  ]);
  return Object.fromEntries(cells);
}

/** A number in a table: nothing for zero, so that the others stand out. */
export function nonZero(n: number): string {
  return n === 0 ? "" : String(n);
}

/** The columns of the terminal that results are printed on; without one, or where it says 0, nothing is cut. */
export function terminalWidth(): number {
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
export function alignCells(lines: readonly (readonly string[])[], width: number): readonly string[] {
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
