/**
 * Writes that survive a crash or a power cut: a file is there as a whole or not at all. It is written under a temporary
 * name in its folder, fsynced and renamed, and then the folder is fsynced.
 */
import { dirname, join } from "node:path";
import { failure, type SkepError } from "../domain/errors.ts";
import {
  isSystemError,
  type Disk,
  type DiskEntry,
  type DiskFile,
  type FolderEntry,
  unlessMissing,
} from "./disk.ts";
import type { HeldLock } from "./held-lock.ts";
import { Semaphore } from "./semaphore.ts";
import { temporaryPath } from "./temporary-name.ts";

/** How often a file's folder is created again: git may remove it while it is still empty. */
const maxTries = 10;
/** How often a folder is emptied in which another process still makes files. */
const maxRemovals = 10;

/** Only the user that runs Skep may read what is stored, whatever the umask is. */
const folderMode = 0o700;
const fileMode = 0o600;

/** A file that was written under a temporary name and fsynced. */
export interface StagedFile {
  /** Renames it to its final path, replacing a file there; {@link DurableFs.syncFolder} makes that durable. */
  readonly replace: () => Promise<void>;
  /** Links it to its final path and keeps the temporary name; false when the path exists already. */
  readonly linkInto: () => Promise<boolean>;
  /** Removes the temporary name if the file still has it. Never throws. */
  readonly discard: () => Promise<void>;
}

/** A bound on open file descriptors: of thousands of reads at once, the rest wait. */
const readsAtOnce = 64;

export class DurableFs {
  readonly disk: Disk;
  readonly #reads = new Semaphore(readsAtOnce);

  constructor(disk: Disk) {
    this.disk = disk;
  }

  /** Reads a file; undefined when there is none. */
  async read(path: string): Promise<Uint8Array | undefined> {
    return this.#reads.run(() => unlessMissing(this.disk.promises.readFile(path)));
  }

  /** Reads a file as UTF-8; undefined when there is none. */
  async readText(path: string): Promise<string | undefined> {
    const bytes = await this.read(path);
    return bytes && Buffer.from(bytes).toString("utf8");
  }

  /** The names in a folder, in byte order; empty when there is no folder. */
  async list(path: string): Promise<readonly string[]> {
    return (await this.entries(path)).map(({ name }) => name).toSorted();
  }

  /** The entries of a folder in no particular order; empty when there is no folder. */
  async entries(path: string): Promise<readonly FolderEntry[]> {
    return (await unlessMissing(this.disk.promises.readdir(path, { withFileTypes: true }))) ?? [];
  }

  /** The stats of a path, without following a symbolic link; undefined when nothing is there. */
  async stat(path: string): Promise<DiskEntry | undefined> {
    return unlessMissing(this.disk.promises.lstat(path));
  }

  /** Whether the path is a folder, and not a link to one. */
  async isFolder(path: string): Promise<boolean> {
    return (await this.stat(path))?.isDirectory() ?? false;
  }

  /**
   * Writes a file as a whole and replaces what was at its path.
   * @param lock checked last before the file is replaced; what that throws leaves the old one.
   * @throws SkepError `disk-full` when there is no room; the old content is still there then.
   */
  async write(path: string, data: Uint8Array | string, lock?: HeldLock): Promise<void> {
    const staged = await this.stage(path, data);
    try {
      await lock?.assertHeld();
      await staged.replace();
    } finally {
      await staged.discard();
    }
    await this.syncFolder(dirname(path));
  }

  /**
   * Writes a file that can be made again, as a whole but without fsync: a power cut may leave it empty or as it was.
   * Its folder must exist.
   */
  async writeCache(path: string, data: string): Promise<void> {
    const temporary = temporaryPath(path);
    try {
      const file = await this.disk.promises.open(temporary, "wx", fileMode);
      try {
        await file.writeFile(Buffer.from(data));
      } finally {
        await file.close();
      }
      await this.disk.promises.rename(temporary, path);
    } catch (error) {
      await this.discard(temporary);
      throw error;
    }
  }

