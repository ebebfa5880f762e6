/**
 * Named locks: a fair queue within the process, and behind it one lock file between processes.
 *
 * Whoever waits in this process does not poll the disk, and a lock file once obtained serves several waiters in
 * turn, so that many writers are no slower together than one. The lock file is advisory: a process that stalls
 * longer than its lock is good for loses it, which {@link HeldLock.assertHeld} tells before anything is moved.
 */
import { isFailure } from "../../domain/errors.ts";
import type { DurableFs } from "../durable-fs.ts";
import { busy, LockFile, type HeldLock } from "./lock-file.ts";
import type { StoreObserver } from "./observer.ts";

export interface LockOptions {
  /** How long a caller waits for its turn. */
  readonly timeoutMs?: number;
  readonly observer?: Pick<StoreObserver, "lockWaited"> | undefined;
}

/** When a waiter has its turn: in the order of asking, or before all that wait in order. */
export type Turn = "in-order" | "first";

/** How much one hold of the lock file may serve before another process gets a chance. */
const maxTurns = 16;
const maxHoldMs = 100;
interface Waiter {
  readonly turn: Turn;
  readonly deadline: number;
  readonly run: (lock: HeldLock) => Promise<void>;
  readonly fail: (error: unknown) => void;
}

export class Locks {
  readonly #fs: DurableFs;
  readonly #folder: string;
  readonly #timeoutMs: number;
  readonly #observer: LockOptions["observer"];
  readonly #queues = new Map<string, Waiter[]>();

  constructor(fs: DurableFs, folder: string, { timeoutMs = 30_000, observer }: LockOptions = {}) {
    this.#fs = fs;
    this.#folder = folder;
    this.#timeoutMs = timeoutMs;
    this.#observer = observer;
  }

  /**
   * Runs a function while holding the lock of that name. When the lock was lost on the way and the function threw
   * for it, it runs again under a new one.
   * @throws SkepError `busy` when the turn did not come in time, `storage-missing` when there is no storage (any more).
   */
  async hold<T>(name: string, run: (lock: HeldLock) => Promise<T>, turn: Turn = "in-order"): Promise<T> {
    const deadline = Date.now() + this.#timeoutMs;
    for (;;) {
      try {
        return await this.#holdOnce(name, { deadline, turn }, run);
      } catch (error) {
        if (!isFailure(error, "lock-lost") || error.data.name !== name) throw error;
      }
    }
  }

  #holdOnce<T>(
    name: string,
    { deadline, turn }: Pick<Waiter, "deadline" | "turn">,
    run: (lock: HeldLock) => Promise<T>,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const start = performance.now();
      const waited = (): void =>
        this.#observer?.lockWaited(name.replace(/-.*$/, ""), performance.now() - start);
      const queue = this.#queues.get(name) ?? [];
      const patience = setTimeout(() => {
        queue.splice(queue.indexOf(waiter), 1);
        waited();
        reject(busy());
      }, deadline - Date.now());
      const waiter: Waiter = {
        turn,
        deadline,
        run: (lock) => {
          clearTimeout(patience);
          waited();
          return run(lock).then(resolve, reject);
        },
        fail: (error) => {
          clearTimeout(patience);
          waited();
          reject(error);
        },
      };
      const firstInOrder = turn === "first" ? queue.findIndex((other) => other.turn === "in-order") : -1;
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
        // Somebody may have been put before it meanwhile.
        const place = queue.indexOf(first);
        if (place !== -1) queue.splice(place, 1);
        first.fail(error);
        continue;
      }
      await this.#serveTurns(queue, file);
      await file.release();
      if (queue.length > 0) await file.giveWay();
    }
    this.#queues.delete(name);
  }

  async #serveTurns(queue: Waiter[], file: LockFile): Promise<void> {
    const start = Date.now();
    for (let turn = 0; turn < maxTurns && Date.now() - start < maxHoldMs; turn++) {
      const waiter = queue.shift();
      if (waiter === undefined) return;
      await waiter.run(file);
      if (queue.length > 0 && !file.isHeld) return;
    }
  }
}
