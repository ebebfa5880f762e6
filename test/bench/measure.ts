/** Medians, and both sides of a ratio measured in turn, so that a noisy moment hits both. */

/** One row: what Skep does against a floor, by hand, in the same run. */
export interface Row {
  /** For `--only`. */
  readonly id: string;
  readonly what: string;
  readonly floor: string;
  /** Whether the ratio ours ÷ floor should be large (requests per second) or small (milliseconds). */
  readonly better: "higher" | "lower";
  readonly goal: number;
  readonly unit: string;
  /** How many processors the figure needs to mean something, if more than two. */
  readonly processors?: number;
  readonly run: (options: RunOptions) => Promise<Sides>;
}

export interface RunOptions {
  /** Fewer and shorter rounds, to try the benchmark itself. */
  readonly quick: boolean;
  /** How many commits rows about long histories make, if not their usual number. */
  readonly commits: number | undefined;
  readonly say: (line: string) => void;
}

/** Measurements of both sides, in the row's unit. */
export interface Sides {
  readonly ours: readonly number[];
  readonly floor: readonly number[];
  /** Anything that helps to read the figure. */
  readonly note?: string;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** How long something takes, in milliseconds. */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Measures two sides in turn, a number of times after some that do not count. */
export async function alternate(
  rounds: number,
  ours: (round: number) => Promise<number>,
  floor: (round: number) => Promise<number>,
  warmUp = 2,
): Promise<Sides> {
  const sides = { ours: [] as number[], floor: [] as number[] };
  for (let round = -warmUp; round < rounds; round++) {
    // Who comes first changes, so that neither always finds the other's caches.
    const first = round % 2 === 0;
    if (!first) record(sides.floor, round, await floor(round));
    record(sides.ours, round, await ours(round));
    if (first) record(sides.floor, round, await floor(round));
  }
  return sides;
}

function record(values: number[], round: number, value: number): void {
  if (round >= 0) values.push(value);
}
