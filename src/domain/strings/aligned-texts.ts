/** Translations stored as bytes in the order of their source's keys, which takes half the memory of a Map of strings. */
import { KeyBudget, maxDepth, type Texts } from "./string-file.ts";
import { memberNames } from "../members.ts";
import { finish, isStepDone, type Steps } from "../steps.ts";
import { textProblem } from "../text.ts";

/** The keys of a source file, shared by all its translations. */
class SharedKeys {
  readonly list: readonly string[];
  #places: ReadonlyMap<string, number> | undefined;
  /** Behind the place that was asked for last. */
  #next = 0;
  /** How many keys were passed over in looking for others. */
  #passed = 0;

  constructor(source: Texts) {
    this.list = [...source.keys()];
  }

  /**
   * Where a key is in the list. Most are asked for in their order, so it is looked for behind the last one. A Map of
   * very many places takes 80 ms to make, all at once: it is made only where keys are asked for in another order.
   */
  placeOf(key: string): number | undefined {
    if (this.#places !== undefined) return this.#places.get(key);
    const behind = this.list.indexOf(key, this.#next);
    const place = behind === -1 ? this.list.indexOf(key) : behind;
    this.#passed += behind === -1 ? this.list.length : behind - this.#next;
    if (this.#passed > passedPerKey * this.list.length) {
      this.#places = new Map(this.list.map((one, i) => [one, i]));
    }
    if (place === -1) return undefined;
    this.#next = place + 1;
    return place;
  }
}

/** After so many a Map of places is cheaper. */
const passedPerKey = 8;

const sharedKeys = new WeakMap<Texts, SharedKeys>();

function sharedKeysOf(source: Texts): SharedKeys {
  const keys = sharedKeys.get(source) ?? new SharedKeys(source);
  sharedKeys.set(source, keys);
  return keys;
}

/** An array with an empty text for each key. */
function emptyPlaces({ list }: SharedKeys): string[] {
  return list.map(() => "");
}

/** The most empty places per text, since each takes a byte, and time whenever the texts are read. */
const emptyPlacesPerText = 4;

/**
 * Aligns texts with the keys of their source if that takes less memory: if they have the source's keys in its order, few
 * are missing and none is empty. Otherwise the texts are returned as they are.
 */
export function* alignTexts(texts: Texts, source: Texts | undefined): Steps<Texts> {
  if (source === undefined || texts.size * emptyPlacesPerText < source.size) return texts;
  const keys = sharedKeysOf(source);
  const aligned = emptyPlaces(keys);
  let place = 0;
  for (const [key, text] of texts) {
    if (isStepDone()) yield;
    while (place < keys.list.length && keys.list[place] !== key) place++;
    if (place === keys.list.length || text === "") return texts;
    aligned[place++] = text;
  }
  return new AlignedTexts(keys, yield* encode(aligned), texts.size);
}

/**
 * Reads a parsed JSON value directly into aligned texts, without its empty texts. This is the fast path: nearly every
 * translation file has its source's keys in its order, so that keys need not be checked, and no Map is made.
 * @returns undefined for any other value, valid or not, which `flatten` has to read.
 */
export function* readAligned(value: unknown, source: Texts): Steps<Texts | undefined> {
  const keys = sharedKeysOf(source);
  const { list } = keys;
  const aligned = emptyPlaces(keys);
  const budget = new KeyBudget();
  let place = 0;
  let size = 0;

  function* visit(group: object, prefix: string, depth: number): Steps<boolean> {
    const names = memberNames(group);
    for (const name of names) {
      if (isStepDone()) yield;
      if (!budget.take(prefix.length + name.length)) return false;
      const node: unknown = Reflect.get(group, name);
      if (typeof node === "string") {
        while (place < list.length && !isJoined(list[place], prefix, name)) place++;
        if (place === list.length || textProblem(node) !== undefined) return false;
        if (node !== "") size++;
        aligned[place++] = node;
      } else if (typeof node !== "object" || node === null || depth === maxDepth) return false;
      else if (!(yield* visit(node, `${prefix}${name}.`, depth + 1))) return false;
    }
    // An empty group has no key that would be checked.
    return names.length > 0;
  }
  if (typeof value !== "object" || value === null || !(yield* visit(value, "", 1))) return undefined;
  if (size * emptyPlacesPerText < source.size) return undefined;
  return new AlignedTexts(keys, yield* encode(aligned), size);
}

/** Whether a key is the concatenation of these two, without making it. */
function isJoined(key: string | undefined, prefix: string, name: string): boolean {
  return key?.length === prefix.length + name.length && key.startsWith(prefix) && key.endsWith(name);
}

/** Whether texts are aligned with this source. */
export function isAligned(texts: Texts, source: Texts): boolean {
  return texts instanceof AlignedTexts && texts.isAlignedWith(sharedKeys.get(source));
}

/** No text contains this character. */
const separator = "\0";
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * The texts as bytes in the order of their source's keys: UTF-8, separated by NULs, and empty for missing texts.
 * @returns undefined if {@link alignTexts} would not align them.
 */
export function* alignedBytes(texts: Texts, source: Texts): Steps<Uint8Array | undefined> {
  const aligned = isAligned(texts, source) ? texts : yield* alignTexts(texts, source);
  return aligned instanceof AlignedTexts ? aligned.bytes : undefined;
}

/**
 * Decodes texts for work in steps that reads them more than once. The strings stay in memory as long as the result is in
 * use; otherwise they may be collected in a pause, and be decoded again all at once.
 */
export function* materialisedTexts(texts: Texts): Steps<Texts> {
  return texts instanceof AlignedTexts ? yield* texts.materialised() : texts;
}

/** How many texts are encoded in one step. */
const textsPerStep = 1_024;
/** How many bytes are decoded in one step. */
const bytesPerStep = 65_536;

function* encode(texts: readonly string[]): Steps<Uint8Array> {
  if (texts.length <= textsPerStep) return encoder.encode(texts.join(separator));
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < texts.length; at += textsPerStep) {
    yield;
    const piece = texts.slice(at, at + textsPerStep).join(separator);
    pieces.push(encoder.encode(at === 0 ? piece : separator + piece));
  }
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

function* decode(bytes: Uint8Array): Steps<readonly string[]> {
  const texts: string[] = [];
  for (let at = 0; at <= bytes.length;) {
    if (at > 0) yield;
    const found = bytes.indexOf(0, at + bytesPerStep);
    const end = found === -1 ? bytes.length : found;
    for (const text of decoder.decode(bytes.subarray(at, end)).split(separator)) texts.push(text);
    at = end + 1;
  }
  return texts;
}

class AlignedTexts implements Texts {
  readonly size: number;
  readonly #keys: SharedKeys;
  /** The separated texts; missing ones are empty. */
  readonly bytes: Uint8Array;
  /** The decoded texts, as long as they are in use. */
  #strings: { readonly deref: () => readonly string[] | undefined } | undefined;

  /** @param strings the decoded texts, if they shall stay in memory. */
  constructor(keys: SharedKeys, bytes: Uint8Array, size: number, strings?: readonly string[]) {
    this.#keys = keys;
    this.bytes = bytes;
    this.size = size;
    if (strings !== undefined) this.#strings = { deref: () => strings };
  }

  *materialised(): Steps<AlignedTexts> {
    const kept = this.#strings?.deref();
    const strings = kept ?? (yield* decode(this.bytes));
    if (kept === undefined) this.#strings = new WeakRef(strings);
    return new AlignedTexts(this.#keys, this.bytes, this.size, strings);
  }

  isAlignedWith(keys: SharedKeys | undefined): boolean {
    return this.#keys === keys;
  }

  get #texts(): readonly string[] {
    const kept = this.#strings?.deref();
    if (kept !== undefined) return kept;
    const texts = finish(decode(this.bytes));
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
    // Without entries(), because exports use this, and making pairs would cost more than the rest.
    this.#texts.forEach((text, place) => {
      const key = list[place];
      if (text !== "" && key !== undefined) visit(text, key, this);
    });
  }
}
