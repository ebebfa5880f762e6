/** Long work in slices, so that requests which need little are answered meanwhile. */
import { setImmediate as nextTick } from "node:timers/promises";
import type { Steps } from "./domain/steps.ts";

/** How long works go on in one tick of the event loop, all together, at least and at most. */
const leastMs = 2;
const mostMs = 10;
/** How much longer new works may begin in it: what takes a millisecond is not to wait behind what takes seconds. */
const beginningMs = 3;

/** When the slice of this tick began; undefined in a tick that had none yet. */
let beganAt: number | undefined;
/** How long works may go on in it, and how long they did: not counting what others do in between. */
let allowedMs = leastMs;
let spentMs = 0;
/** Whether sockets were read since the slice began. */
let wasPolled = false;
/** Works that go on in later ticks, in their order. */
const waiting: (() => void)[] = [];

/**
 * Runs work to its end, giving way to the event loop. However many works there are, they have one slice of each tick
 * together. What ends with its first step waits only where very many works begin at once.
 * @param signal ends it at its next pause.
 * @throws what the work throws, or the reason of the signal.
 */
export async function inSlices<T>(steps: Steps<T>, signal?: AbortSignal): Promise<T> {
  if (spentMs >= allowedMs + beginningMs) await laterTick();
  for (;;) {
    signal?.throwIfAborted();
    const start = performance.now();
    if (beganAt === undefined) beginSlice(start);
    const { done, value } = steps.next();
    spentMs += performance.now() - start;
    if (done === true) {
      if (spentMs < allowedMs) waiting.shift()?.();
      return value;
    }
    if (spentMs >= allowedMs) await laterTick();
  }
}

/** Runs one piece of work, such as what is done for a file, as {@link inSlices} runs longer work. */
export function inOneSlice<T>(work: () => T, signal?: AbortSignal): Promise<T> {
  function* step(): Steps<T> {
    yield;
    return work();
  }
  return inSlices(step(), signal);
}

/** How many items of a group are worked on at once. */
const groupSize = 64;

/**
 * Maps very many items by an asynchronous function, some at once, giving way to the event loop.
 * @param signal ends it between two groups.
 * @throws what the function throws, or the reason of the signal.
 */
export async function mapInGroups<T, R>(
  items: readonly T[],
  map: (item: T) => Promise<R>,
  signal?: AbortSignal,
): Promise<readonly R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += groupSize) {
    if (at > 0) await nextTick();
    signal?.throwIfAborted();
    results.push(...(await Promise.all(items.slice(at, at + groupSize).map(map))));
  }
  return results;
}

function beginSlice(now: number): void {
  beganAt = now;
  setImmediate(endTick);
}

function endTick(): void {
  // A slice may begin before the immediates of a tick. The next one must not follow at once: sockets are read before it.
  if (!wasPolled) {
    wasPolled = true;
    setImmediate(endTick);
    return;
  }
  const now = performance.now();
  const othersMs = now - (beganAt ?? now) - spentMs;
  beganAt = undefined;
  spentMs = 0;
  allowedMs = leastMs;
  const next = waiting.shift();
  wasPolled = next !== undefined;
  if (next === undefined) return;
  // As long as others took since the last slice, so that neither side starves the other.
  allowedMs = Math.min(Math.max(othersMs, leastMs), mostMs);
  beginSlice(now);
  next();
}

function laterTick(): Promise<void> {
  return new Promise((resolve) => void waiting.push(resolve));
}
