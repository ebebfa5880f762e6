/**
 * Writes that survive a crash: a file is there whole or not at all, and what was written is still there after the
 * power went.
 *
 * Every file goes to a temporary name in its folder, is fsynced and renamed over its final name, and the folder is
 * fsynced. isomorphic-git gets its file system from here too: its own writes are in place and unsynced.
 */
import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";
import type { PromiseFsClient } from "isomorphic-git";
import { failure } from "../domain/errors.ts";
import { isSystemError, type Disk } from "./disk.ts";

/** How temporary files begin, so that leftovers of a crash are known; git's own pruning knows `tmp_obj_` too. */
const temporaryPrefix = "tmp_obj_skep_";

/** Whether a file name is one of an unfinished write. */
export function isTemporary(name: string): boolean {
  return name.startsWith(temporaryPrefix);
}

export class DurableFs {
  readonly disk: Disk;
  /** The file system for isomorphic-git. */
  readonly client: PromiseFsClient;

  constructor(disk: Disk) {
    this.disk = disk;
    this.client = { promises: gitClient(this) };
  }

  /** Reads a file; undefined when there is none. */
  async read(path: string): Promise<Uint8Array | undefined> {
    return optional(this.disk.promises.readFile(path));
  }

  /** The names in a folder, in byte order; empty when there is no folder. */
  async list(path: string): Promise<readonly string[]> {
    const names = await optional(this.disk.promises.readdir(path));
    return (names ?? []).toSorted();
  }

  /** Whether there is a folder (and not a link to one) of that name. */
  async isFolder(path: string): Promise<boolean> {
    const stats = await optional(this.disk.promises.lstat(path));
    return stats?.isDirectory() ?? false;
  }

  /**
   * Writes a file as a whole, replacing what is there, whatever that is.
   * @throws SkepError `disk-full` when there is no room; the old content is still there then.
   */
  async write(path: string, data: Uint8Array | string): Promise<void> {
    const temporary = join(dirname(path), temporaryPrefix + randomBytes(8).toString("hex"));
    await this.writeNew(temporary, data);
    await this.rename(temporary, path);
  }

  /**
   * Writes a file that is not there yet, and fsyncs it but not its folder. Nothing is left of it when that fails.
   * @throws the system's EEXIST when it is there; SkepError `disk-full`.
   */
  async writeNew(path: string, data: Uint8Array | string): Promise<void> {
    await translated(async () => {
      const file = await this.disk.promises.open(path, "wx");
      try {
        try {
          await file.writeFile(typeof data === "string" ? Buffer.from(data) : data);
          await file.sync();
        } finally {
          await file.close();
        }
      } catch (error) {
        await this.#discard(path);
        throw error;
      }
    });
  }

  /** Renames a file or folder and fsyncs the folder it is in then. A file that cannot be renamed is removed. */
  async rename(from: string, to: string): Promise<void> {
    await this.renameUnsynced(from, to);
    await this.syncFolder(dirname(to));
  }

  /** Renames a file or folder; {@link syncFolder} makes that durable. A file that cannot be renamed is removed. */
  async renameUnsynced(from: string, to: string): Promise<void> {
    try {
      await translated(() => this.disk.promises.rename(from, to));
    } catch (error) {
      await this.#discard(from);
      throw error;
    }
  }

  /** Makes a folder and those above it as far as they are missing. */
  async makeFolder(path: string): Promise<void> {
    await translated(async () => {
      try {
        await this.disk.promises.mkdir(path);
      } catch (error) {
        if (isSystemError(error, "EEXIST")) return;
        if (!isSystemError(error, "ENOENT") || dirname(path) === path) throw error;
        await this.makeFolder(dirname(path));
        return this.makeFolder(path);
      }
      await this.syncFolder(dirname(path));
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

  /** Makes the names in a folder durable. */
  async syncFolder(path: string): Promise<void> {
    const folder = await optional(this.disk.promises.open(path, "r"));
    if (folder === undefined) return;
    try {
      await folder.sync();
    } finally {
      await folder.close();
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

/** The result of a file operation, or undefined when the file is not there. */
async function optional<T>(operation: Promise<T>): Promise<T | undefined> {
  try {
    return await operation;
  } catch (error) {
    if (isSystemError(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}

async function translated<T>(operation: () => Promise<T>): Promise<T> {
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

function unsupported(name: string): () => Promise<never> {
  return () => Promise.reject(new Error(`${name} is not needed in a bare repository`));
}

/** What isomorphic-git calls; it is given no way to write anything else. */
function gitClient(fs: DurableFs): PromiseFsClient["promises"] {
  const { promises } = fs.disk;
  return {
    readFile: async (path: string, options?: { encoding?: BufferEncoding } | BufferEncoding) => {
      const data = Buffer.from(await promises.readFile(path));
      const encoding = typeof options === "string" ? options : options?.encoding;
      return encoding === undefined ? data : data.toString(encoding);
    },
    writeFile: (path: string, data: Uint8Array | string) => fs.write(path, data),
    readdir: (path: string) => promises.readdir(path),
    mkdir: (path: string) => fs.makeFolder(path),
    // Asked only whether something is there, and printing what it does not expect.
    stat: (path: string) =>
      promises.stat(path).catch((cause: unknown) => Promise.reject(notThere(path, cause))),
    lstat: (path: string) => promises.lstat(path),
    unlink: (path: string) => fs.removeFile(path),
    rmdir: unsupported("rmdir"),
    readlink: unsupported("readlink"),
    symlink: unsupported("symlink"),
  };
}
