/**
 * How often a property is tried: as often as given while somebody waits for it, and much more often in `npm run soak`.
 * Each run draws other examples, so that many everyday runs find what one does not.
 */
export function runs(everyday: number): number {
  return process.env.SKEP_SOAK_ROUNDS === undefined ? everyday : everyday * 30;
}

/** A fast generator of numbers below a limit; the same for the same seed. */
export function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
