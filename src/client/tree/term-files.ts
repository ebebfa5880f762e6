/** `skep glossary`: reads files of terms, and writes them. */
import { resolve } from "node:path";
import type { ExchangeTerm, TermLocales } from "../../formats/exchange/exchange-term.ts";
import {
  readTermFile,
  termFormatOf,
  writeTermFile,
  type TermFormat,
} from "../../formats/exchange/term-file.ts";
import { ClientError } from "../api/client-error.ts";
import type { HiveApi } from "../api/hive-api.ts";
import { atFile, readGiven } from "./files.ts";

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
  const format = termFormatOf(path);
  if (format === undefined) throw new ClientError("misuse", `${path}: a glossary ends in .csv or .tbx.`);
  const bytes = await readGiven(file);
  const locales = await localesOf(hive);
  const { terms, unknownLocales, forbidden } = atFile(file, () => readTermFile(bytes, format, locales));
  if (unknownLocales.length > 0)
    warn(`${path}: left out what the Hive has no locale for: ${unknownLocales.join(", ")}`);
  if (forbidden.length > 0) warn(`${path}: left out what the file forbids itself: ${forbidden.join(", ")}`);
  return terms;
}

/** The glossary of a Hive as a file. @throws ClientError */
export async function exportTerms(hive: HiveApi, format: TermFormat): Promise<string> {
  const [terms, locales] = await Promise.all([hive.glossary.list(), localesOf(hive)]);
  return writeTermFile(terms, format, locales);
}

async function localesOf(hive: HiveApi): Promise<TermLocales> {
  const { source, targets } = await hive.locales();
  return { source: source.code, targets: targets.map(({ code }) => code) };
}
