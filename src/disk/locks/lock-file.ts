/** One lock between processes, made, renewed and removed by proper-lockfile. */
import { dirname, join } from "node:path";
import { callbackify } from "node:util";
import { SkepError } from "../../domain/errors.ts";
import { fileIdentity, isSystemError, type Disk } from "../disk.ts";
import { fileNotFound, translateDiskErrors, type DurableFs } from "../durable-fs.ts";
import { onDemand } from "../../on-demand.ts";
import { makeLocksFolder } from "../storage-folder.ts";

/** The shortest that proper-lockfile allows: after a kill the next writer waits no longer than this. */
const staleMs = 2_000;
const updateMs = 1_000;
/** A waiting process tries again after 5 to 25 ms. */
const pollMs = 5;
const pollSpreadMs = 20;
/** A waiting process renews its waiting file at every poll; an older file was left by a killed process. */
const waitingSignMs = 1_000;

/** The error for a lock that was not free in time: `busy`. */
export function lockBusy(): SkepError<"busy"> {
  return new SkepError("busy", "Other changes are under way; try again soon.", { retryAfter: 5 });
}

/** The error for a lock that does not hold any more; whoever holds it runs again. */
export function lockLost(name: string, why: string): SkepError<"lock-lost"> {
  return new SkepError("lock-lost", why, { name });
}

/** Loaded at first use, because most commands only read. */
const properLockfile = onDemand(() => import("proper-lockfile"));

/** The lock file of one name: a folder that proper-lockfile makes, renews and removes. */
export class LockFile {
  readonly #fs: DurableFs;
  readonly #name: string;
  readonly #path: string;
  readonly #waitingSign: string;
  #held: Hold | undefined;

  constructor(fs: DurableFs, folder: string, name: string) {
    this.#fs = fs;
    this.#name = name;
    this.#path = join(folder, `${name}.lock`);
    this.#waitingSign = join(folder, `${name}.waiting`);
  }

  /** Whether the lock file still exists and is ours. Never throws. */
  get isHeld(): boolean {
    try {
      return this.#held?.compromised === false && this.#held.identity === this.#identity();
    } catch {
      return false;
    }
  }

