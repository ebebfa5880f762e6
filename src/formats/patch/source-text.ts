/** A file's bytes as text and back, and the places in it. */
import { isUtf8 } from "node:buffer";
import { FormatError } from "./format-error.ts";
import { excerpt, lineAt, readableKey, textProblem } from "../../domain/text.ts";

/** The column of an offset, counted from 0. */
export function columnOf(text: string, offset: number): number {
  return offset - lineStartOf(text, offset);
}

/** Where the line of an offset starts. */
export function lineStartOf(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf("\n", offset - 1) + 1;
}

/** Where the blanks before an offset start. @param blank matches one of them; by default a line end, too. */
export function blanksBefore(text: string, offset: number, blank = /\s/): number {
  let at = offset;
  while (at > 0 && blank.test(text[at - 1] ?? "")) at--;
  return at;
}

/** How far behind the start of a line an entry may be that is laid out by its lines. */
const maxBefore = 1000;

/**
 * The blanks at the start of the line of an offset; none where the line starts too far before it to be more than all on
 * one line.
 */
export function indentOf(text: string, offset: number): string {
  const from = Math.max(0, offset - maxBefore);
  const before = text.slice(from, offset);
  const start = before.lastIndexOf("\n") + 1;
  if (start === 0 && from > 0) return "";
  return /^[ \t]*/.exec(before.slice(start))?.[0] ?? "";
}

/** Where the line of an offset ends, before its line end. */
export function lineEndAt(text: string, offset: number): number {
  const feed = text.indexOf("\n", offset);
  if (feed === -1) return text.length;
  return feed > offset && text[feed - 1] === "\r" ? feed - 1 : feed;
}

/**
 * Where an entry's line starts, or the comments above it that are indented as it is, after a floor.
 * @param marks the characters that comments begin with.
 */
export function commentStart(text: string, offset: number, floor: number, marks = "#"): number {
  const own = lineStartOf(text, offset);
  const column = offset - own;
  let start = own;
  for (;;) {
    // Comments at the top describe the file, not its first entry.
    if (start !== own && start === 0) return own;
    const previous = start === 0 ? start : lineStartOf(text, start - 1);
    if (previous === start || previous <= floor) break;
    const line = text.slice(previous, start);
    if (line.search(/\S/) !== column || !marks.includes(line[column] ?? "\n")) break;
    start = previous;
  }
  return start;
}

/** The error for a fault at an offset of a file, with its line. */
export function errorAt(text: string, offset: number, message: string): FormatError {
  return new FormatError(message, lineAt(text, offset));
}

/** Reads UTF-8. @throws FormatError as {@link decodeFile} does. */
export function decodeUtf8(bytes: Uint8Array): string {
  return decodeFile(bytes).text;
}

/** @throws FormatError when a file is UTF-16, by its mark or by its first character. */
export function refuseUtf16([first, second]: Uint8Array): void {
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (isMarked || first === 0 || second === 0)
    throw new FormatError("is written in UTF-16; save it as UTF-8", 1);
}

/** @throws FormatError with the first line that ends in a carriage return alone. */
export function refuseOldLineEnds(text: string): void {
  const found = /\r(?!\n)/.exec(text);
  if (found !== null) throw errorAt(text, found.index, "has a carriage return without a line feed");
}

/** @throws FormatError with the line of a marker that git left at a conflict. */
export function checkMerged(text: string): string {
  const marker = /^(?:<{7}|>{7}) /m.exec(text);
  if (marker === null) return text;
  throw errorAt(text, marker.index, "has a merge conflict that is not resolved");
}

/** A line feed is a line feed in all of UTF-8, so that each line can be tried by itself. */
function firstBadLine(bytes: Uint8Array): number {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let line = 1;
  for (let start = 0; start < bytes.length; line++) {
    const feed = bytes.indexOf(0x0a, start);
    const end = feed === -1 ? bytes.length : feed + 1;
    try {
      decoder.decode(bytes.subarray(start, end));
    } catch {
      return line;
    }
    start = end;
  }
  return line;
}

/** The text of a file without its byte order mark, and how a text is written in its encoding, with that mark. */
export interface DecodedText {
  readonly text: string;
  readonly encode: (text: string) => Uint8Array;
}

function withoutMark(text: string, encode: DecodedText["encode"]): DecodedText {
  checkMerged(text);
  return text.startsWith("\ufeff")
    ? { text: text.slice(1), encode: (changed) => encode(`\ufeff${changed}`) }
    : { text, encode };
}

/**
 * Reads UTF-8.
 * @throws FormatError with the line of the first byte that is not UTF-8, and as {@link checkMerged} does.
 */
export function decodeFile(bytes: Uint8Array): DecodedText {
  refuseUtf16(bytes);
  // A TextDecoder takes several times as long.
  if (!isUtf8(bytes)) throw new FormatError("is not valid UTF-8", firstBadLine(bytes));
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  return withoutMark(text, (changed) => new TextEncoder().encode(changed));
}

/** Reads UTF-8, or UTF-16 that starts with a byte order mark. @throws FormatError when it is neither. */
export function decodeUnicode(bytes: Uint8Array): DecodedText {
  const [first, second] = bytes;
  const isLittle = first === 0xff && second === 0xfe;
  if (!isLittle && !(first === 0xfe && second === 0xff)) return decodeFile(bytes);
  const swapped = (units: Uint8Array): Buffer =>
    isLittle ? Buffer.from(units) : Buffer.from(units).swap16();
  if (bytes.length % 2 === 1) throw new FormatError("is not valid UTF-16");
  const text = swapped(bytes).toString("utf16le");
  if (!text.isWellFormed()) throw new FormatError("is not valid UTF-16");
  return withoutMark(text, (changed) => swapped(Buffer.from(changed, "utf16le")));
}

/** The line end that a file has in its first line; a line feed for a file of one line. */
export function lineEndOf(text: string): string {
  const feed = text.indexOf("\n");
  return feed > 0 && text[feed - 1] === "\r" ? "\r\n" : "\n";
}

/** Notes the offset of a key. @throws FormatError when the key was noted before. */
export function noteKey(offsets: Map<string, number>, key: string, source: string, offset: number): void {
  const other = offsets.get(key);
  if (other !== undefined)
    throw errorAt(
      source,
      offset,
      `the key ${excerpt(readableKey(key))} is already in line ${lineAt(source, other)}`,
    );
  offsets.set(key, offset);
}

/** @throws FormatError when a text or a key cannot be stored. */
export function checkText(text: string, source: string, offset: number): void {
  const problem = textProblem(text);
  if (problem !== undefined) throw errorAt(source, offset, `a key or text ${problem}`);
}
