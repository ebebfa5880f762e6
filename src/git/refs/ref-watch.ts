/** Detects cheaply whether any process may have moved a ref of a repository. */
import { join } from "node:path";
import { isSystemError, statNow, type DiskStats } from "../../disk/disk.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { canTrust, isSameFile } from "../../disk/watched-file.ts";
import { walkLooseRefs } from "./ref-files.ts";

/** Packed refs, and a file that is there in every Hive: not every disk changes a folder's time at a rename. */
const files = ["packed-refs", "refs/heads/main"];

/**
 * Skep and git move a ref by a rename into its folder, which changes the folder's time. So a few stats tell of all refs.
 */
export class RefWatch {
  readonly #fs: DurableFs;
  readonly #gitdir: string;
  /** The trusted stats of all paths; a path whose stats are not to be trusted is missing. */
  #known = new Map<string, DiskStats | undefined>();
  #paths: readonly string[] = [];

  constructor(fs: DurableFs, gitdir: string) {
    this.#fs = fs;
    this.#gitdir = gitdir;
  }

  /**
   * Whether a ref may have moved since this was last asked. It is true at first, sometimes when nothing has moved, and
   * once after every move.
   */
  async hasChanged(): Promise<boolean> {
    if (this.#paths.length > 0 && !this.#compare()) return false;
    // Folders that are new are unknown: the next check tells of them, too.
    this.#paths = await this.#list();
    return true;
  }

  /** Reads all stats. @returns whether any has changed. */
  #compare(): boolean {
    const known = new Map<string, DiskStats | undefined>();
    let isChanged = false;
    for (const path of this.#paths) {
      const stats = statNow(this.#fs.disk, join(this.#gitdir, path));
      if (!this.#known.has(path) || !isSameFile(this.#known.get(path), stats)) isChanged = true;
      if (canTrust(stats)) known.set(path, stats);
    }
    this.#known = known;
    return isChanged;
  }

  async #list(): Promise<readonly string[]> {
    const folders = ["refs"];
    try {
      for await (const { name, kind } of walkLooseRefs(this.#fs, this.#gitdir)) {
        if (kind === "folder") folders.push(name);
      }
    } catch (error) {
      // A folder was removed meanwhile, which the next check finds.
      if (!isSystemError(error, "ENOENT", "ENOTDIR")) throw error;
    }
    return [...files, ...folders];
  }
}
