/** Which trigrams a text has: without regard to case, accents and blanks, as searches compare texts. */
import { fold } from "../strings/folded-texts.ts";

/** Longer texts, in characters, are similar to no other. */
export const maxSimilarLength = 1_000;
/** How many codes of trigrams there are. */
export const trigramCodes = 16_384;
/** Sets the occurrences of one trigram apart; odd, so that it leads through all codes. */
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
