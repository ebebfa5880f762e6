/**
 * PHP files that return an array of literals, or put it into a variable, as a tree of entries with their places. Nothing is run: whatever PHP
 * would have to work out is refused by its name and line.
 */
import { excerpt } from "../../domain/text.ts";
import { closingQuote } from "../patch/escapes.ts";
import type { FormatError } from "../patch/format-error.ts";
import { TextReader } from "../patch/text-reader.ts";
import {
  areIndices,
  checkDepth,
  withRepeated,
  type Entry,
  type GroupNode,
  type TreeNode,
} from "../patch/tree.ts";
import { isInterpolated, readDoubleQuoted, readSingleQuoted } from "./php-literal.ts";

/** One comment without the end of its line. */
export const phpComment = /(?:\/\/|#(?!\[))[^\r\n]*|\/\*[^]*?\*\//y;

const identifier = /\\?[A-Za-z_\u0080-\uffff][\w\u0080-\uffff\\]*/y;
const number = /[+-]?(?:0[xX][0-9a-fA-F_]+|(?:[0-9][0-9_]*)?\.?[0-9_]+(?:[eE][+-]?[0-9]+)?)(?![\w.])/y;
const integer = /-?(?:0|[1-9][0-9]{0,17})(?![\w.])/y;
const heredoc = /<<<[ \t]*(?:"(\w+)"|'(\w+)'|([A-Za-z_]\w*))\r?\n/y;
/** The longest name of the end of a heredoc: expressions are made of it. */
const maxLabel = 200;
const variable = /\$[A-Za-z_]\w*/y;
const strictTypes = /declare\s*\(\s*strict_types\s*=\s*[01]\s*\)\s*;/iy;

/** @throws FormatError with the line of anything that is more than literals. */
export function readPhpTree(text: string): GroupNode {
  return new PhpReader(text).readFile();
}

class PhpReader extends TextReader {
  readFile(): GroupNode {
    if (this.match(/<\?php(?=\s)/iy) === undefined) throw this.error("does not start with <?php");
    this.#skipBlanks();
    while (this.match(strictTypes) !== undefined) this.#skipBlanks();
    const assigned = this.#readAssigned();
    if (assigned === undefined && !this.#takeReturn()) throw this.unexpected("return and an array");
    this.#skipBlanks();
    const root = this.#readGroup(1);
    if (root === undefined) throw this.unexpected("an array");
    let isClosed = this.#takeSemicolon();
    if (assigned !== undefined && isClosed && this.#takeReturn()) {
      this.#skipBlanks();
      if (this.match(variable) !== assigned) throw this.unexpected(assigned);
      isClosed = this.#takeSemicolon();
    }
    if (this.take("?>")) this.match(/\s*/y);
    else if (!isClosed) throw this.unexpected("a semicolon");
    if (this.at < this.text.length) throw this.unexpected("the end of the file");
    return root;
  }

  /** The variable that the array is put into. */
  #readAssigned(): string | undefined {
    const name = this.match(variable);
    if (name === undefined) return undefined;
    this.#skipBlanks();
    if (!this.take("=")) throw this.unexpected("= and an array");
    return name;
  }

  #takeReturn(): boolean {
    return this.match(/return(?![\w\\])/iy) !== undefined;
  }

  #takeSemicolon(): boolean {
    this.#skipBlanks();
    const isThere = this.take(";");
    this.#skipBlanks();
    return isThere;
  }

  #readGroup(depth: number): GroupNode | undefined {
    const start = this.at;
    if (this.match(/\[|array\s*\(/iy) === undefined) return undefined;
    checkDepth(depth, this.text, start);
    const closing = this.text[start] === "[" ? "]" : ")";
    const innerStart = this.at;
    const entries: Entry[] = [];
    let next = 0;
    for (;;) {
      this.#skipBlanks();
      if (this.text[this.at] === closing) break;
      const entry = this.#readEntry(depth, next);
      if (/^[0-9]{1,15}$/.test(entry.name)) next = Math.max(next, Number(entry.name) + 1);
      entries.push(entry);
      this.#skipBlanks();
      if (this.text[this.at] === closing) break;
      if (!this.take(",")) throw this.unexpected(`a comma or ${closing}`);
    }
    const innerEnd = this.at++;
    const isList = areIndices(entries.map(({ name }) => name));
    return {
      kind: "group",
      isList,
      start,
      end: this.at,
      innerStart,
      innerEnd,
      entries: withRepeated(entries),
    };
  }

  #readEntry(depth: number, next: number): Entry {
    const start = this.at;
    const index = this.match(integer);
    const first = index === undefined ? this.#readNode(depth + 1) : undefined;
    const firstEnd = this.at;
    this.#skipBlanks();
    if (!this.take("=>")) {
      this.at = start;
      const node = first ?? this.#readNode(depth + 1);
      this.at = firstEnd;
      return { name: String(next), start, end: firstEnd, node };
    }
    const name = index ?? (first?.kind === "text" ? first.text : undefined);
    if (name === undefined) throw this.error("has a key that is neither a text nor a whole number", start);
    this.#skipBlanks();
    const node = this.#readNode(depth + 1);
    return { name, start, end: this.at, node };
  }

  #readNode(depth: number): TreeNode {
    const start = this.at;
    const group = this.#readGroup(depth);
    if (group !== undefined) return group;
    if (this.match(number) !== undefined || this.match(/(?:true|false|null)(?![\w\\(:])/iy) !== undefined) {
      return { kind: "other", start, end: this.at };
    }
    let text = this.#readText();
    if (text === undefined) throw this.unexpected("a text");
    let end = this.at;
    for (;;) {
      this.#skipBlanks();
      if (this.text[this.at] !== "." || this.text.startsWith("...", this.at)) break;
      this.at++;
      this.#skipBlanks();
      const more = this.#readText();
      if (more === undefined) throw this.unexpected("a text");
      text += more;
      end = this.at;
    }
    this.at = end;
    return { kind: "text", text, start, end };
  }

  /** One literal. */
  #readText(): string | undefined {
    const quote = this.text[this.at];
    if (quote === "'" || quote === '"') return this.#readQuoted(quote);
    if (this.text.startsWith("<<<", this.at)) return this.#readHeredoc();
    return undefined;
  }

  #readQuoted(quote: "'" | '"'): string {
    const start = this.at;
    const text = this.text;
    const at = closingQuote(text, start);
    if (at === -1) throw this.error("has a text that does not end", start);
    const inner = text.slice(start + 1, at);
    this.at = at + 1;
    return quote === "'" ? readSingleQuoted(inner) : this.#readEscapes(inner, start, quote);
  }

  #readEscapes(inner: string, start: number, quote: '"' | ""): string {
    if (isInterpolated(inner))
      throw this.error("has a variable in a text; only plain texts can be read", start);
    const value = readDoubleQuoted(inner, quote);
    if (value === undefined) throw this.error("has escapes in a text that are not UTF-8", start);
    return value;
  }

  #readHeredoc(): string {
    const start = this.at;
    const opening = this.exec(heredoc);
    if (opening === undefined) throw this.unexpected("a text");
    const [, quoted, plain, bare] = opening;
    const label = quoted ?? plain ?? bare ?? "";
    if (label.length > maxLabel)
      throw this.error(`has a text whose label is longer than ${maxLabel} letters`, start);
    const closing = new RegExp(String.raw`(^|\r?\n)([ \t]*)${label}(?!\w)`, "g");
    closing.lastIndex = this.at;
    // The first line of the body may be the closing one.
    if (this.match(new RegExp(String.raw`[ \t]*${label}(?!\w)`, "y")) !== undefined) return "";
    const end = closing.exec(this.text);
    if (end === null) throw this.error("has a text that does not end", start);
    const lines = this.text.slice(this.at, end.index).split("\n");
    const indent = end[2] ?? "";
    const inner = lines.map((line) => this.#dedent(line, indent, start)).join("\n");
    this.at = end.index + end[0].length;
    return plain === undefined ? this.#readEscapes(inner, start, "") : inner;
  }

  #dedent(line: string, indent: string, start: number): string {
    if (line.startsWith(indent)) return line.slice(indent.length);
    if (line.trim() === "") return line.replace(/^[ \t]*/, "");
    throw this.error("has a text with lines that are less indented than its end", start);
  }

  #skipBlanks(): void {
    for (;;) {
      this.match(/[ \t\r\n]*/y);
      const start = this.at;
      const comment = this.match(phpComment);
      if (comment === undefined) return;
      if (!comment.startsWith("/*") && comment.includes("?>")) {
        throw this.error("has ?> in a comment, which ends the code", start);
      }
    }
  }

  protected override unexpected(expected: string): FormatError {
    const start = this.at;
    if (start === this.text.length) return super.unexpected(expected);
    const name = this.match(/\$[\w\u0080-\uffff]*/y) ?? this.match(identifier);
    const isCall = name !== undefined && /^\s*\(/.test(this.text.slice(this.at, this.at + 32));
    const character = String.fromCodePoint(this.text.codePointAt(start) ?? 0);
    const what = excerpt(name ?? character) + (isCall ? "()" : "");
    return this.error(
      `has ${what} where ${expected} should be; only an array of plain texts can be read`,
      start,
    );
  }
}
