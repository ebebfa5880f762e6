/**
 * Tables as CSV, after RFC 4180. A cell that begins with `=`, `+`, `-` or `@` would be run as a formula, so an
 * apostrophe goes before it, and is taken off again on the way back. The same is done within a cell wherever a
 * spreadsheet that expects another delimiter would begin a new one; it then never meets a formula either.
 */
import { FormatError } from "../format.ts";
import { csvDelimiters, recordsOf, type CsvRecord } from "../patch/csv-records.ts";
import { decodeText } from "./unit.ts";

/**
 * Writes records as CSV, the names of the columns first. They begin with a byte order mark, without which Excel does not
 * read UTF-8.
 */
export function writeTable(records: Iterable<readonly string[]>): string {
  return `\u{FEFF}${Array.from(records, (fields) => `${fields.map(toField).join(",")}\r\n`).join("")}`;
}

interface TableRow {
  /** The value in a column; undefined where it is empty. */
  readonly valueOf: (column: string) => string | undefined;
  readonly line: number;
}

export interface CsvTable {
  /** The names of the columns in their order. */
  readonly header: readonly string[];
  readonly rows: Iterable<TableRow>;
}

/**
 * Reads a CSV file as spreadsheets write it: columns in any order, with commas, semicolons or tabs between them, UTF-8
 * or UTF-16. Records in which nothing stands are left out.
 * @param required columns that it must have, by which its delimiter is found.
 * @param toName makes a column's name of what stands in the first record.
 * @throws FormatError when it is no CSV, lacks a column, or names one twice; the rows throw it, too.
 */
export function readTable(
  bytes: Uint8Array,
  required: readonly string[],
  toName: (text: string) => string = (text) => text,
): CsvTable {
  const text = decodeText(bytes);
  // Excel's own way to name the delimiter.
  const start = /^sep=.\r?\n/.exec(text)?.[0].length ?? 0;
  const headers = csvDelimiters.map((delimiter) => ({
    delimiter,
    header: headerOf(text, delimiter, start).map(toName),
  }));
  const found = headers.find(({ header }) => required.every((column) => header.includes(column)));
  const longest = headers.toSorted((a, b) => b.header.length - a.header.length)[0];
  const { delimiter, header } = found ?? longest ?? { delimiter: ",", header: [] };
  const missing = required.filter((column) => !header.includes(column));
  if (missing.length > 0) {
    throw new FormatError(`has no column ${missing.join(", ")}: its first line must name the columns`, 1);
  }
  const twice = header.find((column, i) => column !== "" && header.lastIndexOf(column) !== i);
  if (twice !== undefined) throw new FormatError(`names the column ${twice} twice`, 1);
  return { header, rows: rowsOf(recordsOf(text, delimiter, start), header) };
}

function* rowsOf(records: Iterable<CsvRecord>, header: readonly string[]): Generator<TableRow> {
  const position = new Map(header.map((column, i) => [column, i]));
  let isHeader = true;
  for (const { fields: cells, line } of records) {
    const fields = cells.map(({ text }) => text);
    const isSkipped = isHeader || fields.every((field) => field === "");
    isHeader = false;
    if (isSkipped) continue;
    if (fields.slice(header.length).some((field) => field !== "")) {
      throw new FormatError(`has ${fields.length} fields, more than the ${header.length} columns`, line);
    }
    const valueOf = (column: string): string | undefined => {
      const value = fields[position.get(column) ?? -1] ?? "";
      return value === "" ? undefined : value.replace(escapedFormulas, "$1$2");
    };
    yield { valueOf, line };
  }
}

/** The start of a cell for some spreadsheet, and a character that makes it a formula (in East Asian width, too). */
const formulas = /(^|[,;\t\r\n]"*)('*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;
const escapedFormulas = /(^|[,;\t\r\n]"*)'('*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;

function toField(value: string): string {
  const escaped = value.replace(formulas, "$1'$2");
  // A space at the end of a cell is lost in some programs unless the cell is quoted.
  return /[",;\t\r\n]|^\s|\s$/.test(escaped) ? `"${escaped.replaceAll('"', '""')}"` : escaped;
}

function headerOf(text: string, delimiter: string, start: number): readonly string[] {
  try {
    const first = recordsOf(text, delimiter, start).next().value;
    return first?.fields.map(({ text: field }) => field.trim()) ?? [];
  } catch (error) {
    // With another delimiter it may be right.
    if (error instanceof FormatError) return [];
    throw error;
  }
}
