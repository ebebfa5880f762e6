/** JSON as a tree of entries with their places, read strictly: what is read can be written back piece by piece. */
import type { FormatError } from "./format-error.ts";
import { checkText } from "./source-text.ts";
import { TextReader } from "./text-reader.ts";
import { checkDepth, withRepeated, type Entry, type GroupNode, type TreeNode } from "./tree.ts";

const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const word = /true|false|null/y;

/** A comment, where a program allows them. */
export const jsonComment = /\/\/[^\n]*|\/\*[^]*?\*\//y;

/**
 * Of members with the same name, the last one counts, as for the parsers of all languages.
 * @param comment what is passed over between values.
 * @throws FormatError with the line, when it is not JSON, or has a text that cannot be stored.
 */
export function readJsonTree(text: string, comment?: RegExp): GroupNode {
  return new JsonReader(text, comment).readFile();
}

/** The value of a node of a file's tree. @param text the file. */
export function parseNode({ start, end }: TreeNode, text: string): unknown {
  return JSON.parse(text.slice(start, end));
}

/** The members of a value; none where it is no object. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** A value if it is a text. */
export function textIn(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

class JsonReader extends TextReader {
  readonly #comment: RegExp | undefined;

  constructor(text: string, comment: RegExp | undefined) {
    super(text);
    this.#comment = comment;
  }

  readFile(): GroupNode {
    this.#skipBlanks();
    if (this.at === this.text.length) throw this.error("is empty; an empty JSON file is {}");
    const opening = this.text[this.at];
    if (opening !== "{" && opening !== "[") throw this.unexpected("an object");
    const root = this.#readGroup(1);
    this.#skipBlanks();
    if (this.at < this.text.length) throw this.unexpected("the end of the file");
    return root;
  }

  #readNode(depth: number): TreeNode {
    const start = this.at;
    const character = this.text[start];
    if (character === '"') {
      const text = this.#readString();
      return { kind: "text", text, start, end: this.at };
    }
    if (character === "{" || character === "[") return this.#readGroup(depth);
    if (this.match(number) === undefined && this.match(word) === undefined) throw this.unexpected("a value");
    return { kind: "other", start, end: this.at };
  }

  #readGroup(depth: number): GroupNode {
    const start = this.at;
    checkDepth(depth, this.text, start);
    const isList = this.text[start] === "[";
    const closing = isList ? "]" : "}";
    const innerStart = ++this.at;
    const entries: Entry[] = [];
    this.#skipBlanks();
    while (this.text[this.at] !== closing || entries.length > 0) {
      entries.push(isList ? this.#readElement(entries.length, depth) : this.#readMember(depth));
      this.#skipBlanks();
      if (this.text[this.at] === closing) break;
      if (!this.take(",")) throw this.unexpected(`a comma or ${closing}`);
      this.#skipBlanks();
      if (this.text[this.at] === closing)
        throw this.error(`has a comma before ${closing}, which JSON does not allow`);
    }
    const innerEnd = this.at++;
    const all = withRepeated(entries);
    return { kind: "group", isList, start, end: this.at, innerStart, innerEnd, entries: all };
  }

  #readElement(index: number, depth: number): Entry {
    const start = this.at;
    const node = this.#readNode(depth + 1);
    return { name: String(index), start, end: this.at, node };
  }

  #readMember(depth: number): Entry {
    const start = this.at;
    if (this.text[start] !== '"') throw this.unexpected("a key in double quotes");
    const name = this.#readString();
    this.#skipBlanks();
    if (!this.take(":")) throw this.unexpected("a colon");
    this.#skipBlanks();
    const node = this.#readNode(depth + 1);
    return { name, start, end: this.at, node };
  }

  #readString(): string {
    const text = this.text;
    const start = this.at;
    let hasEscape = false;
    let at = start + 1;
    for (; ; at++) {
      const unit = text.charCodeAt(at);
      if (unit === 0x22) break;
      if (unit === 0x5c) {
        hasEscape = true;
        at++;
      } else if (!(unit >= 0x20)) {
        this.at = Math.min(at, text.length);
        throw this.error(
          at < text.length ? "has a line end or control character in a text" : "ends within a text",
        );
      }
    }
    this.at = at + 1;
    const value = hasEscape ? this.#unescape(start, at + 1) : text.slice(start + 1, at);
    checkText(value, text, start);
    return value;
  }

  #unescape(start: number, end: number): string {
    try {
      const value: unknown = JSON.parse(this.text.slice(start, end));
      if (typeof value === "string") return value;
    } catch {
      // The sentence of JSON.parse would count lines from the text's start.
    }
    throw this.error("has an escape in a text that JSON does not know", start);
  }

  #skipBlanks(): void {
    for (; ; this.at++) {
      const unit = this.text.charCodeAt(this.at);
      if (unit === 0x2f && this.#comment !== undefined && this.match(this.#comment) !== undefined) this.at--;
      else if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return;
    }
  }

  protected override unexpected(expected: string): FormatError {
    const found = this.text[this.at];
    const isComment = found === "/" || found === "#";
    return isComment ? this.error("has a comment, which JSON does not allow") : super.unexpected(expected);
  }
}
