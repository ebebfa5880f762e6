/**
 * Renders an export of all locales to JSON as bytes. The start of each text's line is the same in all locales and made
 * only once; the texts are copied from the bytes that are kept in memory.
 *
 * The result is the content of a file as a JSON string for a response: its own quotes and backslashes are escaped, and
 * those of its texts twice.
 */
import { alignedBytes } from "../strings/aligned-texts.ts";
import { bundlePrefixes } from "./export-names.ts";
import { isIntegerLike, startLine } from "./formats/json.ts";
import type { HiveContent } from "../strings/hive-content.ts";
import type { FileName } from "../names.ts";
import { isStepDone, type Steps } from "../steps.ts";
import { translatableTexts, type StringFile, type Texts } from "../strings/string-file.ts";

/** The starts of a file's lines, concatenated in the order of its keys. */
interface LineStarts {
  readonly bytes: Uint8Array;
  /** The offset of each, and the end of the last one. */
  readonly offsets: Uint32Array;
}

export type BundleLines = ReadonlyMap<FileName, LineStarts>;

const encoder = new TextEncoder();
const nul = 0;
/** How many characters are encoded at once. An array of bytes for each line would make V8 collect all garbage. */
const pieceLength = 65_536;

/** Escapes a text as in a JSON string, without the quotes. */
function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** The escape sequence of each byte that has to be escaped. */
const escapes = Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  const twice = escaped(escaped(character));
  return byte < 0x80 && twice !== character ? encoder.encode(twice) : undefined;
});
/** The length of each byte when it is escaped. */
const lengths = Uint8Array.from(escapes, (bytes, byte) => (byte === nul ? 0 : (bytes?.length ?? 1)));
/** The end of the preceding text, with which every line begins; it is cut off the first line. */
const textEnd = encoder.encode(escaped('",'));
const quote = encoder.encode('"');
const open = encoder.encode("{");
const close = encoder.encode(escaped('"\n}\n'));
const empty = encoder.encode(escaped("{}\n"));

/**
 * Makes the starts of the lines of an export of all locales to JSON, once for all locales.
 * @returns undefined if files cannot be written line by line in file order, because keys are shared or integer-like.
 */
export function* bundleLines(hive: Pick<HiveContent, "settings" | "source">): Steps<BundleLines | undefined> {
  const bundled = new Set<string>();
  const lines = new Map<FileName, LineStarts>();
  for (const { file, prefix } of bundlePrefixes(hive)) {
    const keys = translatableTexts(hive.source.get(file));
    const offsets = new Uint32Array(keys.size + 1);
    const pieces: Uint8Array[] = [];
    let piece = "";
    let count = 0;
    let at = 0;
    for (const key of keys.keys()) {
      if (isStepDone()) yield;
      const name = prefix + key;
      if (bundled.has(name) || isIntegerLike(name)) return undefined;
      bundled.add(name);
      const start = escaped(`",\n${startLine(name)}"`);
      at += Buffer.byteLength(start);
      offsets[++count] = at;
      piece += start;
      if (piece.length < pieceLength) continue;
      pieces.push(encoder.encode(piece));
      piece = "";
    }
    pieces.push(encoder.encode(piece));
    const bytes = new Uint8Array(at);
    at = 0;
    for (const some of pieces) {
      yield;
      bytes.set(some, at);
      at += some.length;
    }
    lines.set(file, { bytes, offsets });
  }
  return lines;
}

interface FileLines extends LineStarts {
  /** The texts in the order of the source's keys; see {@link alignedBytes}. */
  readonly texts: Uint8Array;
}

/**
 * Renders the content of one locale's file.
 * @param translated its texts by file, all of them with a source string.
 * @returns undefined if some texts are not stored in the order of their source's keys.
 */
export function* renderBundle(
  lines: BundleLines,
  source: ReadonlyMap<FileName, StringFile>,
  translated: ReadonlyMap<FileName, Texts>,
): Steps<Uint8Array | undefined> {
  const files: FileLines[] = [];
  for (const [file, strings] of source) {
    if (isStepDone()) yield;
    const starts = lines.get(file);
    const own = translated.get(file);
    if (starts === undefined || own === undefined || own.size === 0) continue;
    const bytes = yield* alignedBytes(own, translatableTexts(strings));
    if (bytes === undefined) return undefined;
    files.push({ ...starts, texts: bytes });
  }
  if (files.length === 0) return Buffer.concat([quote, empty, quote]);
  const begin = quote.length + open.length;
  let size = begin + close.length + quote.length;
  for (const file of files) size += yield* sizeOf(file);
  const out = new Uint8Array(size);
  let at = begin;
  for (const file of files) at = yield* copy(file, out, at);
  out.set(close, at);
  out.set(quote, at + close.length);
  // Overwrites the end of a preceding text in the first line.
  out.set(quote, textEnd.length);
  out.set(open, textEnd.length + quote.length);
  return out.subarray(textEnd.length);
}

/** The length of a file's lines in bytes. */
function* sizeOf({ offsets, texts }: FileLines): Steps<number> {
  let size = 0;
  let place = 0;
  let isInside = false;
  for (let i = 0; i < texts.length; i++) {
    const byte = texts[i] ?? 0;
    size += lengths[byte] ?? 0;
    if (byte === nul) {
      if (isStepDone()) yield;
      isInside = false;
      place++;
    } else if (!isInside) {
      isInside = true;
      size += (offsets[place + 1] ?? 0) - (offsets[place] ?? 0);
    }
  }
  return size;
}

/** Copies a file's lines. @returns the offset of their end. */
function* copy({ bytes, offsets, texts }: FileLines, out: Uint8Array, begin: number): Steps<number> {
  let at = begin;
  let place = 0;
  let isInside = false;
  for (let i = 0; i < texts.length; i++) {
    const byte = texts[i] ?? 0;
    if (byte === nul) {
      if (isStepDone()) yield;
      isInside = false;
      place++;
      continue;
    }
    if (!isInside) {
      isInside = true;
      const end = offsets[place + 1] ?? 0;
      for (let from = offsets[place] ?? 0; from < end; from++) out[at++] = bytes[from] ?? 0;
    }
    if (lengths[byte] === 1) out[at++] = byte;
    else for (const one of escapes[byte] ?? []) out[at++] = one;
  }
  return at;
}
