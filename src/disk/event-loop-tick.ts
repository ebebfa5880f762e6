/** Ticks of the event loop, so that requests that arrived together share one check of the disk. */

let tick = 0;
let isEnding = false;

/**
 * A number that is the same until the event loop has handled everything that had arrived. What was checked in a tick
 * was therefore checked after the requests of that tick were sent.
 */
export function currentTick(): number {
  if (!isEnding) {
    isEnding = true;
    setImmediate(endTick);
  }
  return tick;
}

function endTick(): void {
  isEnding = false;
  tick++;
}
