/** Translations as a list beside the keys of their source, which take a sixth of the memory that a Map takes. */
import type { Texts } from "./string-file.ts";

/** The keys of a source file, shared by all its translations. */
class SharedKeys {
  readonly list: readonly string[];
  #places: ReadonlyMap<string, number> | undefined;

  constructor(source: Texts) {
    this.list = [...source.keys()];
  }

  /** Where a key is in the list. */
  placeOf(key: string): number | undefined {
    this.#places ??= new Map(this.list.map((one, place) => [one, place]));
    return this.#places.get(key);
  }
}

const sharedKeys = new WeakMap<Texts, SharedKeys>();

/** A place of the list takes 8 bytes; an entry of a Map 30 to 60. */
const emptyPlacesPerText = 4;

/**
 * The same texts, held beside the keys of their source where that takes less memory: where they have its keys in its
 * order, and few are missing.
 */
export function alignTexts(texts: Texts, source: Texts | undefined): Texts {
  if (source === undefined || texts.size * emptyPlacesPerText < source.size) return texts;
  const keys = sharedKeys.get(source) ?? new SharedKeys(source);
  sharedKeys.set(source, keys);
  const aligned = Array.from<string | undefined>({ length: keys.list.length });
  let place = 0;
  for (const [key, text] of texts) {
    while (place < keys.list.length && keys.list[place] !== key) place++;
    if (place === keys.list.length) return texts;
    aligned[place++] = text;
  }
  return new AlignedTexts(keys, aligned, texts.size);
}

/** Whether some texts have keys of a source only, in its order, as {@link alignTexts} left them. */
export function isAligned(texts: Texts, source: Texts): boolean {
  return texts instanceof AlignedTexts && texts.isBeside(sharedKeys.get(source));
}

class AlignedTexts implements Texts {
  readonly size: number;
  readonly #keys: SharedKeys;
  readonly #texts: readonly (string | undefined)[];

  constructor(keys: SharedKeys, texts: readonly (string | undefined)[], size: number) {
    this.#keys = keys;
    this.#texts = texts;
    this.size = size;
  }

  isBeside(keys: SharedKeys | undefined): boolean {
    return this.#keys === keys;
  }

  get(key: string): string | undefined {
    const place = this.#keys.placeOf(key);
    return place === undefined ? undefined : this.#texts[place];
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  *entries(): MapIterator<[string, string]> {
    const { list } = this.#keys;
    for (let place = 0; place < list.length; place++) {
      const key = list[place];
      const text = this.#texts[place];
      if (key !== undefined && text !== undefined) yield [key, text];
    }
  }

  *keys(): MapIterator<string> {
    for (const [key] of this.entries()) yield key;
  }

  *values(): MapIterator<string> {
    for (const text of this.#texts) if (text !== undefined) yield text;
  }

  [Symbol.iterator](): MapIterator<[string, string]> {
    return this.entries();
  }

  forEach(visit: (text: string, key: string, texts: Texts) => void): void {
    for (const [key, text] of this.entries()) visit(text, key, this);
  }
}
