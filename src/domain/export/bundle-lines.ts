/**
 * An export of all locales to JSON, made in bytes. What each text's line starts with is the same in all locales and
 * worked out once; between these the texts are copied from the bytes in which they are kept.
 *
 * What is made is the content of a file as a string of JSON, as it goes into an answer: its own quotes and backslashes
 * are escaped, and those of its texts twice.
 */
import { bytesBeside } from "../strings/aligned-texts.ts";
import { bundlePrefixes } from "./export-names.ts";
import { isIntegerLike, startLine } from "./formats/json.ts";
import type { HiveContent } from "../strings/hive-content.ts";
import type { FileName } from "../names.ts";
import { isStepDone, type Steps } from "../steps.ts";
import { targetTexts, type StringFile, type Texts } from "../strings/string-file.ts";

/** The starts of a file's lines, one after the other in the order of its keys. */
interface LineStarts {
  readonly bytes: Uint8Array;
  /** Where each begins, and where the last one ends. */
  readonly offsets: Uint32Array;
}

export type BundleLines = ReadonlyMap<FileName, LineStarts>;

const encoder = new TextEncoder();
const nul = 0;

/** The inside of a text as a string of JSON. */
function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** What stands for a byte of a text that does not stand for itself. */
const escapes = Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  const twice = escaped(escaped(character));
  return byte < 0x80 && twice !== character ? encoder.encode(twice) : undefined;
});
/** How many bytes it comes to. */
const lengths = Uint8Array.from(escapes, (bytes, byte) => (byte === nul ? 0 : (bytes?.length ?? 1)));
/** What ends the text before a line; the first line has none. */
const textEnd = encoder.encode(escaped('",'));
const quote = encoder.encode('"');
const open = encoder.encode("{");
const close = encoder.encode(escaped('"\n}\n'));
const empty = encoder.encode(escaped("{}\n"));

/**
 * Works out the lines of an export of all locales to JSON, once for all of them.
 * @returns undefined where a locale's file is more than its lines in file order: where keys are shared, or are like
 * integers.
 */
export function* bundleLines(hive: Pick<HiveContent, "settings" | "source">): Steps<BundleLines | undefined> {
  const bundled = new Set<string>();
  const lines = new Map<FileName, LineStarts>();
  for (const { file, prefix } of bundlePrefixes(hive)) {
    const starts: Uint8Array[] = [];
    for (const key of targetTexts(hive.source.get(file)).keys()) {
      if (isStepDone()) yield;
      const name = prefix + key;
      if (bundled.has(name) || isIntegerLike(name)) return undefined;
      bundled.add(name);
      starts.push(encoder.encode(escaped(`",\n${startLine(name)}"`)));
    }
    const offsets = new Uint32Array(starts.length + 1);
    const bytes = new Uint8Array(starts.reduce((sum, start) => sum + start.length, 0));
    for (const [i, start] of starts.entries()) {
      if (isStepDone()) yield;
      const at = offsets[i] ?? 0;
      bytes.set(start, at);
      offsets[i + 1] = at + start.length;
    }
    lines.set(file, { bytes, offsets });
  }
  return lines;
}

interface FileLines extends LineStarts {
  /** By the places of their keys; see {@link bytesBeside}. */
  readonly texts: Uint8Array;
}

/**
 * The content of one locale's file.
 * @param translated its texts by file, none of them without a source string.
 * @returns undefined where some of them are not kept beside their source's keys.
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
    const bytes = yield* bytesBeside(own, targetTexts(strings));
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
  // Over what the first line has too much.
  out.set(quote, textEnd.length);
  out.set(open, textEnd.length + quote.length);
  return out.subarray(textEnd.length);
}

/** How long a file's lines are. */
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

/** Copies a file's lines. @returns where they end. */
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
