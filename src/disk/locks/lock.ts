/**
 * Named locks: a fair queue within the process, and behind it one lock file between processes.
 *
 * Waiters in this process do not poll the disk, and one hold of the lock file serves several of them one after the
 * other, so that many writers are as fast as one. The lock file is advisory: a process that stalls longer than its lock
 * lasts loses the lock, which {@link HeldLock.assertHeld} detects before anything is moved.
 */
import type { EngineResult } from "../../domain/engines/engine-use.ts";
import { isFailure } from "../../domain/errors.ts";
import type { DurableFs } from "../durable-fs.ts";
import type { HeldLock, LockScope } from "../held-lock.ts";
import { lockBusy, LockFile, lockLost } from "./lock-file.ts";

/** Receives durations: a port, so that the store does not depend on metrics. Its functions must return quickly. */
export interface StoreObserver {
  /**
   * A lock was acquired, or the wait for it timed out.
   * @param kind the kind of thing that is locked: one of a few words, never a name.
   */
  readonly lockWaited: (kind: string, ms: number) => void;
  /** A commit was made. @param ms how long that took since the plan was ready. */
  readonly committed: (ms: number) => void;
  /** A write was refused for some checks, by their ids. */
  readonly refused: (checks: ReadonlySet<string>) => void;
  /**
   * An engine that translates was asked.
   * @param type of the engine.
   * @param spent what it was sent, in characters, and what it has counted; nothing where it was not asked.
   */
  readonly engineAsked?: (
    type: string,
    result: EngineResult,
    spent: { readonly characters: number; readonly tokens: number },
  ) => void;
}

export interface LockOptions {
  /** How long a caller waits for the lock. */
  readonly timeoutMs?: number;
  readonly observer?: Pick<StoreObserver, "lockWaited">;
  /** Runs whenever a holder makes sure of its lock, just before it changes something; what it throws prevents that. */
  readonly assertAllowed?: () => void;
  /**
   * The version of what holders read. A lock belongs to the version of the moment in which it was acquired, and is lost
   * as soon as there is another one; see also {@link HeldLock.advance}.
   * @param scope what a holder reads; everything when undefined.
   */
  readonly version?: (scope?: LockScope) => string | undefined;
  /** Brings the version up to date, before a function whose lock was lost runs again. */
  readonly refresh?: () => Promise<void>;
}

/** Where a waiter is put in the queue: at the end, or before all that have no priority. */
export type LockPriority = "in-order" | "first";

interface HowToHold {
  readonly priority: LockPriority;
  readonly scope: LockScope | undefined;
}

/** How much one hold of the lock file may serve before another process gets a chance. */
const maxServed = 16;
const maxHoldMs = 100;
interface Waiter extends HowToHold {
  /** On the clock of `performance.now()`, which nobody can set. */
  readonly deadline: number;
  readonly run: (lock: HeldLock) => Promise<void>;
  readonly fail: (error: unknown) => void;
}

export class Locks {
  readonly #fs: DurableFs;
  readonly #folder: string;
  readonly #timeoutMs: number;
  readonly #options: LockOptions;
  readonly #queues = new Map<string, Waiter[]>();

  constructor(fs: DurableFs, folder: string, options: LockOptions = {}) {
    this.#fs = fs;
    this.#folder = folder;
    this.#timeoutMs = options.timeoutMs ?? 30_000;
    this.#options = options;
  }

  /**
   * Runs a function while holding the lock of that name. When the function fails because the lock was lost, it runs
   * again under a new lock, until its time is over.
   * @param scope what the function reads; everything when undefined.
   * @throws SkepError `busy` when the lock was not free in time, `storage-missing` when the storage does not exist.
   */
  async hold<T>(
    name: string,
    run: (lock: HeldLock) => Promise<T>,
    priority: LockPriority = "in-order",
    scope?: LockScope,
  ): Promise<T> {
    const deadline = performance.now() + this.#timeoutMs;
    for (;;) {
      try {
        return await this.#holdOnce(name, { deadline, priority, scope }, run);
      } catch (error) {
        if (!isFailure(error, "lock-lost") || error.data.name !== name) throw error;
        if (performance.now() >= deadline) throw lockBusy();
      }
      await this.#options.refresh?.();
    }
  }

  #holdOnce<T>(
    name: string,
    { deadline, priority, scope }: Pick<Waiter, "deadline" | "priority" | "scope">,
    run: (lock: HeldLock) => Promise<T>,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const start = performance.now();
      const waited = (): void =>
        this.#options.observer?.lockWaited(name.replace(/-.*$/, ""), performance.now() - start);
      const queue = this.#queues.get(name) ?? [];
      const patience = setTimeout(() => {
        queue.splice(queue.indexOf(waiter), 1);
        waited();
        reject(lockBusy());
      }, deadline - performance.now());
      const waiter: Waiter = {
        priority,
        scope,
        deadline,
        run: async (lock) => {
          clearTimeout(patience);
          waited();
          try {
            // Awaited here, so that a function which throws before it returns a promise ends its hold, too.
            resolve(await run(lock));
          } catch (error) {
            reject(error);
            // Otherwise each would find out after the one before it.
            if (isFailure(error, "record-unavailable")) {
              for (const other of queue.splice(0)) other.fail(error);
            }
          }
        },
        fail: (error) => {
          clearTimeout(patience);
          waited();
          reject(error);
        },
      };
      const firstInOrder =
        priority === "first" ? queue.findIndex((other) => other.priority === "in-order") : -1;
      queue.splice(firstInOrder === -1 ? queue.length : firstInOrder, 0, waiter);
      if (this.#queues.has(name)) return;
      this.#queues.set(name, queue);
      void this.#serve(name, queue);
    });
  }

  /** Serves the queue of one name until it is empty. Never rejects. */
  async #serve(name: string, queue: Waiter[]): Promise<void> {
    const file = new LockFile(this.#fs, this.#folder, name);
    for (let first = queue[0]; first !== undefined; first = queue[0]) {
      try {
        await file.acquire(first.deadline);
      } catch (error) {
        // Another waiter may have been put before this one meanwhile.
        const place = queue.indexOf(first);
        if (place !== -1) queue.splice(place, 1);
        first.fail(error);
        continue;
      }
      await this.#serveWaiters(name, queue, file);
      await file.release();
      if (queue.length > 0) await file.yieldToWaiter();
    }
    this.#queues.delete(name);
  }

  async #serveWaiters(name: string, queue: Waiter[], file: LockFile): Promise<void> {
    const start = performance.now();
    for (let served = 0; served < maxServed && performance.now() - start < maxHoldMs; served++) {
      const waiter = queue.shift();
      if (waiter === undefined) return;
      await waiter.run(this.#heldLock(name, file, waiter.scope));
      if (queue.length > 0 && !file.isHeld) return;
    }
  }

  #heldLock(name: string, file: LockFile, scope: LockScope | undefined): HeldLock {
    const { assertAllowed, version } = this.#options;
    let taken = version?.(scope);
    let isLost = false;
    return {
      scope,
      assertHeld: async () => {
        assertAllowed?.();
        await file.assertHeld();
        if (isLost || version?.(scope) !== taken)
          throw lockLost(name, "What was read under the lock has changed.");
      },
      advance: (change) => {
        const isCurrent = version?.(scope) === taken;
        change();
        if (isCurrent) taken = version?.(scope);
      },
      lose: () => void (isLost = true),
    };
  }
}
