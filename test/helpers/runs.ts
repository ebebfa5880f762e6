/**
 * Runs before each test file, too: the examples of properties are drawn from the seed of the run, and the caches of modules,
 * which the files of a worker share, are empty.
 */
import fc from "fast-check";
import { clearModuleCaches } from "../../src/module-caches.ts";

clearModuleCaches();

// The report of a full run is read without Vitest, which shows causes by themselves.
const includeErrorInReport = process.env.SKEP_TEST_RUNS === "full";
fc.configureGlobal({ seed: seed(), numRuns: runs(75), includeErrorInReport });

/**
 * How often a property is tried: as often as given in `npm test`, a third of that while somebody waits, and much more often
 * in `npm run soak`. Without it, as `runs(75)`.
 */
export function runs(full: number): number {
  const { SKEP_SOAK_ROUNDS: rounds, SKEP_TEST_RUNS: count } = process.env;
  return rounds === undefined ? (count === "full" ? full : Math.ceil(full / 3)) : full * 30;
}

type Arbitraries<Ts extends readonly unknown[]> = { [K in keyof Ts]: fc.Arbitrary<Ts[K]> };

/** Tries a property with random values, as often as {@link runs} says. */
export async function forAll<Ts extends [unknown, ...unknown[]]>(
  full: number,
  ...property: [...arbitraries: Arbitraries<Ts>, holds: (...values: Ts) => Promise<boolean | void>]
): Promise<void> {
  await fc.assert(fc.asyncProperty(...property), { numRuns: runs(full) });
}

/** The same for a property that does not wait. */
export function forAllSync<Ts extends [unknown, ...unknown[]]>(
  full: number,
  ...property: [...arbitraries: Arbitraries<Ts>, holds: (...values: Ts) => boolean | void]
): void {
  fc.assert(fc.property(...property), { numRuns: runs(full) });
}

/**
 * Where the random examples of a run begin. `npm test` draws the same ones for the same commit, so that its result can be
 * repeated. Other runs draw new ones each time: many everyday runs find what one does not.
 */
export function seed(): number {
  return Number(process.env.SKEP_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
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
