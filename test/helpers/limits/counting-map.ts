/** Counts what work does with a map, to show how it grows: a number that every machine has in common. */

export interface Steps {
  count: number;
}

/** A map that counts each look-up in it, and each entry that is gone over. */
export class CountingMap<K, V> extends Map<K, V> {
  readonly #steps: Steps;

  constructor(entries: Iterable<readonly [K, V]>, steps: Steps) {
    super();
    this.#steps = steps;
    for (const [key, value] of entries) this.set(key, value);
  }

  override get(key: K): V | undefined {
    this.#steps.count++;
    return super.get(key);
  }

  override has(key: K): boolean {
    this.#steps.count++;
    return super.has(key);
  }

  override [Symbol.iterator](): MapIterator<[K, V]> {
    return this.entries();
  }

  override entries(): MapIterator<[K, V]> {
    return this.#counted(super.entries());
  }

  override keys(): MapIterator<K> {
    return this.#counted(super.keys());
  }

  override values(): MapIterator<V> {
    return this.#counted(super.values());
  }

  override forEach(run: (value: V, key: K, map: Map<K, V>) => void): void {
    for (const [key, value] of this) run(value, key, this);
  }

  *#counted<T>(items: Iterable<T>): MapIterator<T> {
    for (const item of items) {
      this.#steps.count++;
      yield item;
    }
  }
}
