/**
 * Reads ZIP files of strangers. All that is wrong by the list of entries is refused before anything is expanded, and an entry
 * never becomes larger than the list says.
 */
import { crc32 } from "node:zlib";
import { fromBufferPromise, type Entry, type ZipFile } from "yauzl";
import { messageOf } from "../../domain/errors.ts";
import { excerpt } from "../../domain/text.ts";
import { FormatError } from "../format.ts";

export const zipLimits = {
  /** Of the list, whatever is read of them. */
  entries: 100_000,
  /** Of one entry that is read. */
  entryBytes: 64 * 1024 * 1024,
  /** Of all entries that are read. */
  bytes: 512 * 1024 * 1024,
} as const;

/** The files of an export by their paths, with slashes. */
export type ExportFiles = ReadonlyMap<string, Uint8Array>;

/** Whether bytes begin as a ZIP file does. */
export function isZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && (bytes[2] === 0x03 || bytes[2] === 0x05);
}

/**
 * Reads the files of a ZIP file.
 * @param isWanted whether the file of a path is read.
 * @throws FormatError when it is none, is broken, has an entry with an unsafe name, a symbolic link, an encrypted entry or
 * the same path twice, or is larger than the limits.
 */
export async function readZip(
  bytes: Buffer,
  isWanted: (path: string) => boolean,
  limits: typeof zipLimits | { readonly [Name in keyof typeof zipLimits]: number } = zipLimits,
): Promise<ExportFiles> {
  try {
    const zip = await fromBufferPromise(bytes, { lazyEntries: true, strictFileNames: false });
    const entries: Entry[] = [];
    const paths = new Set<string>();
    let total = 0;
    for await (const entry of zip.eachEntry()) {
      if (paths.size === limits.entries) throw new FormatError(`has more than ${limits.entries} entries`);
      checkEntry(entry, paths);
      if (entry.fileName.endsWith("/") || !isWanted(entry.fileName)) continue;
      total += entry.uncompressedSize;
      if (entry.uncompressedSize > limits.entryBytes)
        throw new FormatError(`has ${shown(entry)}, which is larger than ${limits.entryBytes} bytes`);
      if (total > limits.bytes)
        throw new FormatError(`is larger than ${limits.bytes} bytes when it is expanded`);
      entries.push(entry);
    }
    const files = new Map<string, Uint8Array>();
    for (const entry of entries) files.set(entry.fileName, await readEntry(zip, entry));
    return files;
  } catch (error) {
    if (error instanceof FormatError) throw error;
    throw new FormatError(`is no ZIP file that can be read: ${messageOf(error)}`, undefined, {
      cause: error,
    });
  }
}

/** The kind of a file in the mode that programs of Unix put into the list. */
const kindMask = 0o170000;
const linkKind = 0o120000;

function checkEntry(entry: Entry, paths: Set<string>): void {
  const mode = entry.externalFileAttributes >>> 16;
  if ((mode & kindMask) === linkKind) throw new FormatError(`has the symbolic link ${shown(entry)}`);
  if (entry.isEncrypted()) throw new FormatError(`has ${shown(entry)}, which is encrypted`);
  if (paths.has(entry.fileName)) throw new FormatError(`has ${shown(entry)} twice`);
  paths.add(entry.fileName);
}

async function readEntry(zip: ZipFile, entry: Entry): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  const stream: AsyncIterable<Buffer> = await zip.openReadStreamPromise(entry);
  for await (const part of stream) parts.push(part);
  const content = Buffer.concat(parts);
  if (crc32(content) !== entry.crc32) throw new FormatError(`has ${shown(entry)}, which is broken`);
  return content;
}

function shown({ fileName }: Entry): string {
  return `"${excerpt(fileName)}"`;
}
