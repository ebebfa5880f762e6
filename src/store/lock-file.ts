/** One lock between processes, made, renewed and removed by proper-lockfile. */
import { dirname, join } from "node:path";
import { callbackify } from "node:util";
import lockfile from "proper-lockfile";
import { SkepError } from "../domain/errors.ts";
import { isSystemError, type Disk, type DiskStats } from "./disk.ts";
import type { DurableFs } from "./durable-fs.ts";

/** A lock that is held while a function runs. */
export interface HeldLock {
  /** @throws SkepError `lock-lost` when another process may have the lock by now. */
  assertHeld(): Promise<void>;
}

/** proper-lockfile's shortest: after a kill the next writer waits no longer than this. */
const staleMs = 2_000;
const updateMs = 1_000;
/** A waiting process asks again after 5 to 25 ms. */
const pollMs = 5;
const pollSpreadMs = 20;
/** A process that waits renews its sign at every poll; one older than this is left over. */
const waitingSignMs = 1_000;

/** The error for a turn that did not come in time: `busy`. */
export function busy(): SkepError<"busy"> {
  return new SkepError("busy", "Other changes are under way; try again soon.", { retryAfter: 5 });
}

/** The lock file of one name: a folder that proper-lockfile makes, renews and removes. */
export class LockFile implements HeldLock {
  readonly #fs: DurableFs;
  readonly #name: string;
  readonly #path: string;
  readonly #waitingSign: string;
  #held: { readonly identity: string; readonly release: () => Promise<void> } | undefined;
  #compromised = false;

  constructor(fs: DurableFs, folder: string, name: string) {
    this.#fs = fs;
    this.#name = name;
    this.#path = join(folder, `${name}.lock`);
    this.#waitingSign = join(folder, `${name}.waiting`);
  }

  get isCompromised(): boolean {
    return this.#compromised;
  }

  /** Waits for the lock file. @throws SkepError `busy` after the deadline. */
  async acquire(deadline: number): Promise<void> {
    let waited = false;
    try {
      while (!(await this.#tryAcquire())) {
        if (Date.now() >= deadline) throw busy();
        waited = true;
        await this.#showWaiting();
        await sleep(pollMs + Math.random() * pollSpreadMs);
      }
    } finally {
      if (waited) await this.#fs.disk.promises.unlink(this.#waitingSign).catch(() => undefined);
    }
  }

  async #tryAcquire(): Promise<boolean> {
    try {
      this.#compromised = false;
      const release = await lockfile.lock(this.#path, {
        lockfilePath: this.#path,
        realpath: false,
        stale: staleMs,
        update: updateMs,
        fs: lockDisk(this.#fs.disk),
        onCompromised: () => (this.#compromised = true),
      });
      this.#held = { identity: this.#identity(), release };
      return true;
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ELOCKED") return false;
      if (!isSystemError(error, "ENOENT")) throw error;
      // The folder of locks is missing at the first use.
      await this.#fs.makeFolder(dirname(this.#path));
      return this.#tryAcquire();
    }
  }

  async assertHeld(): Promise<void> {
    if (this.#compromised || this.#held === undefined || this.#held.identity !== this.#identity()) {
      this.#compromised = true;
      throw new SkepError("lock-lost", "The lock was taken over by another process.", { name: this.#name });
    }
  }

  /** Gives the lock file back; whatever goes wrong, it is stale soon. */
  async release(): Promise<void> {
    const held = this.#held;
    this.#held = undefined;
    try {
      // A lock that another process took over is not ours to remove.
      if (held !== undefined && !this.#compromised && held.identity === this.#identity())
        await held.release();
    } catch {
      // proper-lockfile says that it was compromised in the meantime.
    }
  }

  /** Pauses where another process shows that it waits, so that it gets its turn. */
  async giveWay(): Promise<void> {
    const sign = this.#stat(this.#waitingSign);
    if (sign !== undefined && Date.now() - Number(sign.mtimeNs / 1_000_000n) < waitingSignMs) {
      await sleep(pollMs + 2 * pollSpreadMs);
    }
  }

  async #showWaiting(): Promise<void> {
    const now = new Date();
    try {
      await this.#fs.disk.promises.utimes(this.#waitingSign, now, now);
    } catch {
      await this.#fs.writeNew(this.#waitingSign, "").catch(() => undefined);
    }
  }

  /** Which folder the lock is: another process that takes it over makes a new one. */
  #identity(): string {
    const stats = this.#stat(this.#path);
    return stats === undefined ? "gone" : `${stats.ino}:${stats.birthtimeNs}`;
  }

  #stat(path: string): DiskStats | undefined {
    return this.#fs.disk.statSync(path, { bigint: true, throwIfNoEntry: false });
  }
}

const lockDisks = new WeakMap<Disk, object>();

/** The calls that proper-lockfile makes, on our disk. One object a disk: it remembers the clock's precision on it. */
function lockDisk(disk: Disk): object {
  const present = lockDisks.get(disk);
  if (present !== undefined) return present;
  const { promises } = disk;
  const made = {
    mkdir: callbackify((path: string) => promises.mkdir(path)),
    rmdir: callbackify((path: string) => promises.rmdir(path)),
    stat: callbackify((path: string) => promises.stat(path)),
    utimes: callbackify((path: string, atime: Date, mtime: Date) => promises.utimes(path, atime, mtime)),
    rmdirSync: (path: string) => disk.rmdirSync(path),
  };
  lockDisks.set(disk, made);
  return made;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
