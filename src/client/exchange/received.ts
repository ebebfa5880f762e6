/** Reads translations from a file that an agency, a spreadsheet or another tool wrote. */
import { resolve } from "node:path";
import { readCsv } from "../../formats/exchange/csv.ts";
import type { ReceivedDocument, ReceivedUnit } from "../../formats/exchange/unit.ts";
import { readXliff } from "../../formats/exchange/xliff-read.ts";
import { formatOfPath } from "../../formats/formats.ts";
import { ClientError, fileError } from "../api/client-error.ts";
import type { HiveLocale, HiveLocales, HiveTexts } from "../api/hive-api.ts";
import type { Project } from "../project.ts";
import { atFile, readGiven } from "../tree/files.ts";

interface KnownTexts {
  readonly locales: HiveLocales;
  readonly source: HiveTexts;
  /** The file of the Hive that a file in an app's format belongs to, if that is ambiguous. */
  readonly name: string | undefined;
}

/**
 * Reads a file of translations.
 * @param path from the current folder, or any other.
 * @throws ClientError `misuse` when its locale is another one, or when it is ambiguous what it belongs to; `error` when
 * it cannot be read as a whole.
 */
export async function readReceived(
  project: Project,
  path: string,
  locale: HiveLocale,
  known: KnownTexts,
): Promise<ReceivedDocument> {
  const file = resolve(path);
  const bytes = await readGiven(file);
  if (/\.(csv|tsv|txt)$/i.test(path)) return atFile(file, () => readCsv(bytes));
  if (/\.(xlf|xliff)$/i.test(path)) {
    const document = atFile(file, () => readXliff(bytes));
    checkLocale(file, document.targetLocale, locale);
    return document;
  }
  return { units: await readAppFile(project, file, bytes, locale, known), refused: [] };
}

function isSameLanguage(first: string, second: string): boolean {
  const [a, b] = [first, second].map((text) => `${text.toLowerCase().replaceAll("_", "-")}-`);
  return a !== undefined && b !== undefined && (a.startsWith(b) || b.startsWith(a));
}

/** Tools write `fr-FR` for `fr` and `pt_BR` for `pt-BR`; another language is a mistake. */
function checkLocale(file: string, named: string | undefined, { code, canonical }: HiveLocale): void {
  if (named === undefined || [code, canonical].some((own) => isSameLanguage(named, own))) return;
  throw fileError("misuse", { file }, `its translations are into ${JSON.stringify(named)}, not into ${code}`);
}

async function readAppFile(
  project: Project,
  file: string,
  bytes: Uint8Array,
  { code }: HiveLocale,
  { locales, source, name }: KnownTexts,
): Promise<readonly ReceivedUnit[]> {
  const tree = await project.tree(locales, { allowEmpty: true });
  const own = tree.files.find(({ targets }) => targets.get(code)?.absolute === file);
  const format = own?.format ?? formatOfPath(file);
  if (format === undefined) {
    const problem = "its ending stands for no format; CSV and XLIFF files end with .csv and .xlf";
    throw fileError("misuse", { file }, problem);
  }
  const target = name ?? own?.name ?? onlyName(file, source);
  if (!source.has(target)) {
    const names = [...source.keys()].join(", ");
    throw new ClientError("misuse", `The Hive has no file ${target}; it has ${names}.`);
  }
  const context = {
    locale: own?.targets.get(code)?.code ?? code,
    sourceLocale: own?.source.code ?? locales.source.code,
    notes: own?.notes,
    sourceTexts: source.get(target),
  };
  const loaded = await format.load();
  const { texts } = atFile(file, () => loaded.parse(bytes, context));
  return Array.from(texts, ([key, translation]) => ({
    file: target,
    key,
    // An empty text is not a translation.
    translation: translation || undefined,
    line: 1,
  }));
}

function onlyName(file: string, source: HiveTexts): string {
  const [first, ...more] = source.keys();
  if (first !== undefined && more.length === 0) return first;
  const problem = `it is not plain which file of the Hive its texts belong to; --as names one of ${[...source.keys()].join(", ")}`;
  throw fileError("misuse", { file }, problem);
}
