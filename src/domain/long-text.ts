/** Text that may be long, in pieces: what is done with each takes little time, and whole they need not be in memory. */
export type LongText = readonly string[];

/** Of a piece, in characters. */
const pieceLength = 65_536;

/** Puts together a long text; no character is cut in two. */
export class LongTextWriter {
  readonly #pieces: string[] = [];
  #last = "";

  add(text: string): void {
    this.#last += text;
    if (this.#last.length < pieceLength) return;
    this.#pieces.push(this.#last);
    this.#last = "";
  }

  end(): LongText {
    return [...this.#pieces, this.#last];
  }
}
