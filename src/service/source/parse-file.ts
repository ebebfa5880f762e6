/** Reads an app's file that somebody uploaded. Files are read in a thread of their own, see `read-upload.ts`. */
import { workerData, parentPort } from "node:worker_threads";
import type { AppNote } from "../../domain/notes/note.ts";
import type { Group, Texts } from "../../domain/strings/string-file.ts";
import { FormatError, type FileContext } from "../../formats/format.ts";
import type { TermLocales } from "../../formats/exchange/exchange-term.ts";
import { readTermFile, type TermFormat } from "../../formats/exchange/term-file.ts";
import type { ReadTerms } from "../../formats/exchange/term-tbx.ts";
import { formatNamed } from "../../formats/formats.ts";

/** The bytes of a file, and how they are to be read. */
export type FileToParse = AppFile | GlossaryFile;

interface AppFile {
  readonly kind: "app";
  readonly bytes: Uint8Array;
  /** The name of a format. */
  readonly format: string;
  readonly context: FileContext;
}

interface GlossaryFile {
  readonly kind: "terms";
  readonly bytes: Uint8Array;
  readonly format: TermFormat;
  readonly locales: TermLocales;
}

/** What a file of an app holds. */
export interface ParsedApp {
  readonly kind: "app";
  readonly content: Group;
  readonly texts: Texts;
  readonly notes: ReadonlyMap<string, AppNote>;
  /** How many values are no texts, and are left out. */
  readonly others: number;
}

/** What a file of a glossary holds. */
export interface ParsedTerms extends ReadTerms {
  readonly kind: "terms";
}

/** What a file holds, or the reason why it cannot be read. */
export type ParsedUpload =
  | ParsedApp
  | ParsedTerms
  | { readonly kind: "refused"; readonly problem: string; readonly line: number | undefined };

async function parse(file: FileToParse): Promise<ParsedApp | ParsedTerms> {
  if (file.kind === "terms") return { kind: "terms", ...readTermFile(file.bytes, file.format, file.locales) };
  const row = formatNamed(file.format);
  if (row === undefined) throw new Error(`there is no format ${file.format}`);
  const format = await row.load();
  const { content, texts, notes, nonTextValues } = format.parse(file.bytes, file.context);
  return { kind: "app", content, texts, notes, others: nonTextValues.length };
}

/** Reads a file in this thread. */
export async function parseFile(file: FileToParse): Promise<ParsedUpload> {
  try {
    return await parse(file);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return { kind: "refused", problem: error.message, line: error.line };
  }
}

function isFileToParse(data: unknown): data is FileToParse {
  return typeof data === "object" && data !== null && "bytes" in data && "kind" in data;
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- to a thread, not to a window
if (isFileToParse(workerData)) parentPort?.postMessage(await parseFile(workerData));
