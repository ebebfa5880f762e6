/** Writes the changes of an INI file: its lines and sections stay where they are. */
import { childOf } from "../../domain/strings/string-file.ts";
import { excerpt } from "../../domain/text.ts";
import { FormatError } from "../patch/format-error.ts";
import { LineWriter } from "../patch/splice-writer.ts";
import type { Span } from "../patch/nodes.ts";
import type { FileEdit } from "../patch/plan-edit.ts";
import { indentOf } from "../patch/source-text.ts";
import {
  readIniFile,
  readIniValue,
  type IniFile,
  type IniLine,
  type IniQuote,
  type IniSection,
} from "./ini-file.ts";

/** Why no INI holds a text; undefined when one may. */
export function iniProblem(text: string): string | undefined {
  return /[\r\n]/.test(text) ? "has a line end, which INI has no spelling for" : undefined;
}

/** What some reader or other takes for something else outside of quotes; PHP does so with " in apostrophes, too. */
const needsQuotes = /[;#"'{}|&~!()^=[\]\\$]|^\s|\s$/;

/** A new line, and the section that it stands in. */
interface NewLine {
  readonly section: string | undefined;
  readonly name: string;
  readonly text: string;
}

export class IniWriter extends LineWriter {
  protected override readonly marks = "#;";
  readonly #file: IniFile;
  readonly #sections: ReadonlyMap<string | undefined, IniSection>;
  /** The spellings of texts that the file has. */
  readonly #quotes: readonly IniQuote[];
  readonly #like: IniLine | undefined;
  /** Whether empty lines stand between sections. */
  readonly #isSpaced: boolean;

  /** @throws FormatError when the file is no INI. */
  constructor(edit: FileEdit<string>) {
    super(edit);
    this.#file = readIniFile(this.text);
    this.#sections = new Map(this.#file.map((section) => [section.name, section]));
    const lines = this.#file.flatMap((section) => section.lines);
    this.#like = lines[0];
    const hasQuotes = lines.length === 0 || lines.some(({ node }) => node.quote !== "");
    this.#quotes = hasQuotes ? ['"', "'", ""] : [""];
    const [, ...headed] = this.#file;
    this.#isSpaced = this.areSpaced(headed.map(({ start, floor }) => this.blockStart(start, floor)));
  }

  /** @throws FormatError when the file cannot hold a text. */
  write(): string {
    const { texts } = this.edit;
    const present = new Map(
      this.#file.flatMap((section) =>
        section.lines.map((line) => [keyOf(section, line), { section, line }] as const),
      ),
    );
    const added = new Map<IniSection, { readonly at: IniLine | undefined; readonly written: string }[]>();
    const sections = new Map<string, { readonly after: IniSection | undefined; readonly lines: string[] }>();
    /** The last line of each section that was passed, and the last section. */
    const passed = new Map<IniSection, IniLine>();
    let last: IniSection | undefined;
    for (const [key, text] of texts) {
      const found = present.get(key);
      if (found !== undefined) {
        passed.set(found.section, found.line);
        last = found.section;
        if (found.line.node.text !== text)
          this.replace(found.line.node, this.#literal(key, text, found.line.node.quote));
        continue;
      }
      const line = this.#placeOf(key, text);
      const section = this.#sections.get(line.section);
      if (section !== undefined) {
        const at = passed.get(section);
        const own = added.get(section) ?? [];
        own.push({ at, written: this.#written(key, line, at ?? section.lines[0]) });
        added.set(section, own);
        last = section;
      } else {
        const name = line.section ?? "";
        const own = sections.get(name) ?? { after: last, lines: [] };
        own.lines.push(this.#written(key, line, undefined));
        sections.set(name, own);
      }
    }
    this.#writeLines(added);
    for (const [name, { after, lines }] of sections) this.#writeSection(name, after, lines);
    this.#removeKeys(added);
    return this.end();
  }

  /** The section of a new key: as in the source file, or else one that the file has. */
  #placeOf(key: string, text: string): NewLine {
    const { shape } = this.edit;
    const dots = Array.from(key.matchAll(/\./g), ({ index }) => index);
    const isSection = (at: number): boolean => at > 0 && at < key.length - 1;
    const at =
      dots.find((dot) => isSection(dot) && typeof childOf(shape, key.slice(0, dot)) === "object") ??
      dots.findLast((dot) => isSection(dot) && this.#sections.has(key.slice(0, dot)));
    return at === undefined
      ? { section: undefined, name: key, text }
      : { section: key.slice(0, at), name: key.slice(at + 1), text };
  }

  #writeLines(
    added: ReadonlyMap<IniSection, readonly { readonly at: IniLine | undefined; readonly written: string }[]>,
  ): void {
    for (const section of this.#file) {
      const own = added.get(section) ?? [];
      const first = own.filter(({ at }) => at === undefined).map(({ written }) => written);
      if (first.length > 0) this.#insertFirst(section, first);
      for (const { at, written } of own)
        if (at !== undefined) this.insertLines(this.nextLine(at.end), [written]);
    }
  }

  /** Adds lines above those of a section. */
  #insertFirst({ name, headerEnd, lines: [first] }: IniSection, lines: readonly string[]): void {
    const { 1: headed } = this.#file;
    if (first !== undefined) this.insertLines(this.blockStart(first.start, first.floor), lines);
    else if (name !== undefined) this.insertLines(this.nextLine(headerEnd), lines);
    else if (headed === undefined) this.insertLines(this.text.length, lines);
    else this.insertLines(this.blockStart(headed.start, headed.floor), [...lines, ""]);
  }

  #writeSection(name: string, after: IniSection | undefined, lines: readonly string[]): void {
    const header = `[${name}]`;
    const [, read] = safely(() => readIniFile(header)) ?? [];
    if (read?.name !== name) throw new FormatError(`cannot hold the section ${excerpt(name)}`);
    const { 0: root, 1: first } = this.#file;
    const isSpaced = this.#isSpaced;
    const before = after ?? root;
    if (before === root && root.lines.length === 0 && first !== undefined) {
      const written = isSpaced ? [header, ...lines, ""] : [header, ...lines];
      this.insertLines(this.blockStart(first.start, first.floor), written);
      return;
    }
    const end = before.lines.at(-1)?.end ?? (before === root ? this.text.length : before.headerEnd);
    const at = this.nextLine(end);
    const isFirst = at === 0 && this.splices.every(({ by }) => by === "");
    this.insertLines(at, isSpaced && !isFirst ? ["", header, ...lines] : [header, ...lines]);
  }

  /** Removes lines, and the sections that have none left. */
  #removeKeys(added: ReadonlyMap<IniSection, unknown>): void {
    const { texts, removed, isSource } = this.edit;
    const gone: Span[] = [];
    for (const section of this.#file) {
      const { name, start, headerEnd, floor, lines } = section;
      const left = lines.filter((line) => {
        const key = keyOf(section, line);
        return !texts.has(key) && (isSource || removed.has(key));
      });
      const isGone = left.length > 0 && left.length === lines.length && !added.has(section);
      if (isGone && name !== undefined) gone.push({ start: this.blockStart(start, floor), end: headerEnd });
      for (const line of left) gone.push({ start: this.blockStart(line.start, line.floor), end: line.end });
    }
    this.removeLines(gone);
  }

  /** A new line. @param like a line of the same section, whose style it has. */
  #written(key: string, { name, text }: NewLine, like: IniLine | undefined): string {
    const style = like ?? this.#like;
    const before = style === undefined ? "" : this.text.slice(style.start, style.node.start);
    const [sign = "="] = /[ \t]*[=:][ \t]*$/.exec(before) ?? [];
    const line = name + sign + this.#literal(key, text, style?.node.quote ?? "");
    const [root] = safely(() => readIniFile(line)) ?? [];
    if (root?.lines.length !== 1 || root.lines[0]?.name !== name || root.lines[0].node.text !== text)
      throw new FormatError(`cannot hold the key ${excerpt(key)}`);
    return (like === undefined ? "" : indentOf(this.text, like.start)) + line;
  }

  /** A text in the first spelling in which it is read as it was. @param quote of the text in whose place or beside which it stands. */
  #literal(key: string, text: string, quote: IniQuote): string {
    // PHP joins what stands in quotes with constants between: "a"_QQ_"b".
    const isJoined = /^".*"$/.test(text);
    const isKept = quote === "" ? isJoined || !needsQuotes.test(text) : quote === '"' || !text.includes('"');
    const preferred = isKept ? [quote, ...this.#quotes] : this.#quotes;
    for (const one of preferred) {
      const literal = quoted(text, one);
      const read = iniProblem(text) === undefined ? readIniValue(literal, 0, literal.length) : undefined;
      if (read?.text === text && read.end === literal.length) return literal;
    }
    throw new FormatError(`cannot hold the text of ${excerpt(key)}`);
  }
}

function keyOf({ name }: IniSection, line: IniLine): string {
  return name === undefined ? line.name : `${name}.${line.name}`;
}

function quoted(text: string, quote: IniQuote): string {
  if (quote !== '"') return quote + text + quote;
  return `"${text.replaceAll(/\\(?=[\\"]|$)/g, String.raw`\\`).replaceAll('"', String.raw`\"`)}"`;
}

/** What a reader gives; undefined where it refuses its file. */
function safely<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof FormatError) return undefined;
    throw error;
  }
}
