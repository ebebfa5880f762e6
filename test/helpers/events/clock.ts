import { setImmediate } from "node:timers/promises";
import type { After } from "../../../src/service/operations/hive-worker.ts";

/** What works in the background, and can be waited for. */
interface Settling {
  readonly settled: () => Promise<void>;
}

/** Time that moves only when it is told to. */
export class Clock {
  time = Date.now();
  #timers: { at: number; run: () => void }[] = [];

  readonly now = (): number => this.time;

  readonly after: After = (ms, run) => {
    const timer = { at: this.time + ms, run };
    this.#timers.push(timer);
    return () => void (this.#timers = this.#timers.filter((other) => other !== timer));
  };

  async advance(ms: number, ...workers: readonly Settling[]): Promise<void> {
    const end = this.time + ms;
    for (;;) {
      await Promise.all(workers.map((worker) => worker.settled()));
      const [next] = this.#timers.toSorted((a, b) => a.at - b.at);
      if (next === undefined || next.at > end) break;
      this.#timers = this.#timers.filter((other) => other !== next);
      this.time = Math.max(this.time, next.at);
      next.run();
    }
    this.time = end;
  }

  /**
   * Runs what is due until something has happened.
   * @param pause how long is waited between: where something ends with the time, it must not end while a disk or a database
   * is slow.
   */
  async until(
    hasHappened: () => boolean,
    pause: () => Promise<unknown> = () => setImmediate(),
  ): Promise<void> {
    while (!hasHappened()) {
      await this.advance(100);
      await pause();
    }
  }
}
