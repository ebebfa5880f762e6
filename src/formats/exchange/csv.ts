/** Texts as CSV, for translators with spreadsheets. */
import { readTable, writeTable } from "./csv-table.ts";
import { UnitCollector, type ExchangeUnit, type ReceivedDocument } from "./unit.ts";
import type { UnitState } from "./unit.ts";

const columns = ["file", "key", "source", "translation", "state", "note"] as const;
type Column = (typeof columns)[number];
const required: readonly Column[] = ["file", "key", "translation"];
const states = new Set<string>(["missing", "stale", "translated"] satisfies UnitState[]);

/** Writes units as CSV: a line that names the columns, then a record each. */
export function writeCsv(units: readonly ExchangeUnit[]): string {
  const records = units.map(({ notes = [], ...unit }) => {
    const note = [...notes, ...(unit.note === undefined ? [] : [unit.note])].join("\n");
    return columns.map((column) => (column === "note" ? note : (unit[column] ?? "")));
  });
  return writeTable([columns, ...records]);
}

/**
 * Reads texts from CSV as spreadsheets write it.
 * @throws FormatError when it is no CSV, or lacks a column.
 */
export function readCsv(bytes: Uint8Array): ReceivedDocument {
  const received = new UnitCollector();
  for (const { valueOf, line } of readTable(bytes, required, (name) => name.toLowerCase()).rows) {
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
