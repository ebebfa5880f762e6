/**
 * Long work in steps: a generator that yields wherever other work may run, and returns the result. The caller decides
 * what happens in between; see `inSlices` in slices.ts.
 */
export type Steps<T> = Generator<void, T, void>;

/** As many keys as take about a millisecond. */
const keysPerStep = 1024;

/** How many keys are left in this step. One counter for all work, because much of it consists of many small groups. */
let keysLeft = keysPerStep;

/** Counts a key. @returns whether it is time to yield. */
export function isStepDone(): boolean {
  if (--keysLeft > 0) return false;
  keysLeft = keysPerStep;
  return true;
}

/** Counts work on keys in a function that cannot yield itself, so that its caller yields soon. */
export function countKeys(count: number): void {
  keysLeft -= count;
}

/** Runs all steps without pauses. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** A copy of a map without some entries. */
export function* filtered<K, V>(
  map: ReadonlyMap<K, V>,
  isKept: (key: K, value: V) => boolean,
): Steps<Map<K, V>> {
  const left = new Map<K, V>();
  for (const [key, value] of map) {
    if (isStepDone()) yield;
    if (isKept(key, value)) left.set(key, value);
  }
  return left;
}

/** Sorts texts by their UTF-16 units, as a sort without a comparison function does. */
export function* sorted(texts: Iterable<string>): Steps<readonly string[]> {
  const all = [...texts];
  let runs: string[][] = [];
  for (let at = 0; at < all.length; at += keysPerStep) {
    runs.push(all.slice(at, at + keysPerStep).toSorted());
    yield;
  }
  while (runs.length > 1) {
    const merged: string[][] = [];
    for (let i = 0; i < runs.length; i += 2) merged.push(yield* merge(runs[i] ?? [], runs[i + 1] ?? []));
    runs = merged;
  }
  return runs[0] ?? [];
}

function* merge(a: readonly string[], b: readonly string[]): Steps<string[]> {
  const merged: string[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    if (isStepDone()) yield;
    const one = a[i];
    const other = b[j];
    if (other === undefined || (one !== undefined && one <= other)) {
      merged.push(one ?? "");
      i++;
    } else {
      merged.push(other);
      j++;
    }
  }
  return merged;
}
