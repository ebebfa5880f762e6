/**
 * Long work in steps: a generator that yields wherever other work may run, and returns the result. The caller decides
 * what happens in between; see `inSlices` in slices.ts. Work on many files or locales yields once for each file of each
 * locale. A file is bounded, so what is done for one is a plain function.
 */
export type Steps<T> = Generator<void, T, void>;

/** As many items as take about a millisecond. */
const itemsPerStep = 1024;

/** How many items are left in this step. One counter for all work, because much of it consists of many short lists. */
let itemsLeft = itemsPerStep;

/** Counts an item of a list that may be of a whole Hive. @returns whether it is time to yield. */
export function isStepDone(): boolean {
  if (--itemsLeft > 0) return false;
  itemsLeft = itemsPerStep;
  return true;
}

/** Runs all steps without pauses. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
