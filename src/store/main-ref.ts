/**
 * The branch `main`: read at every request, moved by one rename.
 *
 * It is moved the way git itself does it: through `main.lock`, made exclusively, and only from the commit that was
 * read. That is the guard that holds against every other writer, git included; the lock above it only saves work.
 */
import { dirname, join } from "node:path";
import { failure } from "../domain/errors.ts";
import { isOid, type Oid } from "../domain/names.ts";
import { isSystemError } from "./disk.ts";
import type { DurableFs } from "./durable-fs.ts";
import { WatchedFile } from "./watched-file.ts";

const refName = "refs/heads/main";
/** git holds a ref's lock for milliseconds: one that is older was left by a process that is gone. */
const abandonedAfterMs = 2_000;
const retryEveryMs = 20;

export class MainRef {
  readonly #fs: DurableFs;
  readonly #path: string;
  readonly #lockPath: string;
  readonly #objects: string;
  readonly #loose: WatchedFile;
  readonly #packed: WatchedFile;

  constructor(fs: DurableFs, gitdir: string) {
    this.#fs = fs;
    this.#path = join(gitdir, refName);
    this.#lockPath = `${this.#path}.lock`;
    this.#objects = join(gitdir, "objects");
    this.#loose = new WatchedFile(fs.disk, this.#path);
    this.#packed = new WatchedFile(fs.disk, join(gitdir, "packed-refs"));
  }

  /**
   * The commit that main is at now.
   * @throws SkepError `not-found` when there is no repository, `content-invalid` when it has no such branch.
   */
  read(): Oid {
    // Packing writes packed-refs first and removes the loose file then: a second look finds what moved between.
    const oid = this.#readLoose() ?? this.#readPacked() ?? this.#readLoose();
    if (oid !== undefined) return oid;
    const repository = this.#fs.disk.statSync(this.#objects, { bigint: true, throwIfNoEntry: false });
    if (repository === undefined) throw failure("not-found", "This Hive has no repository.");
    throw failure("content-invalid", "This Hive has no branch main.");
  }

  #readLoose(): Oid | undefined {
    const text = this.#loose.read()?.trimEnd();
    if (text === undefined || isOid(text)) return text;
    const mend = `remove it, then: git update-ref ${refName} <commit>`;
    throw failure("content-invalid", `This Hive's ${refName} is not a commit; to mend it, ${mend}`);
  }

  #readPacked(): Oid | undefined {
    for (const line of this.#packed.read()?.split("\n") ?? []) {
      const [oid = "", name] = line.split(" ");
      if (name === refName && isOid(oid)) return oid;
    }
    return undefined;
  }

  /**
   * Moves main to another commit; durable when it returns.
   * @param expected the commit that was read; undefined for a branch that is not there yet.
   * @param beforeMove runs with the ref locked, just before it moves; what it throws leaves the ref as it was.
   * @throws SkepError `head-moved` when main is elsewhere by now; nothing changed then.
   */
  async move(expected: Oid | undefined, next: Oid, beforeMove: () => Promise<void>): Promise<void> {
    await this.#lock(`${next}\n`);
    try {
      await beforeMove();
      const present = this.#readLoose() ?? this.#readPacked();
      if (present !== expected) throw failure("head-moved", "The Hive was changed by somebody else.");
    } catch (error) {
      await this.#unlock();
      throw error;
    }
    await this.#fs.renameUnsynced(this.#lockPath, this.#path);
    try {
      await this.#fs.syncFolder(dirname(this.#path));
    } catch (error) {
      await this.#restore(expected);
      throw error;
    }
  }

  /** Takes back a move that could not be made durable: it must not be there when its caller is told that it failed. */
  async #restore(previous: Oid | undefined): Promise<void> {
    try {
      if (previous === undefined) {
        await this.#fs.removeFile(this.#path);
      } else {
        await this.#lock(`${previous}\n`);
        await this.#fs.renameUnsynced(this.#lockPath, this.#path);
      }
    } catch {
      // The disk fails in every way; the first error is the one to tell.
    }
  }

  async #lock(content: string): Promise<void> {
    for (const start = Date.now(); ;) {
      try {
        await this.#fs.writeNew(this.#lockPath, content);
        return;
      } catch (error) {
        if (!isSystemError(error, "EEXIST")) throw error;
      }
      if (this.#isAbandoned()) await this.#unlock();
      else if (Date.now() - start > 2 * abandonedAfterMs) {
        throw failure("head-moved", "The Hive's branch is locked by another process.");
      } else await new Promise((resolve) => setTimeout(resolve, retryEveryMs));
    }
  }

  #isAbandoned(): boolean {
    const stats = this.#fs.disk.statSync(this.#lockPath, { bigint: true, throwIfNoEntry: false });
    return stats !== undefined && BigInt(Date.now()) - stats.mtimeNs / 1_000_000n > BigInt(abandonedAfterMs);
  }

  async #unlock(): Promise<void> {
    try {
      await this.#fs.removeFile(this.#lockPath);
    } catch {
      // Left behind, it counts as abandoned soon.
    }
  }
}
