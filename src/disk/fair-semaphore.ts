/** Bounds how many operations run at once, and shares the places fairly between owners. */
import { SkepError } from "../domain/errors.ts";

export interface FairSemaphoreOptions {
  /** How many operations run at once. */
  readonly size: number;
  /** How many operations of one owner may wait; further ones are refused. */
  readonly maxWaiting: number;
  /** The error message for refused operations. */
  readonly refusal: string;
  /** After how many seconds a refused caller may try again. */
  readonly retryAfter: number;
}

interface Owner {
  running: number;
  /** Functions that start the waiting operations, in order of arrival. */
  readonly waiting: Set<() => void>;
}

/**
 * An owner may never have more operations running than there are free places: of sixteen places the first owner gets
 * eight, the next four, and so on. So there is always a place for the next owner, however long the others take. Among
 * waiting owners, the one with the fewest running operations is served next; among equals, the one that waited longest.
 */
export class FairSemaphore {
  readonly #options: FairSemaphoreOptions;
  /** The owners with running or waiting operations; the one served last is at the end. */
  readonly #owners = new Map<string, Owner>();
  #running = 0;

  constructor(options: FairSemaphoreOptions) {
    this.#options = options;
  }

  /** How many operations are running. */
  get running(): number {
    return this.#running;
  }

  /** How many operations of all owners are waiting. */
  get waiting(): number {
    let waiting = 0;
    for (const owner of this.#owners.values()) waiting += owner.waiting.size;
    return waiting;
  }

  /** How many operations of one owner are waiting. */
  waitingOf(owner: string): number {
    return this.#owners.get(owner)?.waiting.size ?? 0;
  }

  /**
   * Runs an operation as soon as its owner gets a place.
   * @param signal ends the wait; a running operation has to watch it itself.
   * @throws SkepError `busy` when too many of the owner's operations wait; the signal's reason; the operation's error.
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
   * @returns a function that gives the place back; further calls of it do nothing.
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
