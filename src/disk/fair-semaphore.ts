/** A bounded number of operations at once, shared between owners so that none of them can keep the others out. */
import { SkepError } from "../domain/errors.ts";

export interface FairSemaphoreOptions {
  /** How many operations run at once. */
  readonly size: number;
  /** How many of each owner may wait; more are refused. */
  readonly maxWaiting: number;
  /** What is told to those that are refused. */
  readonly refusal: string;
  /** How soon they may try again, in seconds. */
  readonly retryAfter: number;
}

interface Owner {
  running: number;
  /** What starts those that wait, in the order they came. */
  readonly waiting: Set<() => void>;
}

/**
 * An owner may have no more running than are left free for the others: of sixteen places one owner gets eight, the
 * next four, and so on. So there is a place for whoever comes next, however long the others take. Of several owners
 * that wait, the one with the fewest running is next, and the one that has waited longest among those.
 */
export class FairSemaphore {
  readonly #options: FairSemaphoreOptions;
  /** Those with anything running or waiting; whoever was served last is at the end. */
  readonly #owners = new Map<string, Owner>();
  #running = 0;

  constructor(options: FairSemaphoreOptions) {
    this.#options = options;
  }

  /** How many operations run. */
  get running(): number {
    return this.#running;
  }

  /** How many wait, of all owners. */
  get waiting(): number {
    let waiting = 0;
    for (const owner of this.#owners.values()) waiting += owner.waiting.size;
    return waiting;
  }

  /** How many of one owner wait. */
  waitingOf(owner: string): number {
    return this.#owners.get(owner)?.waiting.size ?? 0;
  }

  /**
   * Runs an operation as soon as its owner may have a place.
   * @param signal ends the waiting; to end what runs is for the operation itself.
   * @throws SkepError `busy` when too many of the owner's wait already; the signal's reason; what the operation throws.
   */
  async run<T>(owner: string, signal: AbortSignal, operation: () => Promise<T>): Promise<T> {
    const release = await this.acquire(owner, signal);
    try {
      return await operation();
    } finally {
      release();
    }
  }

  /**
   * Takes a place as soon as the owner may have one.
   * @returns what gives it back; calling that again does nothing.
   * @throws as {@link run}.
   */
  async acquire(name: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    const owner = this.#owners.get(name) ?? { running: 0, waiting: new Set() };
    this.#owners.set(name, owner);
    if (owner.waiting.size === 0 && this.#hasRoom(owner)) this.#start(name, owner);
    else await this.#wait(name, owner, signal);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      owner.running--;
      this.#running--;
      this.#forgetIdle(name, owner);
      this.#startWaiting();
    };
  }

  #wait(name: string, owner: Owner, signal: AbortSignal): Promise<void> {
    const { maxWaiting, refusal, retryAfter } = this.#options;
    if (owner.waiting.size >= maxWaiting) {
      this.#forgetIdle(name, owner);
      throw new SkepError("busy", refusal, { retryAfter });
    }
    return new Promise((resolve, reject) => {
      const start = (): void => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = (): void => {
        owner.waiting.delete(start);
        this.#forgetIdle(name, owner);
        reject(signal.reason);
      };
      signal.addEventListener("abort", leave, { once: true });
      owner.waiting.add(start);
    });
  }

  #hasRoom({ running }: Owner): boolean {
    return running < this.#options.size - this.#running;
  }

  #start(name: string, owner: Owner): void {
    owner.running++;
    this.#running++;
    this.#owners.delete(name);
    this.#owners.set(name, owner);
  }

  #startWaiting(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const [name, owner, start] = next;
      owner.waiting.delete(start);
      this.#start(name, owner);
      start();
    }
  }

  #next(): readonly [string, Owner, () => void] | undefined {
    let next: readonly [string, Owner, () => void] | undefined;
    for (const [name, owner] of this.#owners) {
      const [start] = owner.waiting;
      if (start === undefined || !this.#hasRoom(owner)) continue;
      if (next === undefined || owner.running < next[1].running) next = [name, owner, start];
    }
    return next;
  }

  #forgetIdle(name: string, { running, waiting }: Owner): void {
    if (running === 0 && waiting.size === 0) this.#owners.delete(name);
  }
}
