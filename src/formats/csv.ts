/**
 * CSV with a column for each locale, as Godot and others have it. One file has the texts of all locales, and the rows have
 * their keys in the first column.
 */
import type { AppNote } from "../domain/notes/note.ts";
import { FormatError, textFormat, type FileContext, type FileEdit } from "./format.ts";
import { csvDelimiters, recordsOf, type CsvField } from "./patch/csv-records.ts";
import { joinNotes, textNote } from "./patch/notes.ts";
import { lineEndOf } from "./patch/source-text.ts";
import { SpliceWriter } from "./patch/splices.ts";
import { fileRoot, toParsedFile, type Entry } from "./patch/tree.ts";

export const csv = textFormat({
  parse(text, { locale, sourceLocale }) {
    const table = readTable(text);
    const areKeysTexts = table.header[0] === sourceLocale;
    const column = areKeysTexts && locale === sourceLocale ? 0 : columnOf(table, locale);
    if (!areKeysTexts && columnOf(table, sourceLocale) === undefined)
      throw new FormatError(`has no column ${sourceLocale}: its first line must name the locales`, 1);
    const isSource = locale === sourceLocale;
    const entries = table.rows.flatMap((row): Entry[] => {
      const field = column === undefined ? undefined : row.fields[column];
      if (field === undefined || (field.text === "" && !isSource)) return [];
      const { start, end } = field;
      const node = { kind: "text" as const, text: fromField(field.text, table), start, end };
      return [{ name: row.key, start, end, node, note: () => noteOf(row, table) }];
    });
    return toParsedFile(fileRoot(text, entries), text);
  },
  write: (edit, context) => new CsvWriter(edit, context).write(),
  unplaced({ template, texts }) {
    const keys = new Set(readTable(template).rows.map(({ key }) => key));
    return [...texts.keys()].filter((key) => !keys.has(key));
  },
  locales: (text) =>
    readTable(text)
      .header.slice(1)
      .filter((name) => isCode(name)),
});

interface Row {
  readonly key: string;
  readonly fields: readonly CsvField[];
}

interface Table {
  readonly delimiter: string;
  /** The names of the columns. */
  readonly header: readonly string[];
  readonly lineEnd: string;
  /** All records with something in them, the first one included. */
  readonly records: readonly (readonly CsvField[])[];
  /** The records with keys. */
  readonly rows: readonly Row[];
}

/** @throws FormatError when the file is no CSV, names a column twice, or has a field without a column. */
function readTable(text: string): Table {
  const lineEnd = lineEndOf(text);
  const headers = csvDelimiters.map((delimiter) => ({ delimiter, header: headerOf(text, delimiter) }));
  const [longest] = headers.toSorted((a, b) => b.header.length - a.header.length);
  const { delimiter, header } = longest ?? { delimiter: ",", header: [] };
  const seen = new Set<string>();
  for (const name of header) {
    if (name !== "" && seen.has(name)) throw new FormatError(`names the column ${name} twice`, 1);
    seen.add(name);
  }
  const full: (readonly CsvField[])[] = [];
  for (const { fields, line } of recordsOf(text, delimiter, 0)) {
    if (fields.every((field) => field.text === "")) continue;
    if (fields.slice(header.length).some((field) => field.text !== ""))
      throw new FormatError(`has ${fields.length} fields, more than the ${header.length} columns`, line);
    full.push(fields);
  }
  // Godot's names of what is no text begin with a question mark.
  const rows = full.slice(1).flatMap((fields): Row[] => {
    const key = fields[0]?.text ?? "";
    return key === "" || key.startsWith("?") ? [] : [{ key, fields }];
  });
  return { delimiter, header, lineEnd, records: full, rows };
}

function headerOf(text: string, delimiter: string): readonly string[] {
  try {
    for (const { fields } of recordsOf(text, delimiter, 0))
      if (fields.some((field) => field.text !== "")) return fields.map((field) => field.text.trim());
  } catch (error) {
    // With another delimiter it may be right.
    if (!(error instanceof FormatError)) throw error;
  }
  return [];
}

/** The column of a locale; the first one has the keys. */
function columnOf({ header }: Table, locale: string): number | undefined {
  const at = header.indexOf(locale, 1);
  return at === -1 ? undefined : at;
}

function isCode(name: string): boolean {
  return /^[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]+)*$/.test(name);
}

const noteNames = /^[_?]?(?:comments?|contexts?|descriptions?|notes?)$/i;

function noteOf({ fields }: Row, { header }: Table): AppNote | undefined {
  return joinNotes(
    ...header.map((name, i) => (i > 0 && noteNames.test(name) ? textNote(fields[i]?.text) : undefined)),
  );
}

/** A line end within a field is that of the file, which stands for a line feed. */
function fromField(text: string, { lineEnd }: Table): string {
  return lineEnd === "\n" ? text : text.replaceAll(lineEnd, "\n");
}

class CsvWriter extends SpliceWriter {
  readonly #table: Table;
  readonly #context: FileContext;

  constructor(edit: FileEdit<string>, context: FileContext) {
    super(edit);
    this.#table = readTable(this.text);
    this.#context = context;
  }

  write(): string {
    const { texts, removed } = this.edit;
    const { header, rows, records } = this.#table;
    const { locale } = this.#context;
    const column = columnOf(this.#table, locale);
    const isNeeded = rows.some(({ key }) => (texts.get(key) ?? "") !== "");
    // Where the keys are the texts of the source, these cannot change.
    if ((column === undefined && !isNeeded) || header[0] === locale) return this.text;
    const at = column ?? header.length;
    const keys = new Map(rows.map(({ key, fields }) => [fields, key]));
    for (const [i, fields] of records.entries()) {
      const key = keys.get(fields);
      const own = key === undefined ? undefined : (texts.get(key) ?? (removed.has(key) ? "" : undefined));
      const text = i === 0 && column === undefined ? locale : own;
      const field = fields[at];
      if (field !== undefined) {
        if (text !== undefined && text !== fromField(field.text, this.#table))
          this.replace(field, this.#written(text, field));
      } else if (column === undefined || (text ?? "") !== "") this.#append(fields, at, text ?? "");
    }
    return this.end();
  }

  /** Adds a field behind the last one of a record, and empty ones between. */
  #append(fields: readonly CsvField[], at: number, text: string): void {
    const last = fields.at(-1)?.end ?? 0;
    const like = fields[columnOf(this.#table, this.#context.sourceLocale) ?? 0];
    const gaps = this.#table.delimiter.repeat(Math.max(0, at - fields.length + 1));
    this.insert(last, gaps + (text === "" ? "" : this.#written(text, like)));
  }

  /** @param like a field that is quoted as the new one is. */
  #written(text: string, like: CsvField | undefined): string {
    const { delimiter, lineEnd } = this.#table;
    const isQuoted = like !== undefined && this.text[like.start] === '"';
    const needsQuotes = /["\r\n]|^\s|\s$/.test(text) || text.includes(delimiter);
    if (!isQuoted && !needsQuotes) return text;
    return `"${text.replaceAll("\n", lineEnd).replaceAll('"', '""')}"`;
  }
}
