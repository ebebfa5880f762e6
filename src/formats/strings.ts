/** Apple's `.strings`, in UTF-8 or UTF-16. */
import { escapeUnits } from "../domain/text.ts";
import {
  asciiOf,
  closingQuote,
  controlEscapes,
  escapeByName,
  pickEscapes,
  unescape,
} from "./patch/escapes.ts";
import { treeFormat } from "./tree-format.ts";
import type { PatchSyntax } from "./patch/patch.ts";
import { decodeUnicode, refuseOldLineEnds } from "./patch/source-text.ts";
import { TextReader } from "./patch/text-reader.ts";
import { fileRoot, withRepeated, type Entry, type GroupNode, type TextNode } from "./patch/tree.ts";

const comment = /\/\*[^]*?\*\/|\/\/[^\n]*/y;
const bare = /[\w.$/:-]+/y;

class StringsReader extends TextReader {
  readFile(): GroupNode {
    refuseOldLineEnds(this.text);
    const entries: Entry[] = [];
    this.#skipBlanks();
    if (this.text[this.at] === "<")
      throw this.error('is a property list in XML; only lines such as "key" = "text"; are read');
    while (this.at < this.text.length) {
      entries.push(this.#readEntry());
      this.#skipBlanks();
    }
    return fileRoot(this.text, withRepeated(entries));
  }

  #readEntry(): Entry {
    const { text: name, start } = this.#readLiteral("a key");
    this.#expect("=");
    this.#skipBlanks();
    const node = this.#readLiteral("a text");
    this.#expect(";");
    return { name, start, end: this.at, node };
  }

  #expect(sign: string): void {
    this.#skipBlanks();
    if (!this.take(sign)) throw this.unexpected(sign);
  }

  #readLiteral(expected: string): TextNode {
    const start = this.at;
    const quote = this.text[start];
    const text = quote === '"' || quote === "'" ? this.#readQuoted() : this.match(bare);
    if (text === undefined) throw this.unexpected(expected);
    return { kind: "text", text, start, end: this.at };
  }

  #readQuoted(): string {
    const start = this.at;
    const text = this.text;
    const at = closingQuote(text, start);
    if (at === -1) throw this.error("has a text that does not end", start);
    this.at = at + 1;
    const value = readText(text.slice(start + 1, at));
    if (value === undefined)
      throw this.error("has an escape of a character that is not ASCII by its number", start);
    return value;
  }

  #skipBlanks(): void {
    for (;;) {
      this.match(/[ \t\r\n\f]*/y);
      if (this.match(comment) !== undefined) continue;
      if (this.text.startsWith("/*", this.at)) throw this.error("has a comment that does not end");
      return;
    }
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
    return escapeByName(writtenEscapes, control) ?? escapeUnits(control, "U");
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
  };
}

export const strings = treeFormat(
  (text) => new StringsReader(text).readFile(),
  ({ text }) => syntaxOf(text),
  decodeUnicode,
);
