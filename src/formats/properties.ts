/**
 * Java's `.properties`. A file is UTF-8, as since Java 9, or, where its bytes are not, ISO 8859-1, as before. A file
 * that is all ASCII stays so: its other characters are escaped.
 */
import { isUtf8 } from "node:buffer";
import { treeFormat } from "./tree-format.ts";
import type { PatchSyntax } from "./patch/patch.ts";
import {
  byteOrderMark,
  checkMerged,
  checkText,
  decodeFile,
  errorAt,
  refuseOldLineEnds,
  refuseUtf16,
  type DecodedText,
} from "./patch/source-text.ts";
import { fileRoot, type Entry, type GroupNode } from "./patch/tree.ts";
import {
  readProperty,
  writePropertyKey,
  writePropertyText,
  type PropertiesStyle,
} from "./properties-text.ts";

export const properties = treeFormat(readTree, syntaxOf, decode);

/** A file, and whether everything but ASCII is escaped in it, as every version of Java reads it. */
type DecodedProperties = DecodedText & PropertiesStyle;

function decode(bytes: Uint8Array): DecodedProperties {
  if (isUtf8(bytes)) {
    const file = decodeFile(bytes);
    return { ...file, isEscaped: !/[^\p{ASCII}]/u.test(file.text) };
  }
  refuseUtf16(bytes);
  const text = checkMerged(Buffer.from(bytes).toString("latin1"));
  return { text, isEscaped: true, encode: (changed) => Buffer.from(changed, "latin1") };
}

const comment = /[#!][^\n]*/y;
const blankOrComment = /[ \t\f]*(?:[#!][^\n]*)?(?:\r?\n|$)/y;
/** The separator of a key and its text; a line may end in it. */
const separator = /(?:[ \t\f]|\\\r?\n)*[:=]?(?:[ \t\f]|\\\r?\n)*/y;

function readTree(text: string): GroupNode {
  refuseOldLineEnds(text);
  const entries: Entry[] = [];
  let at = text.startsWith(byteOrderMark) ? 1 : 0;
  while (at < text.length) {
    const skipped = matchAt(blankOrComment, text, at);
    if (skipped !== undefined) {
      at += skipped.length;
      continue;
    }
    const start = at + (matchAt(/[ \t\f]*/y, text, at)?.length ?? 0);
    const keyEnd = keyEndOf(text, start);
    const valueStart = keyEnd + (matchAt(separator, text, keyEnd)?.length ?? 0);
    const end = valueEndOf(text, valueStart);
    const name = readProperty(text.slice(start, keyEnd));
    const content = readProperty(text.slice(valueStart, end));
    if (name === undefined || content === undefined) {
      throw errorAt(
        text,
        start,
        String.raw`has a backslash without what it escapes, or a \u without four hexadecimal digits`,
      );
    }
    checkText(name, text, start);
    checkText(content, text, start);
    entries.push({ name, start, end, node: { kind: "text", text: content, start: valueStart, end } });
    at = end + (matchAt(/\r?\n/y, text, end)?.length ?? 0);
  }
  return fileRoot(text, entries);
}

// Keys and texts are read in loops: on megabytes, a regular expression would overflow the stack.

function keyEndOf(text: string, start: number): number {
  let at = start;
  while (at < text.length && !/[ \t\f:=\r\n]/.test(text[at] ?? "")) at += escapedLength(text, at);
  return Math.min(at, text.length);
}

function valueEndOf(text: string, start: number): number {
  let at = start;
  while (at < text.length && text[at] !== "\n" && text[at] !== "\r") at += escapedLength(text, at);
  return Math.min(at, text.length);
}

function escapedLength(text: string, at: number): number {
  if (text[at] !== "\\") return 1;
  return text[at + 1] === "\r" && text[at + 2] === "\n" ? 3 : 2;
}

function matchAt(expression: RegExp, text: string, at: number): string | undefined {
  expression.lastIndex = at;
  return expression.exec(text)?.[0];
}

function syntaxOf({ text: file, ...style }: DecodedProperties): PatchSyntax {
  return {
    separator: "",
    comment,
    literal: (text, { start, node }) => {
      const isBare = keyEndOf(file, start) === node.start;
      return (isBare ? "=" : "") + writePropertyText(text, style);
    },
    entry: (name, text, { like }) =>
      writePropertyKey(name, style) + separatorOf(file, like) + writePropertyText(text, style),
    group: () => ["", ""],
    isFlat: true,
  };
}

/** The separator between key and text, copied from an existing entry without line ends. */
function separatorOf(file: string, like: Entry | undefined): string {
  const before = like === undefined ? "" : file.slice(like.start, like.node.start);
  return /[ \t]*[:=][ \t]*$/.exec(before)?.[0] ?? (/[^\\] $/.test(before) ? " " : "=");
}
