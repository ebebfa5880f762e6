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
