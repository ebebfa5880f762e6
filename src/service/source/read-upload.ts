/** Reads files of apps that somebody uploaded, in any of the formats that the client knows. */
import { Worker } from "node:worker_threads";
import { invalid } from "../../domain/errors.ts";
import { formatNamed, formatOfPath, formats } from "../../formats/formats.ts";
import type { FileContext } from "../../formats/format.ts";
import { Semaphore } from "../../disk/semaphore.ts";
import type { TermLocales } from "../../formats/exchange/exchange-term.ts";
import { termFormatOf } from "../../formats/exchange/term-file.ts";
import { codeEnding, ownFile } from "../../own-files.ts";
import {
  parseFile,
  type FileToParse,
  type ParsedApp,
  type ParsedTerms,
  type ParsedUpload,
} from "./parse-file.ts";

/** The names of the formats that a file can be said to have. */
export const uploadFormats: readonly string[] = formats.map(({ name }) => name);

/** How many files are read at once. */
const threads = new Semaphore(2);
/** What is written for programs of one's own may take for ever with a file of somebody else's. */
const limitMs = 10_000;
const resourceLimits = { maxOldGenerationSizeMb: 512 };

export interface UploadedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The format of a file by its name; undefined where none has its ending. */
export function formatOfUpload(name: string): string | undefined {
  return formatOfPath(name)?.name;
}

/**
 * Reads a file.
 * @param format undefined for the one that its name stands for.
 * @throws SkepError `invalid` on `format` where there is none, on `upload` where it cannot be read.
 */
export async function readUpload(
  { name, bytes }: UploadedFile,
  format: string | undefined,
  context: FileContext,
): Promise<ParsedApp> {
  const known = format === undefined ? formatOfUpload(name) : formatNamed(format)?.name;
  if (known === undefined) throw invalid("format", "the ending of the file stands for no format; choose one");
  return parsedFile("app", { kind: "app", bytes, format: known, context });
}

/**
 * Reads a file of terms. What the Hive has no locale for is left out.
 * @throws SkepError `invalid` on `upload` where it cannot be read.
 */
export async function readTermUpload(
  { name, bytes }: UploadedFile,
  locales: TermLocales,
): Promise<ParsedTerms> {
  const format = termFormatOf(name);
  if (format === undefined) throw invalid("upload", "must be a file whose name ends in .csv or .tbx");
  return parsedFile("terms", { kind: "terms", bytes, format, locales });
}

async function parsedFile<K extends FileToParse["kind"]>(
  kind: K,
  file: FileToParse & { readonly kind: K },
): Promise<Parsed<K>> {
  const parsed = await threads.run(() => parseApart(file));
  if (isOfKind(parsed, kind)) return parsed;
  if (parsed.kind !== "refused") throw new Error(`a file of ${kind} was read as one of ${parsed.kind}`);
  throw invalid(
    "upload",
    parsed.line === undefined ? parsed.problem : `line ${parsed.line}: ${parsed.problem}`,
  );
}

type Parsed<K extends ParsedUpload["kind"]> = Extract<ParsedUpload, { readonly kind: K }>;

function isOfKind<K extends ParsedUpload["kind"]>(parsed: ParsedUpload, kind: K): parsed is Parsed<K> {
  return parsed.kind === kind;
}

/** Sources run without a thread, as not every version of Node.js can load them into one. */
async function parseApart(file: FileToParse): Promise<ParsedUpload> {
  if (codeEnding === ".ts") return parseFile(file);
  const worker = new Worker(ownFile("service/source/parse-file.js"), { workerData: file, resourceLimits });
  const timer = setTimeout(() => void worker.terminate(), limitMs);
  try {
    return await new Promise<ParsedUpload>((resolve, reject) => {
      worker.once("message", resolve).once("error", reject);
      worker.once("exit", () =>
        resolve({ kind: "refused", problem: "takes too long to be read", line: undefined }),
      );
    });
  } catch (cause) {
    throw invalid("upload", "cannot be read", { cause });
  } finally {
    clearTimeout(timer);
    void worker.terminate();
  }
}
