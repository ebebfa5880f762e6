/** Apple's `.strings`, in UTF-8 or UTF-16. */
import { excerpt } from "../domain/text.ts";
import {
  asciiOf,
  closingQuote,
  controlEscapes,
  escapeByName,
  pickEscapes,
  unescape,
} from "./patch/escapes.ts";
import type { FileFormat } from "./format.ts";
import { patch, type PatchSyntax } from "./patch/patch.ts";
import { byteOrderMark, checkText, decodeUnicode, errorAt } from "./patch/source-text.ts";
import { toParsedFile, type Entry, type GroupNode } from "./patch/tree.ts";

export const strings: FileFormat = {
  name: "strings",
  extensions: [".strings"],
  parse(bytes) {
    const { text } = decodeUnicode(bytes);
    return toParsedFile(new StringsReader(text).readFile(), text);
  },
  write(edit) {
    const { text, encode } = decodeUnicode(edit.template);
    const tree = new StringsReader(text).readFile();
    return encode(patch(text, tree, edit, syntaxOf(text)));
  },
};

const comment = /\/\*[^]*?\*\/|\/\/[^\n]*/y;
const bare = /[\w.$/:-]+/y;

interface Literal {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

class StringsReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readFile(): GroupNode {
    const text = this.#text;
    const oldLineEnd = /\r(?!\n)/.exec(text);
    if (oldLineEnd !== null)
      throw errorAt(text, oldLineEnd.index, "has a carriage return without a line feed");
    const innerStart = text.startsWith(byteOrderMark) ? 1 : 0;
    this.#at = innerStart;
    const entries: Entry[] = [];
    this.#skipBlanks();
    while (this.#at < text.length) {
      entries.push(this.#readEntry());
      this.#skipBlanks();
    }
    const { length } = text;
    return { kind: "group", isList: false, start: 0, end: length, innerStart, innerEnd: length, entries };
  }

  #readEntry(): Entry {
    const { text: name, start } = this.#readLiteral("a key");
    this.#take("=");
    const { text, ...span } = this.#readLiteral("a text");
    this.#take(";");
    return { name, start, end: this.#at, node: { kind: "text", text, ...span } };
  }

  #take(sign: string): void {
    this.#skipBlanks();
    if (this.#text[this.#at] !== sign) throw this.#unexpected(sign);
    this.#at++;
    if (sign === "=") this.#skipBlanks();
  }

  #readLiteral(expected: string): Literal {
    const start = this.#at;
    const quote = this.#text[start];
    const text = quote === '"' || quote === "'" ? this.#readQuoted() : this.#match(bare);
    if (text === undefined) throw this.#unexpected(expected);
    checkText(text, this.#text, start);
    return { text, start, end: this.#at };
  }

  #readQuoted(): string {
    const start = this.#at;
    const text = this.#text;
    const at = closingQuote(text, start);
    if (at === -1) throw errorAt(text, start, "has a text that does not end");
    this.#at = at + 1;
    const value = readText(text.slice(start + 1, at));
    if (value === undefined)
      throw errorAt(text, start, "has an escape of a character that is not ASCII by its number");
    return value;
  }

  #skipBlanks(): void {
    for (;;) {
      this.#match(/[ \t\r\n\f]*/y);
      if (this.#match(comment) !== undefined) continue;
      if (this.#text.startsWith("/*", this.#at))
        throw errorAt(this.#text, this.#at, "has a comment that does not end");
      return;
    }
  }

  #match(expression: RegExp): string | undefined {
    expression.lastIndex = this.#at;
    const match = expression.exec(this.#text)?.[0];
    this.#at += match?.length ?? 0;
    return match;
  }

  #unexpected(expected: string): Error {
    const code = this.#text.codePointAt(this.#at);
    const found = code === undefined ? "ends" : `has ${excerpt(String.fromCodePoint(code))}`;
    return errorAt(this.#text, this.#at, `${found} where ${expected} should be`);
  }
}

const escape = /\\(?:[Uu]([0-9A-Fa-f]{4})|([0-7]{1,3})|([^]))/g;

/** @returns undefined when an octal escape is beyond ASCII: NeXTSTEP's code table, not Unicode, would apply. */
function readText(inner: string): string | undefined {
  return unescape(inner, escape, (code, octal, character = "") => {
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
    return octal === undefined ? (controlEscapes.get(character) ?? character) : asciiOf(octal, 8);
  });
}

const writtenEscapes = pickEscapes("ntr");

function quoted(text: string): string {
  const escaped = text.replaceAll(/[\\"]/g, String.raw`\$&`).replaceAll(/\p{Cc}/gu, (control) => {
    const code = control.charCodeAt(0).toString(16);
    return escapeByName(writtenEscapes, control) ?? `\\U${code.padStart(4, "0")}`;
  });
  return `"${escaped}"`;
}

function syntaxOf(file: string): PatchSyntax {
  return {
    separator: "",
    comment,
    isFlat: true,
    literal: quoted,
    entry: (name, text, { like }) => {
      const before = like === undefined ? "" : file.slice(like.start, like.node.start);
      const equals = /[ \t]*=[ \t]*$/.exec(before)?.[0] ?? " = ";
      return `${quoted(name)}${equals}${quoted(text)};`;
    },
    group: () => ["", ""],
  };
}
