/** Long work in slices, so that requests which need little are answered meanwhile. */
import type { Steps } from "./domain/steps.ts";

/** How long works may go on in one tick of the event loop, all together. */
const sliceMs = 10;
/** How much longer new works may begin in it: what takes a millisecond is not to wait behind what takes seconds. */
const beginningMs = 20;

/** When the slice of this tick is over; undefined in a tick that had none yet. */
let sliceEnd: number | undefined;
/** Works that go on in later ticks, in their order. */
const waiting: (() => void)[] = [];

/**
 * Runs work to its end, giving way to the event loop. However many works there are, they have one slice of each tick
 * together. What ends with its first step waits only where very many works begin at once.
 * @param signal ends it at its next pause.
 * @throws what the work throws, or the reason of the signal.
 */
export async function inSlices<T>(steps: Steps<T>, signal?: AbortSignal): Promise<T> {
  if (performance.now() >= (sliceEnd ?? beginSlice()) + beginningMs) await laterTick();
  for (;;) {
    signal?.throwIfAborted();
    const { done, value } = steps.next();
    if (done === true) {
      if (sliceEnd !== undefined && performance.now() < sliceEnd) waiting.shift()?.();
      return value;
    }
    if (performance.now() >= (sliceEnd ?? beginSlice())) await laterTick();
  }
}

function beginSlice(): number {
  sliceEnd = performance.now() + sliceMs;
  setImmediate(endTick);
  return sliceEnd;
}

function endTick(): void {
  sliceEnd = undefined;
  const next = waiting.shift();
  if (next === undefined) return;
  beginSlice();
  next();
}

function laterTick(): Promise<void> {
  return new Promise((resolve) => void waiting.push(resolve));
}
