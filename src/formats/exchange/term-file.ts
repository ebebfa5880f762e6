/** Files of glossaries: their formats, by the endings of their names. */
import type { ExchangeTerm, TermLocales } from "./exchange-term.ts";
import { readTermsCsv, writeTermsCsv } from "./term-csv.ts";
import { readTermsTbx, writeTermsTbx, type ReadTerms } from "./term-tbx.ts";

export const termFormats = ["csv", "tbx"] as const;
export type TermFormat = (typeof termFormats)[number];

/** The format of a file by its name; undefined where none has its ending. */
export function termFormatOf(name: string): TermFormat | undefined {
  return /\.(csv|tsv|txt)$/i.test(name) ? "csv" : /\.(tbx|xml)$/i.test(name) ? "tbx" : undefined;
}

/** Reads a file of terms. @throws FormatError with its line when it is at fault. */
export function readTermFile(bytes: Uint8Array, format: TermFormat, locales: TermLocales): ReadTerms {
  if (format === "tbx") return readTermsTbx(bytes, locales);
  return { terms: readTermsCsv(bytes), unknownLocales: [], forbidden: [] };
}

/** Writes terms as a file. @throws FormatError for a character that the format has no spelling for. */
export function writeTermFile(
  terms: readonly ExchangeTerm[],
  format: TermFormat,
  locales: TermLocales,
): string {
  return format === "csv" ? writeTermsCsv(terms, locales.targets) : writeTermsTbx(terms, locales);
}
