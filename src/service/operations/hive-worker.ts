/**
 * Runs background work on Hives in a server: finds the Hives that have work due, and does it, in one of several processes
 * at a time. When work is due follows from stored data, so no work is lost when a process ends.
 */
import { isFailure } from "../../domain/errors.ts";
import type { HiveSlug } from "../../domain/names.ts";
import { describeError, type Log } from "../../log.ts";
import type { Background } from "../background.ts";
import type { Storage } from "../storage.ts";
import { Semaphore } from "../../disk/semaphore.ts";

/** Runs a function later. @returns a function that cancels it. */
export type After = (ms: number, run: () => void) => () => void;

/** @template Unit what is worked on by itself: a Hive, or the name of a part of its work. */
export interface HiveWork<Unit extends string = HiveSlug> {
  readonly units: () => Promise<readonly Unit[]>;
  readonly hiveOf: (unit: Unit) => HiveSlug;
  /** When there is something to do for a unit, in milliseconds since 1970; `Infinity` if there is nothing. */
  readonly dueAt: (unit: Unit) => Promise<number>;
  /** Does it. @throws SkepError `busy` when another process does, `not-found` when the Hive is no more. */
  readonly run: (unit: Unit, signal: AbortSignal) => Promise<void>;
  /** Called when the worker starts. @returns a function that is called when it stops. */
  readonly begin?: (worker: HiveWorker<Unit>) => () => void;
  /** How many milliseconds after a run all units are checked again. */
  readonly restMs: number;
  /** How long it is left alone when another process works on it; a minute if undefined. */
  readonly busyRestMs?: number;
  /** How long it is left alone after an error of the storage itself; a minute if undefined. */
  readonly troubleRestMs?: number;
  readonly maxRuns: number;
  /** What the log says when the Hives cannot be listed, and when the work on one failed. */
  readonly problems: { readonly list: string; readonly run: string };
}

export interface WorkerOptions {
  readonly storage: Storage;
  readonly log: Log;
  readonly after?: After;
  /** Gives a random number from 0 to 1. */
  readonly random?: () => number;
}

/** A time in which nothing is done, in milliseconds since 1970. */
export interface Wait {
  readonly since: number;
  readonly until: number;
}

/** When a wait ends. One from the future is over: the clock was set back, which must not extend it. */
export function endOf(wait: Wait | undefined, now: number): number {
  return wait === undefined || wait.since > now ? 0 : wait.until;
}

/** How often changes by other processes are checked for. */
const pollMs = 2_000;
const usualRestMs = 60_000;

const afterTimeout: After = (ms, run) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};

export class HiveWorker<Unit extends string = HiveSlug> implements Background {
  readonly #work: HiveWork<Unit>;
  readonly #storage: Storage;
  readonly #log: Log;
  readonly #after: After;
  readonly #semaphore: Semaphore;
  readonly #stopping = new AbortController();
  /** Units that are skipped. */
  readonly #resting = new Map<Unit, Wait>();
  readonly #runs = new Map<Unit, Promise<void>>();
  readonly #checks = new Set<Promise<void>>();
  #check: Promise<void> | undefined;
  #end = (): void => {};
  #wake: { readonly at: number; readonly cancel: () => void } | undefined;

  constructor(work: HiveWork<Unit>, { storage, log, after = afterTimeout }: WorkerOptions) {
    this.#work = work;
    [this.#storage, this.#log, this.#after] = [storage, log, after];
    this.#semaphore = new Semaphore(work.maxRuns);
  }

  /** Starts, first with work that earlier processes left. */
  start(): void {
    this.#end = this.#work.begin?.(this) ?? this.#end;
    this.wakeIn(0);
  }

  /** Stops what is running and releases its locks; the next start resumes it. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#end();
    this.#wake?.cancel();
    await this.settled();
  }

  /** Resolves when all checks and all work that have begun are over. */
  async settled(): Promise<void> {
    while (this.#check !== undefined || this.#runs.size > 0 || this.#checks.size > 0) {
      await Promise.all([this.#check, ...this.#runs.values(), ...this.#checks]);
    }
  }

  checkNow(unit: Unit): void {
    if (this.#stopping.signal.aborted) return;
    const check = async (): Promise<void> => {
      const next = await this.#checkUnit(unit);
      if (next < pollMs) this.wakeIn(next);
    };
    const checking = check().finally(() => this.#checks.delete(checking));
    this.#checks.add(checking);
  }

  /** Schedules a check of all units after some milliseconds, unless one is scheduled earlier. */
  wakeIn(ms: number): void {
    if (this.#stopping.signal.aborted) return;
    const at = this.#now + ms;
    if (this.#wake !== undefined && this.#wake.at <= at) return;
    this.#wake?.cancel();
    const run = (): void => {
      this.#wake = undefined;
      // A running check may have passed a unit already; it schedules the next check.
      this.#check ??= this.#checkAll();
    };
    this.#wake = { at, cancel: this.#after(ms, run) };
  }

  get #now(): number {
    return this.#storage.now();
  }

  /** Never rejects. */
  async #checkAll(): Promise<void> {
    let next = pollMs;
    try {
      const units = await this.#work.units();
      const listed = new Set(units);
      for (const unit of this.#resting.keys()) if (!listed.has(unit)) this.#resting.delete(unit);
      for (const unit of units) next = Math.min(next, await this.#checkUnit(unit));
    } catch (error) {
      next = usualRestMs;
      this.#log.error({ error: describeError(error) }, this.#work.problems.list);
    }
    this.#check = undefined;
    this.wakeIn(next);
  }

  /** Begins the work on a unit if that is due. @returns after how many milliseconds to check again. Never rejects. */
  async #checkUnit(unit: Unit): Promise<number> {
    const isResting = endOf(this.#resting.get(unit), this.#now) > this.#now;
    if (this.#runs.has(unit) || isResting) return pollMs;
    try {
      const due = await this.#work.dueAt(unit);
      if (due > this.#now) return due - this.#now;
      // Another check may have begun it meanwhile.
      if (!this.#runs.has(unit)) this.#begin(unit);
    } catch (error) {
      this.#report(unit, error);
    }
    return pollMs;
  }

  #begin(unit: Unit): void {
    const running = this.#semaphore.run(async () => {
      try {
        await this.#work.run(unit, this.#stopping.signal);
      } catch (error) {
        this.#report(unit, error);
      }
      this.#runs.delete(unit);
      this.wakeIn(this.#work.restMs);
    });
    this.#runs.set(unit, running);
  }

  #report(unit: Unit, error: unknown): void {
    // The Hive has just been deleted.
    if (isFailure(error, "not-found")) return;
    const isBusy = isFailure(error, "busy");
    const since = this.#now;
    const { busyRestMs = usualRestMs, troubleRestMs = usualRestMs } = this.#work;
    this.#resting.set(unit, { since, until: since + (isBusy ? busyRestMs : troubleRestMs) });
    if (isBusy) return;
    const hive = this.#work.hiveOf(unit);
    this.#log.error({ hive, error: describeError(error) }, this.#work.problems.run);
  }
}