  /**
   * Writes a file under a temporary name in its folder and fsyncs it. The temporary file is removed when that fails.
   * @throws SkepError `disk-full` when there is no room.
   */
  async stage(path: string, data: Uint8Array | string): Promise<StagedFile> {
    const temporary = temporaryPath(path);
    await translateDiskErrors(async () => {
      const file = await this.#create(temporary);
      try {
        try {
          await file.writeFile(typeof data === "string" ? Buffer.from(data) : data);
          await file.sync();
        } finally {
          closeSoon(file);
        }
      } catch (error) {
        await this.discard(temporary);
        throw error;
      }
    });
    let discarded: Promise<void> | undefined;
    const discard = (): Promise<void> => (discarded ??= this.discard(temporary));
    return {
      replace: async () => {
        try {
          await translateDiskErrors(() => this.disk.promises.rename(temporary, path));
        } catch (error) {
          await discard();
          throw error;
        }
        discarded = Promise.resolve();
      },
      linkInto: () => this.#link(temporary, path, data),
      discard,
    };
  }

  /** Makes a new file, and its folder if that is missing. */
  async #create(path: string): Promise<DiskFile> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.disk.promises.open(path, "wx", fileMode);
      } catch (error) {
        if (!isSystemError(error, "ENOENT") || tries === maxTries) throw error;
      }
      await this.makeFolder(dirname(path));
    }
  }

  async #link(temporary: string, path: string, data: Uint8Array | string): Promise<boolean> {
    try {
      await translateDiskErrors(async () => {
        try {
          await this.disk.promises.link(temporary, path);
        } catch (error) {
          if (!isSystemError(error, "EPERM", "ENOTSUP", "ENOSYS", "EMLINK")) throw error;
          // The file system has no hard links. A crash at this moment may leave an empty file.
          const file = await this.disk.promises.open(path, "wx", fileMode);
          await file.writeFile(typeof data === "string" ? Buffer.from(data) : data);
          await file.close();
        }
      });
      return true;
    } catch (error) {
      if (isSystemError(error, "EEXIST")) return false;
      throw error;
    }
  }

  /**
   * Copies a file that may be too large for memory, and makes the target's folder if it is missing. The copy is atomic,
   * and durable on return.
   * @throws SkepError `disk-full` when there is no room; the system's error `ENOENT` when there is no such file.
   */
  async copyFile(from: string, to: string): Promise<void> {
    const temporary = temporaryPath(to);
    await this.makeFolder(dirname(to));
    try {
      await translateDiskErrors(async () => {
        await this.disk.promises.copyFile(from, temporary);
        const file = await this.disk.promises.open(temporary, "r");
        try {
          await file.sync();
        } finally {
          await file.close();
        }
        await this.disk.promises.rename(temporary, to);
      });
    } catch (error) {
      // The temporary file may not exist.
      await this.removeFile(temporary);
      throw error;
    }
    await this.syncFolder(dirname(to));
  }

  /** Renames a folder and fsyncs the folders it was and is in. */
  async moveFolder(from: string, to: string): Promise<void> {
    await translateDiskErrors(() => this.disk.promises.rename(from, to));
    await this.syncFolder(dirname(to));
    if (dirname(from) !== dirname(to)) await this.syncFolder(dirname(from));
  }

  /**
   * Makes a folder and its missing ancestors. One that exists already may have been made by a process that was killed
   * before it fsynced the parent, so the parent is fsynced in any case.
   */
  async makeFolder(path: string): Promise<void> {
    await translateDiskErrors(async () => {
      if (!(await this.#tryMakeFolder(path))) {
        await this.makeFolder(dirname(path));
        if (!(await this.#tryMakeFolder(path))) throw new Error(`the folder ${path} cannot be made`);
      }
      await this.syncFolder(dirname(path));
    });
  }

  /** @returns false when the folder above is missing. */
  async #tryMakeFolder(path: string): Promise<boolean> {
    try {
      await this.disk.promises.mkdir(path, folderMode);
    } catch (error) {
      if (isSystemError(error, "ENOENT") && dirname(path) !== path) return false;
      if (!isSystemError(error, "EEXIST")) throw error;
    }
    return true;
  }

  /** Makes the missing folders among `names` inside a folder. They are durable once the caller fsyncs that folder. */
  async makeFoldersIn(folder: string, names: readonly string[]): Promise<void> {
    await translateDiskErrors(async () => {
      await Promise.all(
        names.map(async (name) => {
          try {
            await this.disk.promises.mkdir(join(folder, name), folderMode);
          } catch (error) {
            if (!isSystemError(error, "EEXIST")) throw error;
          }
        }),
      );
    });
  }

  /** Removes a file if it exists. */
  async removeFile(path: string): Promise<void> {
    await unlessMissing(this.disk.promises.unlink(path));
    await this.syncFolder(dirname(path));
  }

  /**
   * Removes a folder with its content, if it exists. Symbolic links in it are not followed. Another process may still make
   * files in it: a git that is packing the Hive stops when the repository is gone.
   */
  async removeFolder(path: string): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      for (const name of await this.list(path)) {
        const inner = join(path, name);
        if (await this.isFolder(inner)) await this.removeFolder(inner);
        else await unlessMissing(this.disk.promises.unlink(inner));
      }
      try {
        await unlessMissing(this.disk.promises.rmdir(path));
        return;
      } catch (error) {
        if (!isSystemError(error, "ENOTEMPTY") || attempt === maxRemovals) throw error;
      }
    }
  }

  /** Makes the directory entries of a folder durable. */
  async syncFolder(path: string): Promise<void> {
    const folder = await unlessMissing(this.disk.promises.open(path, "r"));
    if (folder === undefined) return;
    try {
      await folder.sync();
    } finally {
      closeSoon(folder);
    }
  }

  /** Removes a file that nobody needs, if there is one and that is possible. It may come back after a power cut. */
  async discard(path: string): Promise<void> {
    try {
      await this.disk.promises.unlink(path);
    } catch {
      // The file does not exist, or the disk is failing, which the caller's own error reports.
    }
  }
}

