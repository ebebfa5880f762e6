/** Git's own lock of a ref, the file `<ref>.lock`: git respects it, and its text tells later which process made it. */
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { SkepError, failure } from "../../domain/errors.ts";
import { fileIdentity, isSystemError, statNow } from "../../disk/disk.ts";
import type { DurableFs, StagedFile } from "../../disk/durable-fs.ts";

/** Identifies this process among all that ever ran. */
const processId = randomBytes(6).toString("hex");
/** Git holds a ref's lock for milliseconds, or for as long as a hook of its user runs. */
const timeoutMs = 5_000;
const retryEveryMs = 10;
/** A living writer that is this slow was suspended, and has lost the Hive's lock long ago. */
const abandonedAfterMs = 600_000;

/**
 * The lock file is written under another name and linked into place. So it is never half-written, and one that a crash
 * left behind can always be distinguished from git's.
 */
export class RefLock {
  readonly #fs: DurableFs;
  readonly #path: string;
  readonly #content: string;
  #staged: StagedFile | undefined;
  #identity: string | undefined;

  /** @param ref the path of the ref's file. */
  constructor(fs: DurableFs, ref: string) {
    this.#fs = fs;
    this.#path = `${ref}.lock`;
    this.#content = `skep ${hostname()} ${process.pid} ${processId} ${randomBytes(6).toString("hex")}\n`;
  }

  /** Writes the lock file under a temporary name, so that {@link acquire} only has to link it. */
  async stage(): Promise<void> {
    this.#staged = await this.#fs.stage(this.#path, this.#content);
  }

  /**
   * Acquires the lock. A lock that another Skep process left behind is broken: the caller holds the Hive's lock, so no
   * other Skep process can hold this one. A lock of git is waited for.
   * @throws SkepError `busy`, naming the file, when git does not release it in time.
   */
  async acquire(): Promise<void> {
    const staged = this.#staged;
    if (staged === undefined) throw new Error("the lock was not staged");
    for (const start = performance.now(); !(await staged.linkInto());) {
      if (await this.#isLeftover()) await this.#fs.removeFile(this.#path);
      else if (performance.now() - start > timeoutMs) throw this.#busy();
      else await new Promise((resolve) => setTimeout(resolve, retryEveryMs));
    }
    this.#identity = this.#currentIdentity();
    // release() waits for this.
    void staged.discard();
  }

  /** @throws SkepError `head-moved` when the lock file is no longer ours. */
  assertHeld(): void {
    if (this.#identity === undefined || this.#currentIdentity() !== this.#identity) {
      throw failure("head-moved", "The lock of the Hive's branch was broken by another process.");
    }
  }

  /** Releases the lock if it was acquired and is still ours. Never throws: a later writer breaks a lock that stays. */
  async release(): Promise<void> {
    await this.#staged?.discard();
    try {
      this.assertHeld();
      await this.#fs.disk.promises.unlink(this.#path);
    } catch {
      // It was not acquired, or another process has it, or the disk fails, and then the next writer breaks it.
    }
  }

  async #isLeftover(): Promise<boolean> {
    const [maker, host, pid = "", writer] = (await this.#fs.readText(this.#path))?.split(" ") ?? [];
    if (maker !== "skep") return false;
    const stats = statNow(this.#fs.disk, this.#path);
    const age = stats === undefined ? 0 : Date.now() - Number(stats.mtimeNs / 1_000_000n);
    return writer === processId || age > abandonedAfterMs || (host === hostname() && !isAlive(Number(pid)));
  }

  #busy(): SkepError<"busy"> {
    const folder = ".git/";
    const file = this.#path.slice(this.#path.lastIndexOf(folder) + folder.length);
    const message = `Another git process has ${file} of this Hive; if none runs, remove that file.`;
    return new SkepError("busy", message, { retryAfter: 5 });
  }

  #currentIdentity(): string | undefined {
    return fileIdentity(this.#fs.disk, this.#path);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isSystemError(error, "EPERM");
  }
}
