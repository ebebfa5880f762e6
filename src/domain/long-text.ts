/** Text that may be long, in pieces: processing a piece takes little time, and they are never joined in memory. */
export type LongText = readonly string[];

/** The least length of a piece except the last, in characters. */
const pieceLength = 65_536;

/** Builds a long text. Pieces end where an added text does, so no character is split. */
export class LongTextWriter {
  readonly #pieces: string[] = [];
  #last = "";

  add(text: string): void {
    this.#last += text;
    if (this.#last.length < pieceLength) return;
    // JavaScript keeps a sum of texts as a tree of them until it is read. As one text, a piece takes half the memory, and
    // the collection of garbage does not copy thousands of objects.
    this.#last.charCodeAt(0);
    this.#pieces.push(this.#last);
    this.#last = "";
  }

  end(): LongText {
    return [...this.#pieces, this.#last];
  }
}
