/**
 * Fills an empty storage as a whole: its content is written to a separate folder, checked there, and moved into place,
 * the teams last. Without the teams nothing of it is visible, and an interrupted restoration is started again.
 */
import { join } from "node:path";
import { failure } from "../../domain/errors.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import type { Locks } from "../../disk/locks/lock.ts";
import { locksFolder, teamFolders } from "../../disk/storage-folder.ts";

/** In the order in which they are moved. */
const contents = ["hives", ...teamFolders.toReversed()];

export class Restoration {
  readonly #fs: DurableFs;
  readonly #locks: Locks;
  readonly #root: string;

  constructor(fs: DurableFs, locks: Locks, root: string) {
    this.#fs = fs;
    this.#locks = locks;
    this.#root = root;
  }

  /** The folder that everything is written to first. */
  get aside(): string {
    return join(this.#root, "restoring");
  }

  /**
   * Fills the storage with what a function writes to {@link aside}. If that returns false, the storage stays empty.
   * @throws SkepError `conflict` when the storage is not empty; what the function throws.
   */
  async fill(layOut: () => Promise<boolean>): Promise<boolean> {
    await this.#fs.makeFolder(join(this.#root, locksFolder));
    return this.#locks.hold("restore", async (lock) => {
      await this.#clear();
      try {
        if (!(await layOut())) return false;
        await lock.assertHeld();
        for (const name of contents) {
          const from = join(this.aside, name);
          if (await this.#fs.isFolder(from)) await this.#fs.moveFolder(from, join(this.#root, name));
        }
        return true;
      } finally {
        await this.#fs.removeFolder(this.aside);
      }
    });
  }

  /**
   * Removes an unfinished restoration. All content beside it is its own, because it began in an empty storage and has
   * no team yet.
   */
  async #clear(): Promise<void> {
    const fs = this.#fs;
    const isUnfinished =
      (await fs.isFolder(this.aside)) && (await fs.list(join(this.#root, "teams"))).length === 0;
    for (const name of [...contents, "trash"]) {
      const folder = join(this.#root, name);
      if ((await fs.list(folder)).length === 0) continue;
      if (!isUnfinished || name === "trash") {
        throw failure("conflict", `The storage is not empty: it has ${name}. Restore into a new one.`);
      }
      await fs.removeFolder(folder);
    }
    await fs.removeFolder(this.aside);
  }
}
