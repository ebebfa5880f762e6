/** Writes the changes of a file of lines in sections with headers, as INI and TOML have them. */
import { append } from "../../domain/group-by.ts";
import type { Span } from "./nodes.ts";
import type { FileEdit } from "./plan-edit.ts";
import { commentStart, indentOf, lineEndAt } from "./source-text.ts";
import { removedLines, SpliceWriter } from "./splices.ts";

/** A line, or a header; a comment may stand behind its end. */
export interface OwnLine extends Span {
  /** Where the line or header before it ends; before the start of the file for the first one. */
  readonly floor: number;
}

/** A header and the lines below it. */
export interface Section<L extends OwnLine = OwnLine> {
  /** Undefined for the root, whose lines stand above all headers. */
  readonly header: OwnLine | undefined;
  readonly lines: readonly L[];
}

/** In the order of the file; the root is the first. */
export type Sections<S extends Section> = readonly [root: S, ...headed: S[]];

type LineOf<S extends Section> = S["lines"][number];

/** Where new lines and sections stand: behind what was passed last, in its section, and else as the first. */
export class SectionPlan<S extends Section, N> {
  readonly lines = new Map<S, { readonly after: LineOf<S> | undefined; readonly line: N }[]>();
  /** By their names. */
  readonly sections = new Map<string, { readonly after: S | undefined; readonly lines: N[] }>();
  readonly #passed = new Map<S, LineOf<S>>();
  #last: S | undefined;

  /** Goes on to a section, or to a line of it. */
  pass(section: S, line?: LineOf<S>): void {
    this.#last = section;
    if (line !== undefined) this.#passed.set(section, line);
  }

  /** Adds a line to a section of the file. */
  addLine(section: S, line: N, after = this.#passed.get(section)): void {
    append(this.lines, section, { after, line });
  }

  /** Adds a line to a section that the file does not have. */
  addToNew(name: string, line: N): void {
    const known = this.sections.get(name);
    if (known === undefined) this.sections.set(name, { after: this.#last, lines: [line] });
    else known.lines.push(line);
  }
}

export abstract class SectionWriter<S extends Section, N> extends SpliceWriter {
  protected readonly sections: Sections<S>;
  /** The characters that comments begin with. */
  readonly #marks: string;

  constructor(edit: FileEdit<string>, sections: Sections<S>, marks = "#") {
    super(edit);
    this.sections = sections;
    this.#marks = marks;
  }

  /** A new line without its indentation. @param like the line of the same section whose style it has. */
  protected abstract written(line: N, like: LineOf<S> | undefined): string;

  /** The header of a new section, and what stands between it and the new lines. */
  protected abstract head(lines: readonly N[]): readonly string[];

  /** Writes what comes, and removes what goes, with the headers of sections that have no line left. */
  protected apply(plan: SectionPlan<S, N>, isGone: (line: LineOf<S>) => boolean): void {
    for (const section of this.sections) this.#writeLines(section, plan);
    const isSpaced = plan.sections.size > 0 && this.#isSpaced();
    for (const { after, lines } of plan.sections.values()) {
      const all = [...this.head(lines), ...lines.map((line) => this.written(line, undefined))];
      this.#writeSection(all, after, isSpaced);
    }
    const gone = this.sections.flatMap((section): readonly OwnLine[] => {
      const { header, lines } = section;
      const left = lines.filter(isGone);
      const isWhole = left.length > 0 && left.length === lines.length && !plan.lines.has(section);
      return isWhole && header !== undefined ? [header, ...left] : left;
    });
    this.#remove(gone);
  }

  #writeLines(section: S, { lines }: SectionPlan<S, N>): void {
    const first: string[] = [];
    for (const { after, line } of lines.get(section) ?? []) {
      const like = after ?? section.lines[0];
      const indent = like === undefined ? "" : indentOf(this.text, like.start);
      const written = indent + this.written(line, like);
      if (after === undefined) first.push(written);
      else this.insertLines(this.nextLine(after.end), [written]);
    }
    if (first.length > 0) this.#insertFirst(section, first);
  }

  /** Adds lines above those of a section. */
  #insertFirst({ header, lines: [first] }: S, lines: readonly string[]): void {
    const { 1: headed } = this.sections;
    if (first !== undefined) this.insertLines(this.#blockStart(first), lines);
    else if (header !== undefined) this.insertLines(this.nextLine(header.end), lines);
    else if (headed?.header === undefined) this.insertLines(this.text.length, lines);
    else this.insertLines(this.#blockStart(headed.header), [...lines, ""]);
  }

  /** @param after the section that it follows; the root if undefined. */
  #writeSection(lines: readonly string[], after: S | undefined, isSpaced: boolean): void {
    const { 0: root, 1: headed } = this.sections;
    const { header, lines: before } = after ?? root;
    const last = before.at(-1) ?? header;
    if (last === undefined && headed?.header !== undefined) {
      this.insertLines(this.#blockStart(headed.header), isSpaced ? [...lines, ""] : lines);
      return;
    }
    const at = last === undefined ? this.text.length : this.nextLine(last.end);
    const isFirst = at === 0 && this.splices.every(({ by }) => by === "");
    this.insertLines(at, isSpaced && !isFirst ? ["", ...lines] : lines);
  }

  /** Removes lines with the comments above them. @param gone in the order of the file. */
  #remove(gone: readonly OwnLine[]): void {
    const joined: { start: number; end: number }[] = [];
    for (const line of gone) {
      const start = this.#blockStart(line);
      const last = joined.at(-1);
      if (last !== undefined && this.nextLine(last.end) === start) last.end = line.end;
      else joined.push({ start, end: line.end });
    }
    for (const { start, end } of joined)
      this.splices.push(removedLines(this.text, start, lineEndAt(this.text, end)));
  }

  /** Where a line starts, or the comments above it. */
  #blockStart({ start, floor }: OwnLine): number {
    return commentStart(this.text, start, floor, this.#marks);
  }

  /** Whether an empty line stands before most headers, or the comments above them. */
  #isSpaced(): boolean {
    const starts = this.sections.flatMap(({ header }) =>
      header === undefined ? [] : this.#blockStart(header),
    );
    const spaced = starts.filter((start) =>
      /\n[ \t\r]*\n$/.test(this.text.slice(Math.max(0, start - 100), start)),
    );
    return spaced.length * 2 >= starts.length;
  }
}
