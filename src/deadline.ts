/** Time limits of work that a caller may stop earlier. */

/** A signal that fires when another one does, or when the time is over. */
export function withTimeout(signal: AbortSignal, ms: number): AbortSignal {
  const timeout = AbortSignal.timeout(ms);
  // Node 20 lets garbage collection stop the timer of a signal that has no listener, though another one follows it.
  timeout.addEventListener("abort", () => {});
  return AbortSignal.any([signal, timeout]);
}
