/** Caches that keep what was used last. */
import { LRUCache } from "lru-cache";

/**
 * A cache that keeps the entries that were used last.
 * @param max how many. They are counted as sizes: given as `max`, the library would reserve memory for all of them at
 * once, which for the many caches of a storage takes longer than opening it, and for the caches of each Hive most of
 * its memory.
 * @param dispose is called with what leaves the cache.
 */
export function boundedCache<K extends {}, V extends {}>(
  max: number,
  dispose?: (value: V) => void,
): LRUCache<K, V> {
  return new LRUCache<K, V>({ maxSize: max, sizeCalculation: () => 1, ...(dispose && { dispose }) });
}

/** The promise that a cache has for a key, or a new one, which leaves the cache if it fails. */
export function cachedPromise<K extends {}, V>(
  cache: LRUCache<K, Promise<V>>,
  key: K,
  make: () => Promise<V>,
): Promise<V> {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const made = make();
  cache.set(key, made);
  made.catch(() => cache.peek(key) === made && cache.delete(key));
  return made;
}
