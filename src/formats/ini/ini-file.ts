/**
 * Reads INI: lines of keys and texts, in sections. There is no one INI, so that only what the usual readers (PHP, Python's
 * configparser, GLib, Windows) agree on is read; a file that one of them reads otherwise is refused.
 */
import { excerpt } from "../../domain/text.ts";
import type { OwnLine, Section, Sections } from "../patch/section-writer.ts";
import { fileRoot, type Entry, type GroupNode, type TextNode } from "../patch/tree.ts";
import { blanksBefore, columnOf, errorAt, lineEndAt, refuseOldLineEnds } from "../patch/source-text.ts";

/** How a text is quoted; not at all if empty. */
export type IniQuote = '"' | "'" | "";

export interface IniValue extends TextNode {
  readonly quote: IniQuote;
}

/** A line with a key and its text. */
export interface IniLine extends OwnLine, Entry {
  readonly node: IniValue;
}

export interface IniSection extends Section<IniLine> {
  /** Undefined for the root. */
  readonly name: string | undefined;
}

export type IniFile = Sections<IniSection>;

const blanks = /[ \t\f\v]*/y;

/** @throws FormatError with the line of what is no INI, or of what programs read in different ways. */
export function readIniFile(text: string): IniFile {
  refuseOldLineEnds(text);
  const root: IniLine[] = [];
  const headed: IniSection[] = [];
  const names = new Set<string>();
  let lines = root;
  let floor = -1;
  for (let at = 0; at < text.length;) {
    const end = lineEndAt(text, at);
    blanks.lastIndex = at;
    blanks.test(text);
    const start = blanks.lastIndex;
    const first = text[start];
    if (first === "[") {
      const name = readName(text, start, end);
      if (names.has(name)) throw errorAt(text, start, `has the section ${excerpt(name)} a second time`);
      names.add(name);
      const header = { start, end: start + name.length + "[]".length, floor };
      headed.push({ name, header, lines: (lines = []) });
      floor = header.end;
    } else if (start < end && first !== ";" && first !== "#") {
      const before = lines.at(-1);
      const isDeeper = before !== undefined && columnOf(text, start) > columnOf(text, before.start);
      if (isDeeper) {
        const problem =
          "is indented more than the key above it, so that some programs read it as more of that text";
        throw errorAt(text, start, problem);
      }
      const line = { ...readLine(text, start, end), floor };
      lines.push(line);
      floor = line.end;
    }
    at = text.startsWith("\r\n", end) ? end + 2 : end + 1;
  }
  return [{ name: undefined, header: undefined, lines: root }, ...headed];
}

/** The name of the section whose header starts there. */
function readName(text: string, start: number, end: number): string {
  const close = text.indexOf("]", start);
  if (close === -1 || close >= end)
    throw errorAt(text, start, "has a section whose name does not end with ]");
  const name = text.slice(start + 1, close);
  if (name.trim() === "") throw errorAt(text, start, "has a section without a name");
  if (!isRest(text, close + 1, end)) throw errorAt(text, start, "has text behind the name of a section");
  return name;
}

/** Whether nothing but blanks and a comment stands there. */
function isRest(text: string, start: number, end: number): boolean {
  blanks.lastIndex = start;
  blanks.test(text);
  const at = blanks.lastIndex;
  return at >= end || text[at] === ";" || text[at] === "#";
}

function readLine(text: string, start: number, end: number): Omit<IniLine, "floor"> {
  const line = text.slice(start, end);
  const equals = line.indexOf("=");
  const sign = equals === -1 ? line.indexOf(":") : equals;
  if (sign === -1) throw errorAt(text, start, "has a line without = that is neither a section nor a comment");
  const name = line.slice(0, blanksBefore(line, sign, /[ \t]/));
  if (name === "") throw errorAt(text, start, "has a text without a key");
  const node = readIniValue(text, start + sign + 1, end);
  if (node === undefined)
    throw errorAt(text, start, "has a text whose quotation mark does not end on its line");
  return { name, start, end: node.end, node };
}

/** Reads a text up to the end of its line. @returns undefined when it begins with a quotation mark that does not end. */
export function readIniValue(text: string, from: number, lineEnd: number): IniValue | undefined {
  blanks.lastIndex = from;
  blanks.test(text);
  const start = Math.min(blanks.lastIndex, lineEnd);
  const quote = text[start];
  if (start < lineEnd && (quote === '"' || quote === "'")) {
    const close = closing(text, start, lineEnd, quote);
    if (close === undefined && quote === '"') return undefined;
    if (close !== undefined && isRest(text, close + 1, lineEnd)) {
      const inner = text.slice(start + 1, close);
      const value = quote === '"' ? inner.replaceAll(/\\([\\"])/g, "$1") : inner;
      return { kind: "text", text: value, quote, start, end: close + 1 };
    }
  }
  let end = lineEnd;
  while (end > start && /[ \t\f\v]/.test(text[end - 1] ?? "")) end--;
  return { kind: "text", text: text.slice(start, end), quote: "", start, end };
}

function closing(text: string, start: number, end: number, quote: '"' | "'"): number | undefined {
  let at = start + 1;
  while (at < end && text[at] !== quote) at += quote === '"' && text[at] === "\\" ? 2 : 1;
  return at < end ? at : undefined;
}

/** The texts of a file; each section is a group. @throws FormatError when a key is that of a section, too. */
export function iniTree(text: string, [root, ...headed]: IniFile): GroupNode {
  const keys = new Map(root.lines.map((line) => [line.name, line]));
  const groups = headed.flatMap((section): Entry[] => {
    const { name = "", header, lines } = section;
    const last = lines.at(-1);
    if (header === undefined || last === undefined) return [];
    const { start, end: innerStart } = header;
    if (keys.has(name)) throw errorAt(text, start, `has ${excerpt(name)} as a section and as a key`);
    // Up to the end of its last line.
    const feed = text.indexOf("\n", last.end);
    const end = feed === -1 ? text.length : feed + 1;
    const node: GroupNode = {
      kind: "group",
      isList: false,
      start,
      end,
      innerStart,
      innerEnd: end,
      entries: lines,
    };
    return [{ name, start, end, node }];
  });
  return fileRoot(text, [...root.lines, ...groups]);
}
