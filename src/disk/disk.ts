/**
 * The file system as Skep uses it: the part of `node:fs` it calls, so that memfs and simulated disks can stand in.
 */

export interface DiskStats {
  readonly size: bigint;
  readonly ino: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly birthtimeNs: bigint;
}

export interface DiskFile {
  /** Fills the buffer from a position in the file, up to the end of the file. */
  read(buffer: Uint8Array, offset: number, length: number, position: number): Promise<{ bytesRead: number }>;
  writeFile(data: Uint8Array): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface DiskEntry {
  readonly mtime: Date;
  readonly uid: number;
  readonly mode: number;
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

/** What a folder says of an entry, without a look at the entry itself. */
export interface FolderEntry {
  readonly name: string;
  isDirectory(): boolean;
}

interface DiskPromises {
  open(path: string, flags: string, mode?: number): Promise<DiskFile>;
  readFile(path: string): Promise<Uint8Array>;
  readdir(path: string, options: { withFileTypes: true }): Promise<FolderEntry[]>;
  stat(path: string): Promise<DiskEntry>;
  lstat(path: string): Promise<DiskEntry>;
  mkdir(path: string, mode?: number): Promise<unknown>;
  access(path: string, mode: number): Promise<void>;
  chmod(path: string, mode: number): Promise<void>;
  link(existing: string, path: string): Promise<void>;
  copyFile(from: string, to: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  rmdir(path: string): Promise<void>;
  utimes(path: string, atime: Date, mtime: Date): Promise<void>;
}

export interface Disk {
  readonly promises: DiskPromises;
  /** Synchronous: freshness is checked at every request, and an asynchronous stat takes ten times as long. */
  statSync(path: string, options: { bigint: true; throwIfNoEntry: false }): DiskStats | undefined;
  readFileSync(path: string): Uint8Array;
  rmdirSync(path: string): void;
}

/** The stats of a path, read synchronously; undefined when nothing is there. */
export function statNow(disk: Disk, path: string): DiskStats | undefined {
  return disk.statSync(path, { bigint: true, throwIfNoEntry: false });
}

/**
 * Reads a small file as UTF-8; undefined when there is none. An asynchronous read takes ten times the processor time,
 * which counts where thousands are read.
 */
export function readTextNow(disk: Disk, path: string): string | undefined {
  try {
    return Buffer.from(disk.readFileSync(path)).toString("utf8");
  } catch (error) {
    if (isSystemError(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}

/** The result of a file operation; undefined when the file does not exist. */
export async function unlessMissing<T>(operation: Promise<T>): Promise<T | undefined> {
  try {
    return await operation;
  } catch (error) {
    if (isSystemError(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}

/** Identifies a file or folder: a later one at the same path has another identity. Undefined when there is none. */
export function fileIdentity(disk: Disk, path: string): string | undefined {
  const stats = statNow(disk, path);
  return stats && `${stats.ino}:${stats.birthtimeNs}`;
}

/** Whether an error comes from the operating system and, where codes are given, has one of them. */
export function isSystemError(
  error: unknown,
  ...codes: readonly string[]
): error is Error & { code: string } {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return false;
  return codes.length === 0 ? /^E[A-Z0-9]+$/.test(error.code) : codes.includes(error.code);
}