/** Closes a file that was fsynced, without waiting: a failure would not matter any more. */
function closeSoon(file: DiskFile): void {
  file.close().catch(() => undefined);
}

/**
 * Runs an operation and translates the errors of a disk that is full or read-only.
 * @throws SkepError `disk-full`, `storage-missing`.
 */
export async function translateDiskErrors<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    // Systems make a file system read-only when its disk fails.
    const notReady = { publicCode: "not_ready", cause: error } as const;
    if (isSystemError(error, "EROFS"))
      throw failure("storage-missing", "The storage cannot be written to.", notReady);
    throw isSystemError(error, ...fullDiskCodes) ? diskFull(error) : error;
  }
}

const fullDiskCodes = ["ENOSPC", "EDQUOT", "EFBIG"] as const;
/** How git ends a line about a full disk. */
const fullDiskText = /(?:No space left on device|Disk quota exceeded|File too large|Out of diskspace)$/m;

/** Whether an unexpected error says that a disk is full: the system's own, or one with the output of git. */
export function isDiskFull(error: Error): boolean {
  return isSystemError(error, ...fullDiskCodes) || fullDiskText.test(error.message);
}

/** The error for a full disk. */
export function diskFull(cause: Error): SkepError {
  return failure("disk-full", "There is no room left to store this.", { cause });
}

/** An error with the code `ENOENT`, as the file system throws for a missing file. */
export function fileNotFound(path: string, cause?: unknown): Error {
  return Object.assign(new Error(`there is no ${path}`, { cause }), { code: "ENOENT" });
}
