/** Reads files of an app's tree, never through a symbolic link. */
import { lstatSync, promises, type Stats } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { FormatError } from "../../formats/format.ts";
import { fileError, unreadable, type ClientErrorKind } from "../api/client-error.ts";

export interface FilePlace {
  /** Below the folder of `skep.yaml`, with slashes. */
  readonly path: string;
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
export function statInside(folder: string, path: string): Stats | undefined {
  const names = path.split("/");
  let found: Stats | undefined;
  for (const i of names.keys()) {
    const file = join(folder, ...names.slice(0, i + 1));
    const isLast = i === names.length - 1;
    // A file has many folders above it, and each call that waits costs many times what it asks.
    found = lstatSync(file, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    if (found.isSymbolicLink())
      throw fileError("misuse", { file }, "is a symbolic link; files are read and written through none");
    if (isLast && !found.isFile()) throw fileError("misuse", { file }, "is not a file");
    if (!isLast && !found.isDirectory()) throw fileError("misuse", { file }, "is not a folder");
  }
  return found;
}

/** The status of a path; undefined where there is nothing. */
export async function lstatIfAny(
  path: string,
  disk: Pick<typeof promises, "lstat"> = promises,
): Promise<Stats | undefined> {
  try {
    return await disk.lstat(path);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

/** Whether something thrown is an error of the system with one of these codes. */
export function hasCode(thrown: unknown, ...codes: readonly string[]): boolean {
  return thrown instanceof Error && "code" in thrown && codes.includes(String(thrown.code));
}

/**
 * Reads a file of the tree.
 * @returns its bytes, or undefined where there is no such file.
 * @throws ClientError `misuse` as {@link statInside} does; `error` when it cannot be read.
 */
export async function readLocal(folder: string, { path, absolute }: FilePlace): Promise<Buffer | undefined> {
  const found = statInside(folder, path);
  if (found === undefined) return undefined;
  return readGiven(absolute, maxBytes, "error");
}

/**
 * Reads a file that the user names, wherever it is.
 * @param limit the most bytes that it may have.
 * @throws ClientError of the kind when it cannot be read, or is larger.
 */
export async function readGiven(
  path: string,
  limit = maxBytes,
  kind: ClientErrorKind = "misuse",
): Promise<Buffer> {
  try {
    if ((await stat(path)).size > limit) throw new Error(`it is larger than ${limit} bytes`);
    return await readFile(path);
  } catch (cause) {
    throw unreadable(kind, path, cause);
  }
}

/** The same for a text in UTF-8. @throws ClientError `misuse` */
export async function readGivenText(path: string, limit?: number): Promise<string> {
  const bytes = await readGiven(path, limit);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw unreadable("misuse", path, cause);
  }
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
