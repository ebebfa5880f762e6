/** Translations stored as bytes in the order of their source's keys, which takes half the memory of a Map of strings. */
import { KeyBudget, maxDepth, type Texts } from "./string-file.ts";
import { TextsView } from "./texts-view.ts";
import { textProblem } from "../text.ts";
import { moduleCache, WeakCache } from "../../module-caches.ts";

/** The keys of a source file, shared by all its translations. */
class SharedKeys {
  readonly list: readonly string[];
  #places: ReadonlyMap<string, number> | undefined;

  constructor(source: Texts) {
    this.list = [...source.keys()];
  }

  /** Where a key is in the list. Most files are only read as a whole, so the places are found when a text is asked for. */
  placeOf(key: string): number | undefined {
    this.#places ??= new Map(this.list.map((one, i) => [one, i]));
    return this.#places.get(key);
  }
}

const sharedKeys = moduleCache(new WeakCache<Texts, SharedKeys>());

function sharedKeysOf(source: Texts): SharedKeys {
  const keys = sharedKeys.get(source) ?? new SharedKeys(source);
  sharedKeys.set(source, keys);
  return keys;
}

function emptyPlaces({ list }: SharedKeys): string[] {
  return list.map(() => "");
}

/** The most empty places per text, since each takes a byte, and time whenever the texts are read. */
const emptyPlacesPerText = 4;

/**
 * Packs texts in the order of the keys of their source if that takes less memory: if they have its order, few
 * are missing and none is empty. Otherwise the texts are returned as they are.
 */
export function packTexts(texts: Texts, source: Texts | undefined): Texts {
  if (source === undefined || texts.size * emptyPlacesPerText < source.size) return texts;
  const keys = sharedKeysOf(source);
  const packed = emptyPlaces(keys);
  let place = 0;
  for (const [key, text] of texts) {
    while (place < keys.list.length && keys.list[place] !== key) place++;
    if (place === keys.list.length || text === "") return texts;
    packed[place++] = text;
  }
  return new PackedTexts(keys, encode(packed), texts.size);
}

/**
 * Reads a parsed JSON value directly into packed texts, without its empty texts. This is the fast path: nearly every
 * translation file has its source's keys in its order, so that keys need not be checked, and no Map is made.
 * @returns undefined for any other value, valid or not, which `flatten` has to read.
 */
export function readPacked(value: unknown, source: Texts): Texts | undefined {
  const keys = sharedKeysOf(source);
  const { list } = keys;
  const packed = emptyPlaces(keys);
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
        packed[place++] = node;
      } else if (typeof node !== "object" || node === null || depth === maxDepth) return false;
      else if (!visit(node, `${prefix}${name}.`, depth + 1)) return false;
    }
    // An empty group has no key that would be checked.
    return names.length > 0;
  }
  if (typeof value !== "object" || value === null || !visit(value, "", 1)) return undefined;
  if (size * emptyPlacesPerText < source.size) return undefined;
  return new PackedTexts(keys, encode(packed), size);
}

/** Whether a key is the concatenation of these two, without making it. */
function isJoined(key: string | undefined, prefix: string, name: string): boolean {
  return key?.length === prefix.length + name.length && key.startsWith(prefix) && key.endsWith(name);
}

/** Whether texts are packed with the keys of a source file, so that both share them in memory. */
export function isPackedFor(texts: Texts, source: Texts): boolean {
  return texts instanceof PackedTexts && texts.isPackedFor(sharedKeys.get(source));
}

/** No text contains this character. */
const separator = "\0";
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** How many texts are encoded, or decoded, at once. */
const textsPerPiece = 1_024;

/** Texts in pieces; undefined where a piece is not decoded yet. */
type Pieces = (readonly string[] | undefined)[];

interface Encoded {
  /** The texts, separated. */
  readonly bytes: Uint8Array;
  /** Where each piece of them begins, and behind the last one. */
  readonly starts: readonly number[];
}

function encode(texts: readonly string[]): Encoded {
  const pieces: Uint8Array[] = [];
  const starts = [0];
  for (let at = 0; at === 0 || at < texts.length; at += textsPerPiece) {
    const piece = encoder.encode(texts.slice(at, at + textsPerPiece).join(separator));
    pieces.push(piece);
    starts.push((starts.at(-1) ?? 0) + piece.length + separator.length);
  }
  const bytes = new Uint8Array((starts.at(-1) ?? 0) - separator.length);
  for (const [i, piece] of pieces.entries()) bytes.set(piece, starts[i]);
  return { bytes, starts };
}

class PackedTexts extends TextsView {
  readonly size: number;
  readonly #keys: SharedKeys;
  readonly #encoded: Encoded;
  /** The decoded texts, as long as they are in use. */
  #pieces: WeakRef<Pieces> | undefined;

  constructor(keys: SharedKeys, encoded: Encoded, size: number) {
    super();
    this.#keys = keys;
    this.#encoded = encoded;
    this.size = size;
  }

  isPackedFor(keys: SharedKeys | undefined): boolean {
    return this.#keys === keys;
  }

  #decoded(): Pieces {
    const kept = this.#pieces?.deref();
    if (kept !== undefined) return kept;
    const pieces: Pieces = [];
    this.#pieces = new WeakRef(pieces);
    return pieces;
  }

  /** A piece of the texts. Only what is asked for is decoded, so that no single text takes as long as all of them. */
  #piece(n: number): readonly string[] {
    const pieces = this.#decoded();
    const { bytes, starts } = this.#encoded;
    const end = (starts[n + 1] ?? bytes.length) - separator.length;
    return (pieces[n] ??= decoder.decode(bytes.subarray(starts[n], end)).split(separator));
  }

  get(key: string): string | undefined {
    const place = this.#keys.placeOf(key);
    if (place === undefined) return undefined;
    const text = this.#piece(Math.floor(place / textsPerPiece))[place % textsPerPiece];
    return text === "" ? undefined : text;
  }

  *entries(): MapIterator<[string, string]> {
    const { list } = this.#keys;
    for (let first = 0; first < list.length; first += textsPerPiece) {
      const texts = this.#piece(first / textsPerPiece);
      for (let i = 0; i < texts.length; i++) {
        const key = list[first + i];
        const text = texts[i];
        if (key !== undefined && text !== undefined && text !== "") yield [key, text];
      }
    }
  }

  override forEach(visit: (text: string, key: string, texts: Texts) => void): void {
    const { list } = this.#keys;
    // Without entries(), because exports use this, and making pairs would cost more than the rest.
    for (let first = 0; first < list.length; first += textsPerPiece) {
      this.#piece(first / textsPerPiece).forEach((text, i) => {
        const key = list[first + i];
        if (text !== "" && key !== undefined) visit(text, key, this);
      });
    }
  }
}
