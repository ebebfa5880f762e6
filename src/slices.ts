/** Long work in slices, so that requests which need little are answered meanwhile. */
import { moduleCache } from "./module-caches.ts";

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
/** When the work that runs went on; undefined while none runs. */
let runsSince: number | undefined;
let isNextScheduled = false;
/** Works that begin, or come back from a disk, and works that go on, in their order. */
const beginning: (() => void)[] = [];
const waiting: (() => void)[] = [];

/**
 * Gives way to other works and, if works have used up their slice of this tick, to the event loop. Long work awaits it
 * before each file of each locale, and between the stages of one file. However many works there are, one runs at a time,
 * and they have one slice of each tick together. A work that begins waits only where very many begin at once.
 * @throws the reason of the signal, if that ends the work.
 */
export async function pause(signal?: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    (runsSince === undefined ? beginning : waiting).push(resolve);
    scheduleNext();
  });
  signal?.throwIfAborted();
}

/** As many items as take about a millisecond. */
const itemsPerStep = 1024;

/** How many items are left in this step. One counter for all work, because much of it consists of many short lists. */
let itemsLeft = itemsPerStep;
moduleCache({ clear: () => (itemsLeft = itemsPerStep) });

/** Counts work on an item beyond what other items take, before {@link isStepDone} is asked for the next one. */
export function countItems(items: number): void {
  itemsLeft -= items;
}

/**
 * Counts an item of a list that may be of a whole Hive.
 * @param items as how many it counts, if it may take much longer than others.
 * @returns whether it is time for a {@link pause}.
 */
export function isStepDone(items = 1): boolean {
  countItems(items);
  if (itemsLeft > 0) return false;
  itemsLeft = itemsPerStep;
  return true;
}

/** How many items of a group are worked on at once. */
const groupSize = 64;

/**
 * Maps very many items by an asynchronous function, some at once, with a {@link pause} before each group.
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
    await pause(signal);
    results.push(...(await Promise.all(items.slice(at, at + groupSize).map(map))));
  }
  return results;
}

/** Lets the next work go on when no microtasks are left, so that the one that runs has ended or waits. */
function scheduleNext(): void {
  if (isNextScheduled) return;
  isNextScheduled = true;
  queueMicrotask(() => {
    process.nextTick(runNext);
  });
}

function runNext(): void {
  isNextScheduled = false;
  const now = performance.now();
  if (runsSince !== undefined) spentMs += now - runsSince;
  runsSince = undefined;
  const mayBegin = spentMs < allowedMs + beginningMs;
  const resume =
    (mayBegin ? beginning.shift() : undefined) ?? (spentMs < allowedMs ? waiting.shift() : undefined);
  if (resume === undefined) return;
  if (beganAt === undefined) beginSlice(now);
  runsSince = now;
  resume();
  scheduleNext();
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
  waiting.push(...beginning.splice(0));
  wasPolled = waiting.length > 0;
  if (!wasPolled) return;
  // As long as others took since the last slice, so that neither side starves the other.
  allowedMs = Math.min(Math.max(othersMs, leastMs), mostMs);
  beginSlice(now);
  runNext();
}
