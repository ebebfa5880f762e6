/** Finds the texts of one file that are equal or similar to another text. */
import { isStepDone, pause } from "../../slices.ts";
import type { Texts } from "../strings/string-file.ts";
import { fold } from "../strings/folded-texts.ts";

/** Texts with a lower score are not similar. */
export const leastScore = 60;
/** How many texts of one file are found, the most similar ones first. */
export const maxFound = 200;
/** How many keys of one text are known, the first ones of the file. */
export const maxKeys = 20;

export interface TextQuery {
  readonly text: string;
  /** A flag for each code of a trigram. */
  readonly flags: Uint8Array;
  readonly size: number;
}

/** Cuts a text that is looked for into trigrams, once for all files in which it is looked for. */
export function toTextQuery(text: string): TextQuery {
  const flags = new Uint8Array(trigramCodes);
  const codes = new TrigramReader().read(text);
  for (const code of codes) flags[code] = 1;
  return { text, flags, size: codes.length };
}

export interface FoundText {
  /** 100 for an equal text; otherwise how many per cent of the trigrams of the two texts are in both, at most 99. */
  readonly score: number;
  readonly text: string;
  readonly keys: readonly string[];
}

interface Entry {
  readonly text: string;
  readonly keys: string | readonly string[];
}

/** The distinct texts of a file, ordered by the number of their trigrams. */
export class TextIndex {
  /** Approximately how many bytes it takes in memory. */
  readonly bytes: number;
  readonly #entries: readonly Entry[];
  readonly #codes: Uint16Array;
  /** The index in `#codes` at which the codes of each text begin, and at last its length. */
  readonly #starts: Uint32Array;

  private constructor(entries: readonly Entry[], codes: Uint16Array, starts: Uint32Array) {
    this.#entries = entries;
    this.#codes = codes;
    this.#starts = starts;
    this.bytes = codes.byteLength + starts.byteLength + bytesPerEntry * entries.length;
  }

  /** Indexes texts; empty ones are left out. */
  static async of(texts: Texts): Promise<TextIndex> {
    await pause();
    const keysOf = new Map<string, string | string[]>();
    for (const [key, text] of texts) {
      if (isStepDone()) await pause();
      const keys = keysOf.get(text);
      if (keys === undefined) keysOf.set(text, key);
      else if (typeof keys === "string") keysOf.set(text, [keys, key]);
      else if (keys.length < maxKeys) keys.push(key);
    }
    keysOf.delete("");
    const bySize: { readonly entry: Entry; readonly start: number }[][] = [];
    const reader = new TrigramReader();
    let read = new Uint16Array(64 * keysOf.size);
    let length = 0;
    for (const [text, keys] of keysOf) {
      if (isStepDone()) await pause();
      const own = reader.read(text);
      if (length + own.length > read.length) {
        const longer = new Uint16Array(2 * (length + own.length));
        longer.set(read);
        read = longer;
      }
      read.set(own, length);
      (bySize[own.length] ??= []).push({ entry: { text, keys }, start: length });
      length += own.length;
    }
    const entries: Entry[] = [];
    const codes = new Uint16Array(length);
    const starts = new Uint32Array(keysOf.size + 1);
    length = 0;
    for (const [size, same = []] of bySize.entries()) {
      for (const { entry, start } of same) {
        if (isStepDone()) await pause();
        entries.push(entry);
        for (let i = 0; i < size; i++) codes[length++] = read[start + i] ?? 0;
        starts[entries.length] = length;
      }
    }
    return new TextIndex(entries, codes, starts);
  }

