/** Reads files of an app's tree, never through a symbolic link. */
import type { Stats } from "node:fs";
import { lstat, readFile } from "node:fs/promises";
import { join } from "node:path";
import { FormatError, type FileContext, type FileFormat, type ParsedFile } from "../../formats/format.ts";
import { fileError } from "../api/client-error.ts";

/** Where a file of the tree is. */
export interface FilePlace {
  /** Below the folder of `skep.yaml`, with slashes. */
  readonly path: string;
  /** Its path on the disk. */
  readonly absolute: string;
}

/** The largest file that is read; no file of texts is larger. */
const maxBytes = 64 * 1024 * 1024;

/**
 * Reads the status of a file, and checks that no folder of its path is a symbolic link.
 * @param path below the folder, with slashes.
 * @returns undefined where there is nothing.
 * @throws ClientError `misuse` when the path leads through a symbolic link or is one, or is no file.
 */
export async function statInside(folder: string, path: string): Promise<Stats | undefined> {
  const names = path.split("/");
  for (const [i] of names.entries()) {
    const file = join(folder, ...names.slice(0, i + 1));
    const isLast = i === names.length - 1;
    const found = await lstatIfAny(file);
    if (found === undefined) return undefined;
    if (found.isSymbolicLink()) {
      throw fileError("misuse", { file }, "is a symbolic link; files are read and written through none");
    }
    if (isLast && !found.isFile()) throw fileError("misuse", { file }, "is not a file");
    if (!isLast && !found.isDirectory()) throw fileError("misuse", { file }, "is not a folder");
    if (isLast) return found;
  }
  return undefined;
}

async function lstatIfAny(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Reads a file of the tree.
 * @returns its bytes, or undefined where there is no such file.
 * @throws ClientError `misuse` as {@link statInside} does; `error` when it cannot be read.
 */
export async function readLocal(folder: string, { path, absolute }: FilePlace): Promise<Buffer | undefined> {
  const found = await statInside(folder, path);
  if (found === undefined) return undefined;
  if (found.size > maxBytes) {
    throw fileError(
      "error",
      { file: absolute },
      `has more than ${maxBytes} bytes, which no file of texts has`,
    );
  }
  return readFile(absolute).catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw fileError("error", { file: absolute }, `cannot be read: ${why}`, { cause });
  });
}

/**
 * Parses a file of the tree.
 * @throws ClientError `error` with the line at fault when the format cannot read it.
 */
export function parseLocal(
  format: FileFormat,
  bytes: Uint8Array,
  { absolute }: Pick<FilePlace, "absolute">,
  context: FileContext,
): ParsedFile {
  return atFile(absolute, () => format.parse(bytes, context));
}

/** Runs work of a format on a file, and names the file in its errors. */
export function atFile<T>(file: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw fileError("error", { file, line: error.line }, error.message, { cause: error });
  }
}
