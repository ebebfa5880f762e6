/**
 * An empty storage that is filled as a whole: what it is to hold is laid out in a folder of its own, looked over there,
 * and moved into place, the teams last. Before them nothing of it is anybody's; a restoration that was killed begins
 * again.
 */
import { join } from "node:path";
import { failure } from "../../domain/errors.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import type { Locks } from "../../disk/locks/lock.ts";
import { locksFolder } from "../../disk/storage-folder.ts";

/** In the order they are moved. */
const contents = ["hives", "mirrors", "tokens", "teams"];

export class Restoration {
  readonly #fs: DurableFs;
  readonly #locks: Locks;
  readonly #root: string;

  constructor(fs: DurableFs, locks: Locks, root: string) {
    this.#fs = fs;
    this.#locks = locks;
    this.#root = root;
  }

  /** Where everything is laid out first. */
  get aside(): string {
    return join(this.#root, "restoring");
  }

  /**
   * Fills the storage with what a function lays out in {@link aside}, if that answers true; else it stays empty.
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

  /** What lies beside an unfinished restoration is its own: it began in an empty storage, and has no team yet. */
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