  /** The texts with at least {@link leastScore}, best first. */
  find({ text, flags, size }: TextQuery): readonly FoundText[] {
    const found: { readonly score: number; readonly entry: Entry }[] = [];
    const [codes, starts] = [this.#codes, this.#starts];
    // Texts without trigrams, such as very long ones, are found if they are equal.
    const [first, last] = size === 0 ? [0, this.#firstOf(1)] : this.#comparable(size);
    for (let i = first; i < last; i++) {
      const start = starts[i] ?? 0;
      const end = starts[i + 1] ?? 0;
      const needed = ((size + end - start) * leastScore) / 200;
      let shared = 0;
      let at = start;
      // Most texts lack too many of the trigrams after a few more than they may lack.
      const enough = Math.min(end, start + Math.ceil(1.3 * (end - start - needed)));
      for (; at < enough; at++) shared += flags[codes[at] ?? 0] ?? 0;
      if (shared + end - at < needed) continue;
      for (; at < end; at++) shared += flags[codes[at] ?? 0] ?? 0;
      const entry = this.#entries[i];
      if (shared < needed || entry === undefined) continue;
      const score = size === 0 ? 0 : Math.floor((200 * shared) / (size + end - start));
      if (entry.text === text) found.push({ score: 100, entry });
      else if (size > 0) found.push({ score: Math.min(score, 99), entry });
    }
    found.sort((a, b) => b.score - a.score);
    return found.slice(0, maxFound).map(({ score, entry }) => ({
      score,
      text: entry.text,
      keys: [entry.keys].flat(),
    }));
  }

  /** The range of texts, its end exclusive, that are neither too short nor too long to reach {@link leastScore}. */
  #comparable(size: number): readonly [number, number] {
    const least = Math.ceil((size * leastScore) / (200 - leastScore));
    const most = Math.floor((size * (200 - leastScore)) / leastScore);
    return [this.#firstOf(least), this.#firstOf(most + 1)];
  }

  /** The index of the first text with at least this many trigrams. */
  #firstOf(size: number): number {
    let [low, high] = [0, this.#entries.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#starts[middle + 1] ?? 0) - (this.#starts[middle] ?? 0) < size) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** An object with two references, and one in a list. */
const bytesPerEntry = 40;

/** Longer texts, in characters, are similar to no other. */
export const maxSimilarLength = 1_000;
/** How many codes there are: 14 bits. */
const trigramCodes = 16_384;
/** The distance between the codes of a trigram's occurrences in one text; odd, so that multiples reach all codes. */
const step = 40_503;

/** Reads the trigrams of texts. One reader reads many texts, because its tables are large. */
export class TrigramReader {
  readonly #occurrences = new Uint16Array(trigramCodes);
  /** The number of the text in which each code was read last. */
  readonly #readIn = new Uint32Array(trigramCodes);
  #hashes = new Uint16Array(maxSimilarLength);
  #found = new Uint16Array(maxSimilarLength);
  #text = 0;

  /**
   * The distinct trigrams of a text as codes of 14 bits: each occurrence of one trigram has a code of its own.
   * @returns an array that the next text overwrites.
   */
  read(text: string): Uint16Array {
    if (text.length > maxSimilarLength) return new Uint16Array();
    const padded = ` ${fold(text)} `;
    const length = padded.length - 2;
    if (length > this.#found.length) {
      this.#hashes = new Uint16Array(length);
      this.#found = new Uint16Array(length);
    }
    let count = 0;
    this.#text++;
    for (let i = 0; i < length; i++) {
      const hash = hashOf(padded, i);
      const before = this.#occurrences[hash] ?? 0;
      const code = (hash + before * step) % trigramCodes;
      this.#hashes[i] = hash;
      this.#occurrences[hash] = before + 1;
      if (this.#readIn[code] === this.#text) continue;
      this.#readIn[code] = this.#text;
      this.#found[count++] = code;
    }
    for (let i = 0; i < length; i++) this.#occurrences[this.#hashes[i] ?? 0] = 0;
    return this.#found.subarray(0, count);
  }
}

function hashOf(text: string, at: number): number {
  const mixed =
    Math.imul(text.charCodeAt(at), 0x9e3779b1) ^
    Math.imul(text.charCodeAt(at + 1), 0x85ebca6b) ^
    Math.imul(text.charCodeAt(at + 2), 0xc2b2ae35);
  return mixed >>> 18;
}
