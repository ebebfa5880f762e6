/** Writes the changes of a file by replacing parts of its text. */
import type { Span } from "./nodes.ts";
import type { FileEdit } from "./plan-edit.ts";
import { lineEndOf } from "./source-text.ts";
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
