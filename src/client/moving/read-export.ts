/** Reads another tool's export from the disk: a file, a folder or a ZIP file. */
import { readdir, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { FormatError } from "../../formats/format.ts";
import { isRead } from "./tools.ts";
import { isZip, readZip, zipLimits, type ExportFiles } from "../../formats/moving/zip.ts";
import { fileError, unreadable } from "../api/client-error.ts";
import { readGiven } from "../tree/files.ts";

/** The most bytes of a ZIP file: what it expands to has a limit of its own. */
const maxZipBytes = 512 * 1024 * 1024;

/**
 * Reads the files of an export by their paths.
 * @throws ClientError `misuse` when there is no such file; `error` when it is a ZIP file that cannot be read safely, or
 * larger than the limits.
 */
export async function readExportFiles(path: string): Promise<ExportFiles> {
  const absolute = resolve(path);
  const found = await stat(absolute).catch((cause: unknown) => {
    throw unreadable("misuse", path, cause);
  });
  if (found.isDirectory()) return readFolder(absolute);
  const bytes = await readGiven(absolute, maxZipBytes);
  if (!isZip(bytes)) return new Map([[basename(path), bytes]]);
  try {
    return await readZip(bytes, isRead);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw fileError("error", { file: path }, error.message, { cause: error });
  }
}

/** Reads a folder, but for hidden files. Nothing is read through a symbolic link. */
async function readFolder(folder: string): Promise<ExportFiles> {
  const files = new Map<string, Uint8Array>();
  let [entries, bytes] = [0, 0];
  const visit = async (below: string): Promise<void> => {
    const names = await readdir(join(folder, below), { withFileTypes: true });
    for (const entry of names.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = below + entry.name;
      if (!isRead(path)) continue;
      if (++entries > zipLimits.entries)
        throw fileError("error", { file: folder }, `has more than ${zipLimits.entries} entries`);
      if (entry.isDirectory()) await visit(`${path}/`);
      if (!entry.isFile()) continue;
      const content = await readGiven(join(folder, path), zipLimits.entryBytes, "error");
      bytes += content.length;
      if (bytes > zipLimits.bytes)
        throw fileError("error", { file: folder }, `has files of more than ${zipLimits.bytes} bytes`);
      files.set(path, content);
    }
  };
  await visit("");
  return files;
}
