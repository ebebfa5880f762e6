/**
 * Java's `.properties`. A file is UTF-8, as since Java 9, or, where its bytes are not, ISO 8859-1, as before. A file
 * that is all ASCII stays so: its other characters are escaped.
 */
import { isUtf8 } from "node:buffer";
import { escapeUnits, matchEnd } from "../domain/text.ts";
import { treeFormat } from "./tree-format.ts";
import { escapeByName, pickEscapes, unescape } from "./patch/escapes.ts";
import type { PatchSyntax } from "./patch/patch.ts";
import {
  checkMerged,
  decodeFile,
  errorAt,
  refuseOldLineEnds,
  refuseUtf16,
  type DecodedText,
} from "./patch/source-text.ts";
import { fileRoot, withRepeated, type Entry, type GroupNode } from "./patch/tree.ts";

export const properties = treeFormat(readTree, syntaxOf, decode);

/** A file, and whether everything but ASCII is escaped in it, as every version of Java reads it. */
interface DecodedProperties extends DecodedText {
  readonly isEscaped: boolean;
}

function decode(bytes: Uint8Array): DecodedProperties {
  if (isUtf8(bytes)) {
    const file = decodeFile(bytes);
    return { ...file, isEscaped: !/[^\p{ASCII}]/u.test(file.text) };
  }
  refuseUtf16(bytes);
  const text = checkMerged(Buffer.from(bytes).toString("latin1"));
  return { text, isEscaped: true, encode: (changed) => Buffer.from(changed, "latin1") };
}

const namedEscapes = pickEscapes("ntrf");

// A continued line goes on after the blanks at its start.
const escape = /\\(?:u([0-9A-Fa-f]{4})|(\r?\n[ \t\f]*)|([^])|$)/g;

/** Reads a key or text with its escapes and continued lines. @returns undefined when an escape is incomplete. */
function readProperty(raw: string): string | undefined {
  return unescape(raw, escape, (code, continued, character) => {
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
    if (continued !== undefined) return "";
    return character === undefined || character === "u"
      ? undefined
      : (namedEscapes.get(character) ?? character);
  });
}

function writeText(text: string, isEscaped: boolean): string {
  return escapeControls(text.replaceAll("\\", String.raw`\\`).replace(/^ /, String.raw`\ `), isEscaped);
}

function writeKey(key: string, isEscaped: boolean): string {
  return escapeControls(key.replaceAll(/[\\ :=#!]/g, String.raw`\$&`), isEscaped);
}

function escapeControls(text: string, isEscaped: boolean): string {
  const named = text.replaceAll(/[\n\t\r\f]/g, (control) => escapeByName(namedEscapes, control) ?? control);
  // Some editors take U+2028 and U+2029 as line ends.
  const other = isEscaped ? /[^ -~]/g : /[\p{Cc}\u2028\u2029\ufeff]/gu;
  return named.replaceAll(other, (unit) => escapeUnits(unit));
}

const comment = /[#!][^\n]*/y;
const blankOrComment = /[ \t\f]*(?:[#!][^\n]*)?(?:\r?\n|$)/y;
/** The separator of a key and its text; a line may end in it. */
const separator = /(?:[ \t\f]|\\\r?\n)*[:=]?(?:[ \t\f]|\\\r?\n)*/y;

function readTree(text: string): GroupNode {
  refuseOldLineEnds(text);
  const entries: Entry[] = [];
  let at = 0;
  while (at < text.length) {
    const skipped = matchEnd(blankOrComment, text, at);
    if (skipped !== undefined) {
      at = skipped;
      continue;
    }
    const start = matchEnd(/[ \t\f]*/y, text, at) ?? at;
    const keyEnd = keyEndOf(text, start);
    const valueStart = matchEnd(separator, text, keyEnd) ?? keyEnd;
    const end = valueEndOf(text, valueStart);
    const name = readProperty(text.slice(start, keyEnd));
    const content = readProperty(text.slice(valueStart, end));
    if (name === undefined || content === undefined) {
      const problem = String.raw`has a backslash without what it escapes, or a \u without four hexadecimal digits`;
      throw errorAt(text, start, problem);
    }
    entries.push({ name, start, end, node: { kind: "text", text: content, start: valueStart, end } });
    at = matchEnd(/\r?\n/y, text, end) ?? end;
  }
  return fileRoot(text, withRepeated(entries));
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

function syntaxOf({ text: file, isEscaped }: DecodedProperties): PatchSyntax {
  return {
    separator: "",
    comment,
    literal: (text, { start, node }) => {
      const isBare = keyEndOf(file, start) === node.start;
      return (isBare ? "=" : "") + writeText(text, isEscaped);
    },
    entry: (name, text, { like }) =>
      writeKey(name, isEscaped) + separatorOf(file, like) + writeText(text, isEscaped),
    isFlat: true,
  };
}

/** The separator between key and text, copied from an existing entry without line ends. */
function separatorOf(file: string, like: Entry | undefined): string {
  const before = like === undefined ? "" : file.slice(like.start, like.node.start);
  return /[ \t]*[:=][ \t]*$/.exec(before)?.[0] ?? (/[^\\] $/.test(before) ? " " : "=");
}
