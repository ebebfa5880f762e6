/**
 * The caches of modules. They live as long as the process and serve all its storages, so what they hold follows from its
 * key alone. Tests empty them between files, so that none depends on which file ran before it.
 */

interface Clearable {
  clear(): void;
}

const caches: Clearable[] = [];

/** Lists a cache that a module keeps. @returns the cache. */
export function moduleCache<T extends Clearable>(cache: T): T {
  caches.push(cache);
  return cache;
}

/** Empties all caches that {@link moduleCache} lists. */
export function clearModuleCaches(): void {
  for (const cache of caches) cache.clear();
}

/** A WeakMap that can be emptied. */
export class WeakCache<K extends WeakKey, V> {
  #values = new WeakMap<K, V>();

  get(key: K): V | undefined {
    return this.#values.get(key);
  }

  set(key: K, value: V): this {
    this.#values.set(key, value);
    return this;
  }

  clear(): void {
    this.#values = new WeakMap();
  }
}
