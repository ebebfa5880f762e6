/** `skep glossary`: reads files of terms, and writes them. */
import { resolve } from "node:path";
import type { ExchangeTerm, TermLocales } from "../../formats/exchange/exchange-term.ts";
import { readTermsCsv, writeTermsCsv } from "../../formats/exchange/term-csv.ts";
import { readTermsTbx, writeTermsTbx } from "../../formats/exchange/term-tbx.ts";
import { ClientError } from "../api/client-error.ts";
import type { HiveApi } from "../api/hive-api.ts";
import { atFile, readGiven } from "./files.ts";

export type TermFormat = "csv" | "tbx";

/**
 * Reads a file of terms, whose ending tells its format.
 * @throws ClientError `misuse` when it cannot be read or has another ending; `error` with its line when it is at fault.
 */
export async function readTerms(
  hive: HiveApi,
  path: string,
  warn: (message: string) => void,
): Promise<readonly ExchangeTerm[]> {
  const file = resolve(path);
  const format = /\.(csv|tsv|txt)$/i.test(path) ? "csv" : /\.(tbx|xml)$/i.test(path) ? "tbx" : undefined;
  if (format === undefined) throw new ClientError("misuse", `${path}: a glossary ends in .csv or .tbx.`);
  const bytes = await readGiven(file);
  if (format === "csv") return atFile(file, () => readTermsCsv(bytes));
  const locales = await localesOf(hive);
  const { terms, unknownLocales } = atFile(file, () => readTermsTbx(bytes, locales));
  if (unknownLocales.length > 0)
    warn(`${path}: left out what the Hive has no locale for: ${unknownLocales.join(", ")}`);
  return terms;
}

/** The glossary of a Hive as a file. @throws ClientError */
export async function exportTerms(hive: HiveApi, format: TermFormat): Promise<string> {
  const [terms, locales] = await Promise.all([hive.glossary.list(), localesOf(hive)]);
  return format === "csv" ? writeTermsCsv(terms, locales.targets) : writeTermsTbx(terms, locales);
}

async function localesOf(hive: HiveApi): Promise<TermLocales> {
  const { source, targets } = await hive.locales();
  return { source: source.code, targets: targets.map(({ code }) => code) };
}
