/**
 * The branch `main`: read at every request, moved by one rename.
 *
 * It is moved under git's own lock of the branch, `main.lock`, and only from the commit that was read. That is the
 * guard that holds against every other writer, git included; the lock above it only saves work. What is renamed over
 * the ref is a file of ours, never `main.lock`: whatever happens to that name, nobody else's content becomes the ref.
 */
import { dirname, join } from "node:path";
import { failure } from "../domain/errors.ts";
import { isOid, type Oid } from "../domain/names.ts";
import type { DurableFs, StagedFile } from "./durable-fs.ts";
import { RefLock } from "./ref-lock.ts";
import { WatchedFile } from "./watched-file.ts";

const refName = "refs/heads/main";

/** What stands between a commit and the branch. */
export interface RefMove {
  /** The commit that was read; undefined for a branch that is not there yet. */
  readonly expected: Oid | undefined;
  readonly next: Oid;
  /** Makes everything durable that the ref will reach. */
  readonly prepare: () => Promise<void>;
  /** Runs last, with the ref locked; what it throws leaves the ref as it was. */
  readonly confirm?: () => Promise<void>;
}

export class MainRef {
  readonly #fs: DurableFs;
  readonly #path: string;
  readonly #objects: string;
  readonly #loose: WatchedFile;
  readonly #packed: WatchedFile;

  constructor(fs: DurableFs, gitdir: string) {
    this.#fs = fs;
    this.#path = join(gitdir, refName);
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
    if (!this.exists()) throw failure("not-found", "This Hive has no repository.");
    throw failure("content-invalid", "This Hive has no branch main.");
  }

  /** As {@link read}, but shared by the requests of one turn of the event loop; undefined when it cannot be read. */
  recent(): Oid | undefined {
    const text = this.#loose.recent()?.trimEnd();
    if (text === undefined) return findMain(this.#packed.recent());
    return isOid(text) ? text : undefined;
  }

  /** Whether there is a repository at all. */
  exists(): boolean {
    return this.#fs.disk.statSync(this.#objects, { bigint: true, throwIfNoEntry: false }) !== undefined;
  }

  #readLoose(): Oid | undefined {
    const text = this.#loose.read()?.trimEnd();
    if (text === undefined || isOid(text)) return text;
    const mend = `remove it, then: git update-ref ${refName} <commit>`;
    throw failure("content-invalid", `This Hive's ${refName} is not a commit; to mend it, ${mend}`);
  }

  #readPacked(): Oid | undefined {
    return findMain(this.#packed.read());
  }

  /**
   * Moves main to another commit; durable when it returns. The caller holds the Hive's lock.
   * @throws SkepError `head-moved` when main is elsewhere by now, `busy` when git has it locked; nothing changed then.
   */
  async move({ expected, next, prepare, confirm }: RefMove): Promise<void> {
    const lock = new RefLock(this.#fs, this.#path);
    const staging = this.#fs.stage(this.#path, `${next}\n`);
    const ready = await Promise.allSettled([lock.stage(), prepare(), staging]);
    const discard = async (): Promise<void> => {
      await lock.discard();
      await staging.then(
        (staged) => staged.discard(),
        () => {},
      );
    };
    try {
      const failed = ready.find((one) => one.status === "rejected");
      if (failed !== undefined) throw failed.reason;
      await lock.acquire();
    } catch (error) {
      await discard();
      throw error;
    }
    try {
      await this.#replace(await staging, expected, async () => {
        await confirm?.();
        lock.assertHeld();
      });
    } finally {
      await lock.release();
    }
  }

  async #replace(staged: StagedFile, expected: Oid | undefined, confirm: () => Promise<void>): Promise<void> {
    try {
      await confirm();
      if ((this.#readLoose() ?? this.#readPacked()) !== expected) {
        throw failure("head-moved", "The Hive was changed by somebody else.");
      }
    } catch (error) {
      await staged.discard();
      throw error;
    }
    await staged.replace();
    this.#loose.lookAgain();
    try {
      await this.#fs.syncFolder(dirname(this.#path));
    } catch (error) {
      // It must not be there when its caller is told that it failed; the ref is still locked, so nobody moved it on.
      await (expected === undefined
        ? this.#fs.removeFile(this.#path)
        : this.#fs.write(this.#path, `${expected}\n`));
      throw error;
    }
  }
}

/** The commit of main in the text of `packed-refs`. */
function findMain(packedRefs: string | undefined): Oid | undefined {
  for (const line of packedRefs?.split("\n") ?? []) {
    const [oid = "", name] = line.split(" ");
    if (name === refName && isOid(oid)) return oid;
  }
  return undefined;
}
