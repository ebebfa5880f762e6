/** Texts that are searched without regard to case: all in one string, so that a search is one pass over it. */

/** No text contains this character. */
const separator = "\0";
/** How many texts are joined in one step. */
const textsPerStep = 1_024;

/** A text as searches compare it: composed characters, and lower case. */
export function fold(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

export class FoldedTexts {
  /** Approximately how many bytes it takes in memory. */
  readonly bytes: number;
  readonly #joined: string;
  /** Where each text ends in the joined string. */
  readonly #ends: Uint32Array;

  private constructor(joined: string, ends: Uint32Array) {
    this.#joined = joined;
    this.#ends = ends;
    this.bytes = 2 * joined.length + ends.byteLength;
  }

  /** Folds texts, whose numbers are their places in this order. */
  static of(texts: Iterable<string>): FoldedTexts {
    const pieces: string[] = [];
    const ends: number[] = [];
    let piece: string[] = [];
    let length = 0;
    for (const text of texts) {
      const folded = fold(text);
      length += folded.length;
      ends.push(length++);
      piece.push(folded);
      if (piece.length < textsPerStep) continue;
      pieces.push(piece.join(separator));
      piece = [];
    }
    if (piece.length > 0) pieces.push(piece.join(separator));
    return new FoldedTexts(pieces.join(separator), Uint32Array.from(ends));
  }

  isEmpty(place: number): boolean {
    return this.#ends[place] === (place === 0 ? 0 : (this.#ends[place - 1] ?? 0) + 1);
  }

  /**
   * Sets a flag for each text that contains another.
   * @param needle folded, and not empty.
   * @param flags one for each text; those that are set stay.
   */
  mark(needle: string, flags: Uint8Array): void {
    if (needle.includes(separator)) return;
    let place = 0;
    for (let at = this.#joined.indexOf(needle); at !== -1;) {
      let end = this.#ends[place] ?? Infinity;
      while (end <= at) end = this.#ends[++place] ?? Infinity;
      flags[place] = 1;
      at = this.#joined.indexOf(needle, end + 1);
    }
  }
}
