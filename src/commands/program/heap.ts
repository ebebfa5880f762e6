/** Garbage, collected when there is nothing else to do. */
import { getHeapStatistics } from "node:v8";

/** How often is looked, in milliseconds. A heap that did not grow since the last look is idle. */
const lookMs = 500;
/** What grows in that time without a request, in bytes. */
const idleBytes = 1_000_000;
/** Less garbage than this is left alone, in bytes and as a share of what is used. */
const fewBytes = 16_000_000;
const fewShare = 0.2;

/**
 * Collects garbage in the breaks between requests. V8 lets as much of it gather as there is content, and keeps it for
 * as long as nothing happens: reading a Hive of a million translations leaves 100 MB. Having V8 collect more often
 * made the first answer after a start a third slower; a collection in a break takes about 0.1 s per million.
 */
export function collectWhenIdle(): void {
  let before = getHeapStatistics().used_heap_size;
  let kept = before;
  const timer = setInterval(() => {
    const used = getHeapStatistics().used_heap_size;
    const isIdle = Math.abs(used - before) < idleBytes;
    before = used;
    // After a collection of V8's own there is less.
    kept = Math.min(kept, used);
    if (!isIdle || used - kept < Math.max(fewBytes, kept * fewShare)) return;
    // Where it cannot be had, as in a node that was built without its inspector, garbage is left to V8.
    collect().then(
      () => (before = kept = getHeapStatistics().used_heap_size),
      () => clearInterval(timer),
    );
  }, lookMs);
  timer.unref();
}

/** By the way of V8's own tools: `gc()` leaves the 32 MB that new objects were made in. */
async function collect(): Promise<void> {
  const { Session } = await import("node:inspector/promises");
  const session = new Session();
  session.connect();
  try {
    await session.post("HeapProfiler.collectGarbage");
  } finally {
    session.disconnect();
  }
}
