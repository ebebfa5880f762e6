/** Texts that are searched as `fold` compares them: all in one string, so that a search is one pass over it. */
/** No text contains this character. */
const separator = "\0";
/** How many texts are joined in one step. */
const textsPerStep = 1_024;

/** Plain text, which is most of all keys and much of all texts. */
const plain = /^[!-~]*(?: [!-~]+)*$/;
/** Accents of all alphabets, vowel signs of Arabic and Hebrew, and what is not seen; other marks make other words. */
const ignored =
  /[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u00ad\u200b-\u200f\u2060\ufeff]+/g;
/** Characters that lower case and compatibility forms leave different: letters, and signs that keyboards do not have. */
const alike: ReadonlyMap<string, string> = new Map([
  ["ı", "i"],
  ["ß", "ss"],
  ["ς", "σ"],
  ...Array.from("\u2018\u2019\u201b\u2032\u02bc\u02b9", (apostrophe) => [apostrophe, "'"] as const),
  ...Array.from("\u201c\u201d\u201e\u201f", (quotationMark) => [quotationMark, '"'] as const),
]);
const unlike = /[ıßς\u2018\u2019\u201b\u2032\u02bc\u02b9\u201c-\u201f]|\s\s|[^\S ]/;
const allUnlike = /[ıßς\u2018\u2019\u201b\u2032\u02bc\u02b9\u201c-\u201f]|\s+/g;

/**
 * A text as searches compare it: without regard to case in any language (`İ`, `ı`, `ß`, `ς`), to accents, to the width
 * of characters, to the kind and number of blanks, and to the kind of apostrophes and quotation marks.
 */
export function fold(text: string): string {
  if (plain.test(text)) return text.toLowerCase();
  const lower = text.normalize("NFKD").replaceAll(ignored, "").toLowerCase();
  const folded = unlike.test(lower)
    ? lower.replaceAll(allUnlike, (character) => alike.get(character) ?? " ")
    : lower;
  return folded.normalize("NFC");
}

/** A stretch of a text, from its first character to the one behind its last. */
export type Span = readonly [start: number, end: number];

/** Where a text contains another, as {@link fold} compares them; in whole characters, with their marks. */
export function foundIn(text: string, needle: string): readonly Span[] {
  const wanted = fold(needle).trim();
  if (wanted === "") return [];
  let folded = "";
  const spans: Span[] = [];
  for (const { 0: piece, index } of text.matchAll(/\s+|\P{M}\p{M}*|\p{M}+/gsu)) {
    const own = fold(piece);
    folded += own;
    for (let i = 0; i < own.length; i++) spans.push([index, index + piece.length]);
  }
  const found: Span[] = [];
  for (let at = folded.indexOf(wanted); at !== -1; at = folded.indexOf(wanted, at + wanted.length)) {
    const [start] = spans[at] ?? [0];
    const [, end] = spans[at + wanted.length - 1] ?? [0, 0];
    const behind = found.at(-1)?.[1] ?? 0;
    // One character may stand for two, both of which are found.
    if (end > behind) found.push([Math.max(start, behind), end]);
  }
  return found;
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
      // A text of invisible characters alone is a text.
      const folded = fold(text) || text.slice(0, 1);
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

/** A text to search for. */
export interface SearchedText {
  /** As {@link fold} compares texts. */
  readonly text?: string;
  /** Whether it is compared exactly, without folding. */
  readonly isExact?: boolean;
}

/**
 * Flags the places at which one of several lists of texts contains what is searched for.
 * @param lists each folded, and as it is.
 * @returns undefined where no text is searched for.
 */
export function flagTexts(
  { text = "", isExact = false }: SearchedText,
  length: number,
  lists: readonly (readonly [FoldedTexts, () => Iterable<string>])[],
): Uint8Array | undefined {
  const needle = isExact ? text : fold(text).trim();
  if (needle === "") return undefined;
  const flags = new Uint8Array(length);
  for (const [folded, asTheyAre] of lists) {
    if (!isExact) folded.mark(needle, flags);
    else for (const [at, one] of [...asTheyAre()].entries()) if (one.includes(needle)) flags[at] = 1;
  }
  return flags;
}
