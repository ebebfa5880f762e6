/** Time limits that are over when a test says so, and not when the machine happened to be slow. */
import { expect, onTestFinished, vi } from "vitest";
import { eventually } from "../eventually.ts";

export interface HeldLimit {
  /** How many waits with this limit are under way. */
  readonly running: () => number;
  /** Lets the time of all those be over; waits until there is one. */
  readonly pass: () => Promise<void>;
}

/**
 * Stops the time of all timers and signals of one length until the test is finished, and of no others: choose a length
 * that nothing else in the test has. They are those of `setTimeout` and of `AbortSignal.timeout`.
 */
export function holdLimit(lengthMs: number): HeldLimit {
  const { setTimeout: start, clearTimeout: clear } = globalThis;
  const signalAfter = AbortSignal.timeout.bind(AbortSignal);
  const ends = new Map<unknown, () => void>();
  const hold = (run: (...args: readonly unknown[]) => void, ms?: number, ...args: readonly unknown[]) => {
    const timer = start(run, ms, ...args);
    if (ms !== lengthMs) return timer;
    clear(timer);
    ends.set(timer, () => run(...args));
    return timer;
  };
  vi.stubGlobal("setTimeout", Object.assign(hold, start));
  vi.stubGlobal("clearTimeout", (timer?: NodeJS.Timeout) => {
    ends.delete(timer);
    clear(timer);
  });
  vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    if (ms !== lengthMs) return signalAfter(ms);
    const controller = new AbortController();
    const over = new DOMException("The operation was aborted due to timeout", "TimeoutError");
    ends.set(controller, () => controller.abort(over));
    return controller.signal;
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  const pass = async (): Promise<void> => {
    // What began it may be seen before this process has started to wait for it.
    await eventually(() => expect(ends.size).toBeGreaterThan(0));
    const all = [...ends.values()];
    ends.clear();
    for (const end of all) end();
  };
  return { running: () => ends.size, pass };
}
