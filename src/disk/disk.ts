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
  /** Fills the buffer from a place in the file, as far as there is something. */
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

interface DiskPromises {
  open(path: string, flags: string, mode?: number): Promise<DiskFile>;
  readFile(path: string): Promise<Uint8Array>;
  readdir(path: string): Promise<string[]>;
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
  /** Synchronous: freshness is checked at every request, and the way to a thread and back takes ten times as long. */
  statSync(path: string, options: { bigint: true; throwIfNoEntry: false }): DiskStats | undefined;
  readFileSync(path: string): Uint8Array;
  rmdirSync(path: string): void;
}

/** What is at a path now, read without giving way to the event loop; undefined when there is nothing. */
export function statNow(disk: Disk, path: string): DiskStats | undefined {
  return disk.statSync(path, { bigint: true, throwIfNoEntry: false });
}

/** What tells a file or folder from a later one at the same path; undefined when there is none. */
export function fileIdentity(disk: Disk, path: string): string | undefined {
  const stats = statNow(disk, path);
  return stats && `${stats.ino}:${stats.birthtimeNs}`;
}

/** Whether an error is the operating system's; with one of these codes, where codes are given. */
export function isSystemError(
  error: unknown,
  ...codes: readonly string[]
): error is Error & { code: string } {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return false;
  return codes.length === 0 ? /^E[A-Z0-9]+$/.test(error.code) : codes.includes(error.code);
}
