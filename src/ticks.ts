/**
 * Counts the ticks of the event loop. What is checked once in a tick, such as whether a file has changed, keeps the number
 * of the tick beside the result.
 */
let tick = 0;
let isTickEnding = false;
let isPolling = false;

/**
 * A number that stays the same at most until the immediates that are queued now have run. Callers outside a poll phase
 * that need a check made after an event wait for an immediate first: the tick of any earlier check has ended by then.
 */
export function currentTick(): number {
  if (!isTickEnding && !isPolling) {
    isTickEnding = true;
    setImmediate(() => {
      isTickEnding = false;
      tick++;
    });
  }
  return tick;
}

/** Begins a new tick: what was checked before is checked again. */
export function beginTick(): void {
  tick++;
}

/**
 * To be called where a request arrives, which is in a poll phase of the event loop. It begins a new tick with the first
 * request of the phase. A check made earlier, such as in an immediate or a timer, may be older than this request, and an
 * immediate queued by an immediate runs only after the next poll phase.
 */
export function beginPollPhase(): void {
  if (isPolling) return;
  isPolling = true;
  tick++;
  setImmediate(() => {
    isPolling = false;
    tick++;
  });
}
