/** The records of CSV, after RFC 4180, with the places of their fields. */
import { FormatError } from "./format-error.ts";
import type { Span } from "./nodes.ts";

export const csvDelimiters = [",", ";", "\t"] as const;

/** A field, with its quotes. */
export interface CsvField extends Span {
  readonly text: string;
}

export interface CsvRecord {
  readonly fields: readonly CsvField[];
  readonly line: number;
}

/**
 * Splits CSV into records, whatever their line ends.
 * @param start where the first record starts.
 * @throws FormatError when a quote is not closed, or closed too early; at the record that has it.
 */
export function* recordsOf(text: string, delimiter: string, start: number): Generator<CsvRecord, undefined> {
  const unquoted = new RegExp(`[^${delimiter}\r\n]*`, "y");
  let line = start === 0 ? 1 : 2;
  let fields: CsvField[] = [];
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
    const from = at;
    if (text[at] === '"') fields.push({ text: quotedField(), start: from, end: at });
    else {
      unquoted.lastIndex = at;
      const [field = ""] = unquoted.exec(text) ?? [];
      at += field.length;
      fields.push({ text: field, start: from, end: at });
    }
    const next = text[at];
    if (next === delimiter) {
      at++;
      // A delimiter at the very end has an empty field after it.
      if (at < text.length) continue;
      fields.push({ text: "", start: at, end: at });
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
