/** Replaces parts of a text, and maps offsets of the old text to the new one. */
import type { Span } from "./nodes.ts";

export interface Splice extends Span {
  readonly by: string;
}

/** The text of a file after some splices, which do not overlap. */
export function splice(text: string, splices: readonly Splice[]): string {
  // Sorting is stable: at the same offset, splices keep their order, with insertions before removals.
  const sorted = splices.toSorted((a, b) => a.start - b.start || a.end - b.end);
  let at = 0;
  const pieces: string[] = [];
  for (const { start, end, by } of sorted) {
    if (start > at) pieces.push(text.slice(at, start));
    pieces.push(by);
    at = Math.max(at, end);
  }
  return [...pieces, text.slice(at)].join("");
}

/** Gives a function that finds the span that contains an offset. The spans must not overlap. */
export function spanFinder<T extends Span>(spans: readonly T[]): (offset: number) => T | undefined {
  const sorted = spans.toSorted((a, b) => a.start - b.start || a.end - b.end);
  return (offset) => {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((sorted[middle]?.start ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    const found = sorted[low - 1];
    return found !== undefined && offset < found.end ? found : undefined;
  };
}

/** Gives a function that tells whether the text at an offset is replaced. */
export function goneBy(splices: readonly Splice[]): (offset: number) => boolean {
  const find = spanFinder(splices.filter(({ start, end }) => start < end));
  return (offset) => find(offset) !== undefined;
}
