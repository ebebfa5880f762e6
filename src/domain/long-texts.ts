/** Goes over long texts, in proportion to their length: their lines, words and characters. */

/** The lines of a text of which very many places are asked for; `lineAt` goes through the text for each. */
export class TextLines {
  readonly #starts: number[] = [0];

  constructor(text: string) {
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) this.#starts.push(at + 1);
  }

  /** Where a line begins, counted from 0. */
  startOf(index: number): number {
    return this.#starts[index] ?? 0;
  }

  /** The line that an offset stands in, counted from 0. */
  indexAt(offset: number): number {
    let [low, high] = [0, this.#starts.length];
    while (low + 1 < high) {
      const middle = (low + high) >>> 1;
      if (this.startOf(middle) <= offset) low = middle;
      else high = middle;
    }
    return low;
  }
}

/** As `lineAt`, for many offsets of a text: it goes through the text once, at the first of them. */
export function linesOf(text: string): (offset: number) => number {
  let lines: TextLines | undefined;
  return (offset) => (lines ??= new TextLines(text)).indexAt(offset) + 1;
}

/** As much of a text as a segmenter is given at once. */
const usualPiece = 256;
/** Whether a segment ends may depend on so many characters behind it. */
const lookAhead = 64;

export interface Segment {
  readonly segment: string;
  readonly index: number;
  readonly isWordLike: boolean;
}

/**
 * Goes over the words or characters of a text, as a segmenter finds them. Node copies the text for each segment, so that one
 * of 100,000 characters takes seconds: the segmenter is given it piece by piece.
 */
export function* segmentsIn(segmenter: Intl.Segmenter, text: string): Generator<Segment> {
  let size = usualPiece;
  for (let from = 0; from < text.length;) {
    const isLast = from + size >= text.length;
    const piece = text.slice(from, from + size);
    let end = 0;
    for (const { segment, index, isWordLike = false } of segmenter.segment(piece)) {
      const next = index + segment.length;
      if (!isLast && next > size - lookAhead) break;
      yield { segment, index: from + index, isWordLike };
      end = next;
      // Of a long piece, only the segment for which it was made.
      if (size > usualPiece && !isLast) break;
    }
    // A segment that is longer than the piece.
    if (end === 0) size *= 2;
    else [from, size] = [from + end, usualPiece];
  }
}
