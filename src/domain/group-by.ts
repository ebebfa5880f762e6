import { isStepDone, pause } from "../slices.ts";

/** Groups items by a key, each group in the order of the items. */
export function groupBy<T, K>(items: Iterable<T>, keyOf: (item: T) => K): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) append(groups, keyOf(item), item);
  return groups;
}

/** The same for a list that may be of a whole Hive, with pauses. */
export async function groupInSteps<T, K>(
  items: Iterable<T>,
  keyOf: (item: T) => K,
): Promise<ReadonlyMap<K, readonly T[]>> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    if (isStepDone()) await pause();
    append(groups, keyOf(item), item);
  }
  return groups;
}

interface Groups<T, K> {
  readonly get: (key: K) => T[] | undefined;
  readonly set: (key: K, group: T[]) => unknown;
}

/** Adds an item to the group of a key. */
export function append<T, K>(groups: Groups<T, K>, key: K, item: T): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [item]);
  else group.push(item);
}
