/** Texts as CSV, for translators with spreadsheets. */
import { readTable, writeTable } from "./csv-table.ts";
import { UnitCollector, type ExchangeUnit, type ReceivedDocument } from "./unit.ts";

const columns = ["file", "key", "source", "translation", "state", "note"];
const required = ["file", "key", "translation"];

/** Writes units as CSV: a line that names the columns, then a record each. */
export function writeCsv(units: readonly ExchangeUnit[]): string {
  const records = units.map(({ file, key, source, translation = "", state, notes = [] }) => {
    return [file, key, source, translation, state, notes.join("\n")];
  });
  return writeTable([columns, ...records]);
}

/** Reads texts from CSV as spreadsheets write it. @throws FormatError when it is no CSV, or lacks a column. */
export function readCsv(bytes: Uint8Array): ReceivedDocument {
  const received = new UnitCollector();
  for (const { valueOf, line } of readTable(bytes, required, (name) => name.toLowerCase()).rows) {
    received.add({
      file: valueOf("file") ?? "",
      key: valueOf("key") ?? "",
      source: valueOf("source"),
      translation: valueOf("translation"),
      line,
    });
  }
  return received.end();
}
