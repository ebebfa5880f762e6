/** A copy of a map without some entries. */
export function filtered<K, V>(map: ReadonlyMap<K, V>, isKept: (key: K, value: V) => boolean): Map<K, V> {
  const left = new Map<K, V>();
  for (const [key, value] of map) if (isKept(key, value)) left.set(key, value);
  return left;
}
