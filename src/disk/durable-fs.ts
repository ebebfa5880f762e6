/**
 * Writes that survive a crash: a file is there whole or not at all, and what was written is still there after the
 * power went. It goes to a temporary name in its folder, is fsynced and renamed, and the folder is fsynced.
 */
import { dirname, join } from "node:path";
import { failure } from "../domain/errors.ts";
import { isSystemError, type Disk, type DiskEntry, type DiskFile } from "./disk.ts";
import { Semaphore } from "./semaphore.ts";
import { temporaryPath } from "./temporary-name.ts";

/** How often a folder is made for a file, in a race with git, which removes folders that are empty. */
const maxTries = 10;
/** How often a folder is emptied in which others still make files. */
const maxRemovals = 10;

/** Only this user of the machine may read what is stored, whatever umask a process was started with. */
const folderMode = 0o700;
const fileMode = 0o600;

/** A file that is written and durable under a temporary name. */
export interface StagedFile {
  /** Puts it in its place, over what is there; {@link DurableFs.syncFolder} makes that durable. */
  readonly replace: () => Promise<void>;
  /** Gives it its name besides the temporary one; false when something has that name already. */
  readonly linkInto: () => Promise<boolean>;
  /** Removes the temporary name, if the file still has it. Never throws. */
  readonly discard: () => Promise<void>;
}

/** Each file that is being read takes one of the process's descriptors; what is read by thousands waits. */
const readsAtOnce = 64;

export class DurableFs {
  readonly disk: Disk;
  readonly #reads = new Semaphore(readsAtOnce);

  constructor(disk: Disk) {
    this.disk = disk;
  }

  /** Reads a file; undefined when there is none. */
  async read(path: string): Promise<Uint8Array | undefined> {
    return this.#reads.run(() => optional(this.disk.promises.readFile(path)));
  }

  /** Reads a file as UTF-8; undefined when there is none. */
  async readText(path: string): Promise<string | undefined> {
    const bytes = await this.read(path);
    return bytes && Buffer.from(bytes).toString("utf8");
  }

  /** The names in a folder, in byte order; empty when there is no folder. */
  async list(path: string): Promise<readonly string[]> {
    const names = await optional(this.disk.promises.readdir(path));
    return (names ?? []).toSorted();
  }

  /** What is there under a name, a link as itself; undefined when there is nothing. */
  async stat(path: string): Promise<DiskEntry | undefined> {
    return optional(this.disk.promises.lstat(path));
  }

  /** Whether there is a folder (and not a link to one) of that name. */
  async isFolder(path: string): Promise<boolean> {
    return (await this.stat(path))?.isDirectory() ?? false;
  }

  /**
   * Writes a file as a whole, replacing what is there, whatever that is.
   * @param assertLockHeld runs last before the file is replaced; what it throws leaves the old one.
   * @throws SkepError `disk-full` when there is no room; the old content is still there then.
   */
  async write(path: string, data: Uint8Array | string, assertLockHeld?: () => Promise<void>): Promise<void> {
    const staged = await this.stage(path, data);
    try {
      await assertLockHeld?.();
      await staged.replace();
    } finally {
      await staged.discard();
    }
    await this.syncFolder(dirname(path));
  }

