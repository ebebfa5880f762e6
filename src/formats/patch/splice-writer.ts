/** Writes the changes of a file by replacing parts of its text. */
import { removedLines } from "./gaps.ts";
import type { Span } from "./nodes.ts";
import type { FileEdit } from "./plan-edit.ts";
import { commentStart, lineEndAt, lineEndOf } from "./source-text.ts";
import { splice, type Splice } from "./splices.ts";

export abstract class SpliceWriter {
  protected readonly edit: FileEdit<string>;
  /** The text of the file that is changed. */
  protected readonly text: string;
  protected readonly lineEnd: string;
  /** The text of the source file; empty where there is none. */
  protected readonly sourceText: string;
  protected readonly splices: Splice[] = [];

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

  /** The changed file. */
  protected end(): string {
    return splice(this.text, this.splices);
  }
}

/** Writes the changes of a file whose entries have lines of their own. */
export abstract class LineWriter extends SpliceWriter {
  /** The characters that comments begin with. */
  protected readonly marks: string = "#";

  /** Adds lines where a line starts, or at the end of the file. */
  protected insertLines(at: number, lines: readonly string[]): void {
    const isEnded = at === 0 || this.text[at - 1] === "\n";
    const block = lines.join(this.lineEnd);
    this.insert(at, isEnded ? block + this.lineEnd : this.lineEnd + block);
  }

  /**
   * Removes lines; where they stand together, also the empty line behind them if there is one before them.
   * @param gone each from the start of a line or of the comments above it, in the order of the file.
   */
  protected removeLines(gone: readonly Span[]): void {
    const joined: { start: number; end: number }[] = [];
    for (const { start, end } of gone) {
      const last = joined.at(-1);
      if (last !== undefined && this.nextLine(last.end) === start) last.end = end;
      else joined.push({ start, end });
    }
    for (const { start, end } of joined)
      this.splices.push(removedLines(this.text, start, lineEndAt(this.text, end)));
  }

  /** Where a line starts, or the comments above it, which stand behind a floor. */
  protected blockStart(start: number, floor: number): number {
    return commentStart(this.text, start, floor, this.marks);
  }

  /** Where the next line after the line of an offset starts. */
  protected nextLine(offset: number): number {
    const feed = this.text.indexOf("\n", lineEndAt(this.text, offset));
    return feed === -1 ? this.text.length : feed + 1;
  }

  /** Whether an empty line stands before most of some lines, or the comments above them. @param starts of these. */
  protected areSpaced(starts: readonly number[]): boolean {
    const spaced = starts.filter((start) =>
      /\n[ \t\r]*\n$/.test(this.text.slice(Math.max(0, start - 100), start)),
    );
    return spaced.length * 2 >= starts.length;
  }
}
