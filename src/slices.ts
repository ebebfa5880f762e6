/** Long work in slices, so that requests which need little are answered meanwhile. */
import type { Steps } from "./domain/steps.ts";

/** How long steps may run in one turn of the event loop, those of all works together. */
const sliceMs = 10;

/** When the slice of this turn is over; undefined in a turn that had none yet. */
let sliceEnd: number | undefined;
/** Works whose steps go on in later turns, one in each, in their order. */
const waiting: (() => void)[] = [];

/**
 * Runs work to its end, giving way to the event loop. However many works there are, they have one slice of each turn
 * together; what is done in its first step never waits.
 * @param signal ends it at its next pause.
 * @throws what the work throws, or the reason of the signal.
 */
export async function inSlices<T>(steps: Steps<T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (performance.now() >= (sliceEnd ?? beginSlice())) await nextTurn();
    signal?.throwIfAborted();
  }
}

function beginSlice(): number {
  sliceEnd = performance.now() + sliceMs;
  setImmediate(endTurn);
  return sliceEnd;
}

function endTurn(): void {
  sliceEnd = undefined;
  const next = waiting.shift();
  if (next === undefined) return;
  beginSlice();
  next();
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => void waiting.push(resolve));
}
