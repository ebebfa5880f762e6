/**
 * CSV for spreadsheets, after RFC 4180. A cell that begins with `=`, `+`, `-` or `@` would be run as a formula, so an
 * apostrophe goes before it, and is taken off again on the way back. The same is done within a cell wherever a
 * spreadsheet that expects another delimiter would begin a new one; it then never meets a formula either.
 */
import { FormatError } from "../format.ts";
import { decodeText, UnitCollector, type ExchangeUnit, type ReceivedDocument } from "./unit.ts";
import type { UnitState } from "./unit.ts";

const columns = ["file", "key", "source", "translation", "state", "note"] as const;
type Column = (typeof columns)[number];
const required: readonly Column[] = ["file", "key", "translation"];
const states = new Set<string>(["missing", "stale", "translated"] satisfies UnitState[]);

/**
 * Writes units as CSV: a line that names the columns, then a record each. A byte order mark comes first, without which
 * Excel does not read UTF-8.
 */
export function writeCsv(units: readonly ExchangeUnit[]): string {
  const records = units.map(({ notes = [], ...unit }) => {
    const note = [...notes, ...(unit.note === undefined ? [] : [unit.note])].join("\n");
    return toRecord(columns.map((column) => (column === "note" ? note : (unit[column] ?? ""))));
  });
  return `\u{FEFF}${toRecord(columns)}${records.join("")}`;
}

function toRecord(fields: readonly string[]): string {
  return `${fields.map(toField).join(",")}\r\n`;
}

/**
 * Reads a CSV file as spreadsheets write it: columns in any order, with commas, semicolons or tabs between them,
 * UTF-8 or UTF-16.
 * @throws FormatError when it is no CSV, or lacks a column.
 */
export function readCsv(bytes: Uint8Array): ReceivedDocument {
  const text = decodeText(bytes);
  // Excel's own way to name the delimiter.
  const start = /^sep=.\r?\n/.exec(text)?.[0].length ?? 0;
  const { delimiter, header } = findHeader(text, start);
  const position = new Map(columns.map((column) => [column, header.indexOf(column)]));
  const received = new UnitCollector();
  let isHeader = true;
  for (const { fields, line } of recordsOf(text, delimiter, start)) {
    if (isHeader || fields.every((field) => field === "")) {
      isHeader = false;
      continue;
    }
    if (fields.slice(header.length).some((field) => field !== "")) {
      throw new FormatError(`has ${fields.length} fields, more than the ${header.length} columns`, line);
    }
    const valueOf = (column: Column) => {
      const value = fields[position.get(column) ?? -1] ?? "";
      return value === "" ? undefined : unescapeFormulas(value);
    };
    const state = valueOf("state")?.trim().toLowerCase();
    received.add({
      file: valueOf("file") ?? "",
      key: valueOf("key") ?? "",
      source: valueOf("source"),
      translation: valueOf("translation"),
      state: isState(state) ? state : undefined,
      note: valueOf("note"),
      line,
    });
  }
  return received.end();
}

function isState(state: string | undefined): state is UnitState {
  return state !== undefined && states.has(state);
}

/** The start of a cell for some spreadsheet, and a character that makes it a formula (in East Asian width, too). */
const formulas = /(^|[,;\t\r\n]"*)('*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;
const escapedFormulas = /(^|[,;\t\r\n]"*)'('*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;

function toField(value: string): string {
  const escaped = value.replace(formulas, "$1'$2");
  // A space at the end of a cell is lost in some programs unless the cell is quoted.
  return /[",;\t\r\n]|^\s|\s$/.test(escaped) ? `"${escaped.replaceAll('"', '""')}"` : escaped;
}

function unescapeFormulas(value: string): string {
  return value.replace(escapedFormulas, "$1$2");
}

interface Header {
  readonly delimiter: string;
  readonly header: readonly string[];
}

/** Finds the delimiter with which the first record names all columns that are needed. */
function findHeader(text: string, start: number): Header {
  const headers = [",", ";", "\t"].map((delimiter) => ({
    delimiter,
    header: headerOf(text, delimiter, start),
  }));
  const found = headers.find(({ header }) => required.every((column) => header.includes(column)));
  const { delimiter, header } = found ??
    headers.toSorted((a, b) => b.header.length - a.header.length)[0] ?? {
      delimiter: ",",
      header: [],
    };
  const missing = required.filter((column) => !header.includes(column));
  if (missing.length > 0) {
    throw new FormatError(`has no column ${missing.join(", ")}: its first line must name the columns`, 1);
  }
  const twice = columns.find((column) => header.indexOf(column) !== header.lastIndexOf(column));
  if (twice !== undefined) throw new FormatError(`names the column ${twice} twice`, 1);
  return { delimiter, header };
}

function headerOf(text: string, delimiter: string, start: number): readonly string[] {
  try {
    const first = recordsOf(text, delimiter, start).next().value;
    return first?.fields.map((field) => field.trim().toLowerCase()) ?? [];
  } catch (error) {
    // With another delimiter it may be right.
    if (error instanceof FormatError) return [];
    throw error;
  }
}

interface CsvRecord {
  readonly fields: readonly string[];
  /** The line that it begins on. */
  readonly line: number;
}

/** Splits CSV into records, whatever their line ends. */
function* recordsOf(text: string, delimiter: string, start: number): Generator<CsvRecord, undefined> {
  const unquoted = new RegExp(`[^${delimiter}\r\n]*`, "y");
  let line = start === 0 ? 1 : 2;
  let fields: string[] = [];
  let recordLine = line;
  let at = start;

  function quotedField(): string {
    const startLine = line;
    let value = "";
    for (let from = at + 1; ;) {
      const end = text.indexOf('"', from);
      if (end === -1) throw new FormatError("has a quote that is not closed", startLine);
      value += text.slice(from, end);
      at = end + 1;
      if (text[at] !== '"') break;
      value += '"';
      from = at + 1;
    }
    line += value.match(/\r\n?|\n/g)?.length ?? 0;
    return value;
  }

  while (at < text.length) {
    if (text[at] === '"') fields.push(quotedField());
    else {
      unquoted.lastIndex = at;
      const [field = ""] = unquoted.exec(text) ?? [];
      fields.push(field);
      at += field.length;
    }
    const next = text[at];
    if (next === delimiter) {
      at++;
      // A delimiter at the very end has an empty field after it.
      if (at < text.length) continue;
      fields.push("");
    } else if (next === "\r" || next === "\n") {
      at += next === "\r" && text[at + 1] === "\n" ? 2 : 1;
      line++;
    } else if (next !== undefined) {
      throw new FormatError("has text after a closing quote", line);
    }
    yield { fields, line: recordLine };
    fields = [];
    recordLine = line;
  }
  return undefined;
}