  /**
   * Writes what is to become a file, under a temporary name in its folder, and fsyncs it. Nothing is left of it when
   * that fails.
   * @throws SkepError `disk-full` when there is no room.
   */
  async stage(path: string, data: Uint8Array | string): Promise<StagedFile> {
    const temporary = temporaryPath(path);
    await translated(async () => {
      const file = await this.#create(temporary);
      try {
        try {
          await file.writeFile(typeof data === "string" ? Buffer.from(data) : data);
          await file.sync();
        } finally {
          closeSoon(file);
        }
      } catch (error) {
        await this.#discard(temporary);
        throw error;
      }
    });
    let discarded: Promise<void> | undefined;
    const discard = (): Promise<void> => (discarded ??= this.#discard(temporary));
    return {
      replace: async () => {
        try {
          await translated(() => this.disk.promises.rename(temporary, path));
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
      await translated(async () => {
        try {
          await this.disk.promises.link(temporary, path);
        } catch (error) {
          if (!isSystemError(error, "EPERM", "ENOTSUP", "ENOSYS", "EMLINK")) throw error;
          // A file system without links: what is left of it by a crash in this moment may be empty.
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
   * Copies a file that may be too large to be read as a whole, and makes its folder if that is missing; durable when it
   * returns, and there as a whole or not at all.
   * @throws SkepError `disk-full` when there is no room; the system's error `ENOENT` when there is no such file.
   */
  async copyFile(from: string, to: string): Promise<void> {
    const temporary = temporaryPath(to);
    await this.makeFolder(dirname(to));
    try {
      await translated(async () => {
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
      // It may never have been made.
      await this.removeFile(temporary);
      throw error;
    }
    await this.syncFolder(dirname(to));
  }

  /** Renames a folder and fsyncs the folders it was and is in. */
  async moveFolder(from: string, to: string): Promise<void> {
    await translated(() => this.disk.promises.rename(from, to));
    await this.syncFolder(dirname(to));
    if (dirname(from) !== dirname(to)) await this.syncFolder(dirname(from));
  }

  /**
   * Makes a folder and those above it as far as they are missing. One that is there already may have been made by a
   * process that did not come to make it durable, so the folder above is fsynced all the same.
   */
  async makeFolder(path: string): Promise<void> {
    await translated(async () => {
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

  /** Makes folders in one folder as far as they are missing; durable, whoever made them, once that is fsynced. */
  async makeFoldersIn(folder: string, names: readonly string[]): Promise<void> {
    await translated(async () => {
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

  /** Removes a file; one that is not there is fine. */
  async removeFile(path: string): Promise<void> {
    await optional(this.disk.promises.unlink(path));
    await this.syncFolder(dirname(path));
  }

  /** Removes a folder with all that is in it; one that is not there is fine. Links in it are not followed. */
  async removeFolder(path: string): Promise<void> {
    for (const name of await this.list(path)) {
      const inner = join(path, name);
      if (await this.isFolder(inner)) await this.removeFolder(inner);
      else await optional(this.disk.promises.unlink(inner));
    }
    await optional(this.disk.promises.rmdir(path));
  }

  /**
   * Removes a folder in which another process may still make files: a git that packs the Hive ends when it finds
   * nothing.
   */
  async removeFolderInUse(path: string): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.removeFolder(path);
      } catch (error) {
        if (!isSystemError(error, "ENOTEMPTY") || attempt === maxRemovals) throw error;
      }
    }
  }

  /** Makes the names in a folder durable. */
  async syncFolder(path: string): Promise<void> {
    const folder = await optional(this.disk.promises.open(path, "r"));
    if (folder === undefined) return;
    try {
      await folder.sync();
    } finally {
      closeSoon(folder);
    }
  }

  async #discard(path: string): Promise<void> {
    try {
      await this.disk.promises.unlink(path);
    } catch {
      // It was never made, or the disk is failing: the error that led here says more.
    }
  }
}

/** Closes a file that was fsynced. Nothing waits for that, and its failure would say nothing more. */
function closeSoon(file: DiskFile): void {
  file.close().catch(() => undefined);
}

/** The result of a file operation, or undefined when the file is not there. */
async function optional<T>(operation: Promise<T>): Promise<T | undefined> {
  try {
    return await operation;
  } catch (error) {
    if (isSystemError(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}

/** Runs an operation, and translates the errors of a disk without room. @throws SkepError `disk-full`. */
export async function translated<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    if (isSystemError(error, "ENOSPC", "EDQUOT", "EFBIG")) {
      throw failure("disk-full", "There is no room left to store this.", { cause: error });
    }
    throw error;
  }
}

/** An error by which callers of the file system know that there is no such file. */
export function notThere(path: string, cause?: unknown): Error {
  return Object.assign(new Error(`there is no ${path}`, { cause }), { code: "ENOENT" });
}
