/** Reads an app's file that somebody uploaded. Files are read in a thread of their own, see `read-upload.ts`. */
import { workerData, parentPort } from "node:worker_threads";
import { fileURLToPath } from "node:url";
import type { AppNote } from "../../domain/notes/note.ts";
import type { Group, Texts } from "../../domain/strings/string-file.ts";
import { FormatError, type FileContext } from "../../formats/format.ts";
import { formatNamed } from "../../formats/formats.ts";

/** The bytes of a file, and how they are to be read. */
export interface FileToParse {
  readonly bytes: Uint8Array;
  /** The name of a format. */
  readonly format: string;
  readonly context: FileContext;
}

/** What a file holds, or the reason why it cannot be read. */
export type ParsedUpload =
  | {
      readonly content: Group;
      readonly texts: Texts;
      readonly notes: ReadonlyMap<string, AppNote>;
      /** How many values are no texts, and are left out. */
      readonly others: number;
    }
  | { readonly problem: string; readonly line: number | undefined };

/** Reads a file in this thread. */
export async function parseFile({ bytes, format, context }: FileToParse): Promise<ParsedUpload> {
  const row = formatNamed(format);
  if (row === undefined) throw new Error(`there is no format ${format}`);
  const { parse } = await row.load();
  try {
    const { content, texts, notes, nonTextValues } = parse(bytes, context);
    return { content, texts, notes, others: nonTextValues.length };
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return { problem: error.message, line: error.line };
  }
}

/** The module of the thread. */
export const parseThread = fileURLToPath(import.meta.url);

function isFileToParse(data: unknown): data is FileToParse {
  return typeof data === "object" && data !== null && "bytes" in data && "context" in data;
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- to a thread, not to a window
if (isFileToParse(workerData)) parentPort?.postMessage(await parseFile(workerData));
