/**
 * The file `moved-to` in a storage's folder: says that the storage is being brought into a database, or is there. In both
 * cases nothing can be changed in the folder.
 */
import { join } from "node:path";
import { failure, SkepError } from "../../domain/errors.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { WatchedFile } from "../../disk/watched-file.ts";

const retryAfter = 30;

interface Move {
  /** The database, without a password. */
  readonly to: string;
  readonly isComplete: boolean;
}

export class MovedTo {
  readonly #fs: DurableFs;
  readonly #path: string;
  readonly #file: WatchedFile;

  constructor(fs: DurableFs, root: string) {
    this.#fs = fs;
    this.#path = join(root, "moved-to");
    this.#file = new WatchedFile(fs.disk, this.#path);
  }

  /** Where the storage is being moved, or was moved; undefined when it stays. */
  read(): Move | undefined {
    const text = this.#file.read();
    if (text === undefined) return undefined;
    const [, isMoving, to = "a database"] = /^(moving )?to (.+)$/m.exec(text) ?? [];
    return { to, isComplete: isMoving === undefined };
  }

  /** @throws SkepError `conflict` when the storage is somewhere else. */
  requireHere(): void {
    const move = this.read();
    if (move?.isComplete === true) {
      throw failure(
        "conflict",
        `This storage was moved to ${move.to}: use --database. This folder is what it was before.`,
      );
    }
  }

  /** @throws SkepError `busy` (`read_only`) while the storage is moved, and afterwards. */
  assertWritable(): void {
    const move = this.read();
    if (move === undefined) return;
    const why = move.isComplete
      ? `this storage was moved to ${move.to}`
      : `this storage is being moved to ${move.to}; if nothing does so any more, run skep database import again, or remove the file moved-to`;
    throw new SkepError(
      "busy",
      `Nothing can be changed here: ${why}.`,
      { retryAfter },
      { publicCode: "read_only" },
    );
  }

  async write({ to, isComplete }: Move): Promise<void> {
    await this.#fs.write(this.#path, `${isComplete ? "" : "moving "}to ${to}\n`);
  }

  remove(): Promise<void> {
    return this.#fs.removeFile(this.#path);
  }
}
