/** Patterns in which `*` stands for any characters. */

/** A part of a pattern between two stars, and what is known of its beginnings when a character of it does not match. */
interface Piece {
  readonly text: string;
  /** For each of its beginnings, how long the longest beginning is that is also its end. */
  readonly borders: Uint16Array;
}

/**
 * Makes a function that tells whether a text matches a pattern. It takes time in proportion to the text, whatever the pattern:
 * each piece is searched as Knuth, Morris and Pratt do, without a step back.
 */
export function starMatcher(pattern: string): (text: string) => boolean {
  const [start = "", ...rest] = pattern.split("*");
  const end = rest.pop();
  if (end === undefined) return (text) => text === pattern;
  const pieces = rest.filter((piece) => piece !== "").map(toPiece);
  const least = pieces.reduce((sum, { text }) => sum + text.length, start.length + end.length);
  return (text) => {
    if (text.length < least || !text.startsWith(start) || !text.endsWith(end)) return false;
    const last = text.length - end.length;
    let at: number | undefined = start.length;
    for (const piece of pieces) {
      at = endOf(piece, text, at, last);
      if (at === undefined) return false;
    }
    return true;
  };
}

function toPiece(text: string): Piece {
  const borders = new Uint16Array(text.length);
  for (let at = 1, length = 0; at < text.length; at++) {
    while (length > 0 && text[at] !== text[length]) length = borders[length - 1] ?? 0;
    if (text[at] === text[length]) length++;
    borders[at] = length;
  }
  return { text, borders };
}

/** Where the first place of a piece between two offsets ends. */
function endOf({ text: piece, borders }: Piece, text: string, from: number, to: number): number | undefined {
  let length = 0;
  for (let at = from; at < to; at++) {
    while (length > 0 && text[at] !== piece[length]) length = borders[length - 1] ?? 0;
    if (text[at] === piece[length]) length++;
    if (length === piece.length) return at + 1;
  }
  return undefined;
}
