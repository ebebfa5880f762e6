/** git's own lock of a ref, `<ref>.lock`, taken so that git knows it, and left so that we know it again. */
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { SkepError, failure } from "../../domain/errors.ts";
import { fileIdentity, isSystemError, statNow } from "../../disk/disk.ts";
import type { DurableFs, StagedFile } from "../../disk/durable-fs.ts";

/** Tells this process from all others that ever ran. */
const processId = randomBytes(6).toString("hex");
/** git holds a ref's lock for milliseconds, but for as long as a hook of its user runs. */
const patienceMs = 5_000;
const retryEveryMs = 10;
/** A writer that is alive and this slow was stopped, and has lost the Hive's lock long ago. */
const hopelessAfterMs = 600_000;

/**
 * The lock file is made in full under another name and linked into place: it is never there half-written, so that one
 * that a crash left behind can always be told from git's.
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

  /** Gets the lock file ready; it can be done while other things are. */
  async stage(): Promise<void> {
    this.#staged = await this.#fs.stage(this.#path, this.#content);
  }

  /**
   * Takes the lock. A lock that a process of ours left behind is broken: the caller holds the Hive's lock, so no other
   * process of ours can have it. git's is waited for.
   * @throws SkepError `busy` naming the file when git does not give it back.
   */
  async acquire(): Promise<void> {
    const staged = this.#staged;
    if (staged === undefined) throw new Error("the lock was not staged");
    for (const start = Date.now(); !(await staged.linkInto());) {
      if (await this.#isLeftover()) await this.#fs.removeFile(this.#path);
      else if (Date.now() - start > patienceMs) throw this.#busy();
      else await new Promise((resolve) => setTimeout(resolve, retryEveryMs));
    }
    this.#identity = this.#currentIdentity();
    // Only release() waits for this.
    void staged.discard();
  }

  /** @throws SkepError `head-moved` when the lock file is not ours any more. */
  assertHeld(): void {
    if (this.#identity === undefined || this.#currentIdentity() !== this.#identity) {
      throw failure("head-moved", "The lock of the Hive's branch was broken by another process.");
    }
  }

  /** Gives the lock back, if it was acquired and is still ours; left behind, it is known for ours. Never throws. */
  async release(): Promise<void> {
    await this.#staged?.discard();
    try {
      this.assertHeld();
      await this.#fs.disk.promises.unlink(this.#path);
    } catch {
      // It was not acquired, or is another process's, or the disk fails: then the next writer of ours breaks it.
    }
  }

  async #isLeftover(): Promise<boolean> {
    const [maker, host, pid = "", writer] = (await this.#fs.readText(this.#path))?.split(" ") ?? [];
    if (maker !== "skep") return false;
    const stats = statNow(this.#fs.disk, this.#path);
    const age = stats === undefined ? 0 : Date.now() - Number(stats.mtimeNs / 1_000_000n);
    return writer === processId || age > hopelessAfterMs || (host === hostname() && !isAlive(Number(pid)));
  }

  #busy(): SkepError<"busy"> {
    const file = this.#path.slice(this.#path.lastIndexOf("refs/"));
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
