/** Changes of a file that replace parts of its text. */
import type { Span } from "./nodes.ts";
import type { FileEdit } from "./plan-edit.ts";
import { lineEndAt, lineEndOf } from "./source-text.ts";

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

/**
 * What leaves a file with an entry's lines: an empty line behind them, too, where one stands before them, and empty lines
 * that would end the file.
 * @param start where the lines, or the comments above them, start.
 */
export function removedLines(text: string, start: number, end: number): Splice {
  const before = /(?:^|\n)([ \t\r]*\n)+$/.exec(text.slice(Math.max(0, start - 1000), start));
  const rest = before === null ? /^[ \t\r]*\n/ : /^[ \t\r]*\n(?:[ \t\r]*\n)?/;
  const last = end + (rest.exec(text.slice(end, end + 1000))?.[0].length ?? 0);
  const blanks = last === text.length && before?.[0].startsWith("\n") === true ? before[0].length - 1 : 0;
  return { start: start - blanks, end: last, by: "" };
}

/** Writes the changes of a file by replacing parts of its text. */
export abstract class SpliceWriter {
  protected readonly edit: FileEdit<string>;
  /** The text of the file that is changed. */
  protected readonly text: string;
  protected readonly lineEnd: string;
  /** The text of the source file; empty where there is none. */
  protected readonly sourceText: string;
  readonly splices: Splice[] = [];

  constructor(edit: FileEdit<string>) {
    this.edit = edit;
    this.text = edit.template;
    this.lineEnd = lineEndOf(this.text);
    this.sourceText = edit.source ?? "";
  }

  protected replace({ start, end }: Span, by: string): void {
    this.splices.push({ start, end, by });
  }

  protected insert(at: number, text: string): void {
    this.splices.push({ start: at, end: at, by: text });
  }

  /** Adds lines where a line starts, or at the end of the file. */
  protected insertLines(at: number, lines: readonly string[]): void {
    if (lines.length === 0) return;
    const isEnded = at === 0 || this.text[at - 1] === "\n";
    const block = lines.join(this.lineEnd);
    this.insert(at, isEnded ? block + this.lineEnd : this.lineEnd + block);
  }

  /** Where the next line after the line of an offset starts. */
  protected nextLine(offset: number): number {
    const feed = this.text.indexOf("\n", lineEndAt(this.text, offset));
    return feed === -1 ? this.text.length : feed + 1;
  }

  /** The changed file. */
  end(): string {
    return splice(this.text, this.splices);
  }
}
