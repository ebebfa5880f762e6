/**
 * Translations as bytes beside the keys of their source, which take half of the memory that their strings in a Map take.
 */
import { KeyBudget, maxDepth, type Texts } from "./string-file.ts";
import { textProblem } from "./text.ts";

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

function sharedKeysOf(source: Texts): SharedKeys {
  const keys = sharedKeys.get(source) ?? new SharedKeys(source);
  sharedKeys.set(source, keys);
  return keys;
}

/** As many places as there are keys. */
function emptyPlaces({ list }: SharedKeys): string[] {
  return list.map(() => "");
}

/** A place without a text takes a byte and some time whenever the texts are read. */
const emptyPlacesPerText = 4;

/**
 * The same texts, held beside the keys of their source where that takes less memory: where they have its keys in its
 * order, few are missing and none is empty.
 */
export function alignTexts(texts: Texts, source: Texts | undefined): Texts {
  if (source === undefined || texts.size * emptyPlacesPerText < source.size) return texts;
  const keys = sharedKeysOf(source);
  const aligned = emptyPlaces(keys);
  let place = 0;
  for (const [key, text] of texts) {
    while (place < keys.list.length && keys.list[place] !== key) place++;
    if (place === keys.list.length || text === "") return texts;
    aligned[place++] = text;
  }
  return new AlignedTexts(keys, aligned, texts.size);
}

/**
 * Reads a parsed JSON value as {@link alignTexts} would leave it without its empty texts, where nothing about it is
 * unusual: nearly every translation has its source's keys in its order. These are known to be right and are not made
 * again, nor is a Map of them.
 * @returns undefined for anything else, right or wrong; `flatten` tells which.
 */
export function readAligned(value: unknown, source: Texts): Texts | undefined {
  const keys = sharedKeysOf(source);
  const { list } = keys;
  const aligned = emptyPlaces(keys);
  const budget = new KeyBudget();
  let place = 0;
  let size = 0;

  function visit(group: object, prefix: string, depth: number): boolean {
    const names = Object.keys(group);
    for (const name of names) {
      if (!budget.take(prefix.length + name.length)) return false;
      const node: unknown = Reflect.get(group, name);
      if (typeof node === "string") {
        while (place < list.length && !isJoined(list[place], prefix, name)) place++;
        if (place === list.length || textProblem(node) !== undefined) return false;
        if (node !== "") size++;
        aligned[place++] = node;
      } else if (typeof node !== "object" || node === null || depth === maxDepth) return false;
      else if (!visit(node, `${prefix}${name}.`, depth + 1)) return false;
    }
    // A group without keys may have any name.
    return names.length > 0;
  }
  if (typeof value !== "object" || value === null || !visit(value, "", 1)) return undefined;
  return size * emptyPlacesPerText < source.size ? undefined : new AlignedTexts(keys, aligned, size);
}

/** Whether a key is made of these two, without making it. */
function isJoined(key: string | undefined, prefix: string, name: string): boolean {
  return key?.length === prefix.length + name.length && key.startsWith(prefix) && key.endsWith(name);
}

/** Whether some texts have keys of a source only, in its order, as {@link alignTexts} left them. */
export function isAligned(texts: Texts, source: Texts): boolean {
  return texts instanceof AlignedTexts && texts.isBeside(sharedKeys.get(source));
}

/** What no text contains. */
const separator = "\0";
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Texts by the places of their source's keys: UTF-8 with a NUL between two, and nothing for those that are missing.
 * @returns undefined where {@link alignTexts} would leave them as they are.
 */
export function bytesBeside(texts: Texts, source: Texts): Uint8Array | undefined {
  const aligned = isAligned(texts, source) ? texts : alignTexts(texts, source);
  return aligned instanceof AlignedTexts ? aligned.bytes : undefined;
}

class AlignedTexts implements Texts {
  readonly size: number;
  readonly #keys: SharedKeys;
  /** The texts one after the other; nothing in the places of those that are missing. */
  readonly bytes: Uint8Array;
  /** The same as strings, as long as they are in use. */
  #strings: WeakRef<readonly string[]> | undefined;

  constructor(keys: SharedKeys, texts: readonly string[], size: number) {
    this.#keys = keys;
    this.bytes = encoder.encode(texts.join(separator));
    this.size = size;
  }

  isBeside(keys: SharedKeys | undefined): boolean {
    return this.#keys === keys;
  }

  get #texts(): readonly string[] {
    const kept = this.#strings?.deref();
    if (kept !== undefined) return kept;
    const texts = decoder.decode(this.bytes).split(separator);
    this.#strings = new WeakRef(texts);
    return texts;
  }

  get(key: string): string | undefined {
    const place = this.#keys.placeOf(key);
    const text = place === undefined ? "" : this.#texts[place];
    return text === "" ? undefined : text;
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  *entries(): MapIterator<[string, string]> {
    const { list } = this.#keys;
    const texts = this.#texts;
    for (let place = 0; place < list.length; place++) {
      const key = list[place];
      const text = texts[place];
      if (key !== undefined && text !== undefined && text !== "") yield [key, text];
    }
  }

  *keys(): MapIterator<string> {
    for (const [key] of this.entries()) yield key;
  }

  *values(): MapIterator<string> {
    for (const text of this.#texts) if (text !== "") yield text;
  }

  [Symbol.iterator](): MapIterator<[string, string]> {
    return this.entries();
  }

  forEach(visit: (text: string, key: string, texts: Texts) => void): void {
    const { list } = this.#keys;
    // No entries() for it: exports go this way, and pairs cost more than what is done with them.
    this.#texts.forEach((text, place) => {
      const key = list[place];
      if (text !== "" && key !== undefined) visit(text, key, this);
    });
  }
}