  /**
   * Waits for the lock file.
   * @param deadline on the clock of `performance.now()`.
   * @throws SkepError `busy` after the deadline, `storage-missing`.
   */
  async acquire(deadline: number): Promise<void> {
    let waited = false;
    try {
      while (!(await this.#tryAcquire())) {
        if (performance.now() >= deadline) throw lockBusy();
        waited = true;
        await this.#showWaiting();
        await sleep(pollMs + Math.random() * pollSpreadMs);
      }
    } finally {
      if (waited) await this.#fs.disk.promises.unlink(this.#waitingSign).catch(() => undefined);
    }
  }

  async #tryAcquire(again = true): Promise<boolean> {
    try {
      const hold = { compromised: false };
      const { lock } = await properLockfile();
      const release = await translateDiskErrors(() =>
        lock(this.#path, {
          lockfilePath: this.#path,
          realpath: false,
          stale: staleMs,
          update: updateMs,
          fs: lockDisk(this.#fs.disk).fs,
          onCompromised: () => (hold.compromised = true),
        }),
      );
      try {
        const identity = this.#identity();
        if (identity === undefined) throw fileNotFound(this.#path);
        lockDisk(this.#fs.disk).owned.set(this.#path, identity);
        this.#held = Object.assign(hold, { identity, release });
        return true;
      } catch (error) {
        await release().catch(() => undefined);
        throw error;
      }
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ELOCKED") return false;
      if (!isSystemError(error, "ENOENT") || !again) throw error;
      await makeLocksFolder(this.#fs, dirname(this.#path));
      return this.#tryAcquire(false);
    }
  }

  /** @throws SkepError `lock-lost` when another process may have the lock by now. */
  async assertHeld(): Promise<void> {
    const held = this.#held;
    if (held === undefined || held.compromised || held.identity !== this.#identity()) {
      if (held !== undefined) held.compromised = true;
      throw lockLost(this.#name, "The lock was taken over by another process.");
    }
  }

  /** Releases the lock unless another process has it by now. Should that fail, the lock file is soon stale. */
  async release(): Promise<void> {
    const held = this.#held;
    this.#held = undefined;
    try {
      await held?.release();
    } catch {
      // proper-lockfile says that it was compromised in the meantime, or the disk fails.
    } finally {
      lockDisk(this.#fs.disk).owned.delete(this.#path);
    }
  }

  /** Pauses if another process waits for the lock, so that it gets it. */
  async yieldToWaiter(): Promise<void> {
    const sign = await this.#fs.disk.promises.stat(this.#waitingSign).catch(() => undefined);
    // A sign from the future was left before the clock was set back.
    if (sign !== undefined && Math.abs(Date.now() - sign.mtime.getTime()) < waitingSignMs) {
      await sleep(pollMs + 2 * pollSpreadMs);
    }
  }

  async #showWaiting(): Promise<void> {
    const now = new Date();
    try {
      await this.#fs.disk.promises.utimes(this.#waitingSign, now, now);
    } catch {
      await this.#fs.write(this.#waitingSign, "").catch(() => undefined);
    }
  }

  /** The identity of the lock's folder: a process that takes the lock over makes a new one. */
  #identity(): string | undefined {
    return fileIdentity(this.#fs.disk, this.#path);
  }
}

/** The lock file while it is held. */
interface Hold {
  /** Whether another process is known to have taken the lock over. */
  compromised: boolean;
  readonly identity: string;
  readonly release: () => Promise<void>;
}

interface LockDisk {
  readonly fs: object;
  /** The identities of the folders of held locks, by path. */
  readonly owned: Map<string, string>;
}

/** The time of a lock's folder, and since when nobody has renewed it, on the clock of `performance.now()`. */
interface Unrenewed {
  readonly mtime: number;
  readonly since: number;
}

const lockDisks = new WeakMap<Disk, LockDisk>();

/**
 * The file system calls of proper-lockfile, on our disk. One object per disk, because the library caches the clock's
 * precision on it.
 */
function lockDisk(disk: Disk): LockDisk {
  const present = lockDisks.get(disk);
  if (present !== undefined) return present;
  const { promises } = disk;
  const owned = new Map<string, string>();
  const ahead = new Map<string, Unrenewed>();
  /** Whether a lock has a time that is still to come, because the clock was set back, and nobody renews it. */
  const isAbandoned = (path: string, mtime: number): boolean => {
    const seen = ahead.get(path);
    if (owned.has(path) || mtime <= Date.now() + staleMs) ahead.delete(path);
    else if (seen?.mtime !== mtime) ahead.set(path, { mtime, since: performance.now() });
    else return performance.now() - seen.since > staleMs;
    return false;
  };
  const fs = {
    mkdir: callbackify((path: string) => promises.mkdir(path)),
    // Releasing a lock must not remove the one that another process made in its place.
    rmdir: callbackify(async (path: string) => {
      const identity = owned.get(path);
      if (identity !== undefined && identity !== fileIdentity(disk, path)) throw fileNotFound(path);
      await promises.rmdir(path);
    }),
    // When renewing a lock fails with anything but ENOENT, proper-lockfile tries again, and throws out of its timer
    // if the lock was released meanwhile. A lock that cannot be checked is given up instead.
    stat: callbackify(async (path: string) => {
      const { mtime } = await promises.stat(path).catch((cause: unknown) => {
        throw fileNotFound(path, cause);
      });
      return { mtime: isAbandoned(path, mtime.getTime()) ? new Date(0) : mtime };
    }),
    utimes: callbackify((path: string, atime: Date, mtime: Date) => promises.utimes(path, atime, mtime)),
    rmdirSync: (path: string) => disk.rmdirSync(path),
  };
  const made = { fs, owned };
  lockDisks.set(disk, made);
  return made;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
