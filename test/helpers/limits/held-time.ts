/** Time limits that are over when the test says so, however fast the machine is. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { onTestFinished, vi } from "vitest";

/** In which steps time passes: what is answered between two of them is answered so early. */
const stepMs = 200;

const now = performance.now.bind(performance);
/** How much more time has passed in this test than usual. */
let skipped = 0;

/** Lets `performance.now()` say that more time has passed, as for a process that stood still: no timer has run meanwhile. */
export function skipTime(ms: number): void {
  if (skipped === 0) onTestFinished(() => void (skipped = 0));
  skipped += ms;
  vi.spyOn(performance, "now").mockImplementation(() => now() + skipped);
}

/**
 * From now on until the end of the test, time passes as usual, and faster when the test says so: for `setTimeout` and
 * `performance.now()`. Sockets, files and other processes do not notice.
 * @returns lets time pass.
 */
export function takeTime(): (ms: number) => Promise<void> {
  if (!vi.isFakeTimers()) {
    vi.useFakeTimers({
      toFake: ["setTimeout", "clearTimeout"],
      shouldAdvanceTime: true,
      advanceTimeDelta: 10,
    });
    onTestFinished(() => void vi.useRealTimers());
  }
  return async (ms) => {
    skipTime(ms);
    await vi.advanceTimersByTimeAsync(ms);
  };
}

/**
 * Starts something, and lets its time limits be over once something else has happened.
 * @returns what it gives. @throws what it is rejected with.
 */
export async function outOfTime<T>(
  start: () => Promise<T>,
  happened: Promise<unknown> = Promise.resolve(),
): Promise<T> {
  const pass = takeTime();
  const over = new AbortController();
  const outcome = start().finally(() => over.abort());
  const isEnded = outcome.catch(() => undefined);
  await Promise.race([happened, isEnded]);
  while (!over.signal.aborted) {
    await pass(stepMs);
    await nextTurn();
  }
  return outcome;
}

/**
 * Starts something, and lets time pass only after each time that something else happens: it is answered while its time limits
 * run, and not only before.
 * @param happens is fulfilled then, and soon after the signal that nobody waits any more.
 * @returns what it gives. @throws what it is rejected with.
 */
export async function outOfTimeBetween<T>(
  start: () => Promise<T>,
  happens: (over: AbortSignal) => Promise<unknown>,
  ms: number,
): Promise<T> {
  const pass = takeTime();
  const over = new AbortController();
  const outcome = start().finally(() => over.abort());
  outcome.catch(() => undefined);
  while (!over.signal.aborted) {
    await happens(over.signal);
    await pass(ms);
  }
  return outcome;
}
