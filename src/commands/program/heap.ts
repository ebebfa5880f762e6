/** Collects garbage while the server is idle. */
import { getHeapStatistics } from "node:v8";

/** How often the heap is measured, in milliseconds. */
const intervalMs = 500;
/**
 * After how many measurements without growth the server counts as idle. A collection of a large heap takes half a
 * second, in which a request would wait: it must not fall between the requests of one caller.
 */
const idleMeasurements = 6;
/** How much the heap may change between measurements of an idle server, in bytes: timers change it. */
const idleBytes = 1_000_000;
/** Less garbage than this is not collected, in bytes and as a share of the used heap. */
const fewBytes = 16_000_000;
const fewShare = 0.2;

/**
 * Collects garbage between requests. V8 lets garbage grow to about the size of the live content and does not collect it
 * while nothing happens: reading a Hive of a million translations leaves 100 MB of it. Making V8 collect more often made
 * the first response after a start a third slower.
 */
export function collectWhenIdle(): void {
  let before = getHeapStatistics().used_heap_size;
  let kept = before;
  let unchanged = 0;
  const timer = setInterval(() => {
    const used = getHeapStatistics().used_heap_size;
    unchanged = Math.abs(used - before) < idleBytes ? unchanged + 1 : 0;
    before = used;
    // V8 may have collected garbage by itself in the meantime.
    kept = Math.min(kept, used);
    if (unchanged < idleMeasurements || used - kept < Math.max(fewBytes, kept * fewShare)) return;
    // A Node that was built without its inspector cannot do this; V8 then collects garbage in its own time.
    collect().then(
      () => (before = kept = getHeapStatistics().used_heap_size),
      () => clearInterval(timer),
    );
  }, intervalMs);
  timer.unref();
}

/** Uses the inspector, because `gc()` keeps the 32 MB in which new objects are allocated. */
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
