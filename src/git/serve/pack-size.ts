/**
 * Measures a pack before git gets it: git has no limit on how much the objects of a pack take in memory and on the disk,
 * and a pack of some kilobytes may hold gigabytes. See gitformat-pack(5).
 */
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { inflate, inflateSync, type ZlibOptions } from "node:zlib";
import { failure } from "../../domain/errors.ts";

export interface PackLimits {
  /** How many objects there may be. */
  readonly objects: number;
  /** How many bytes the objects may have together, with the differences that they are packed as. */
  readonly bytes: number;
}

const headerBytes = 12;
const hashBytes = 20;
const deltaToOffset = 6;
const deltaToName = 7;
const plainTypes = new Set([1, 2, 3, 4]);
/** Objects larger than this are inflated in another thread. */
const inlineBytes = 131_072;
const sliceMs = 10;
const inflateAsync: (bytes: Uint8Array, options: ZlibOptions) => Promise<unknown> = promisify(inflate);

/**
 * Checks the size of a pack. Nothing else of it is checked: git does that.
 * @throws SkepError `too-large`; `malformed` when its objects cannot be read one after the other.
 */
export async function checkPackSize(pack: Uint8Array, limits: PackLimits): Promise<void> {
  const bytes = Buffer.from(pack.buffer, pack.byteOffset, pack.byteLength);
  if (bytes.length < headerBytes + hashBytes || bytes.toString("latin1", 0, 4) !== "PACK") throw damaged();
  const count = bytes.readUInt32BE(8);
  if (count > limits.objects) {
    throw failure(
      "too-large",
      `This push has ${count} objects, and may have no more than ${limits.objects}.`,
    );
  }
  let at = headerBytes;
  let total = 0;
  let slice = performance.now();
  const end = bytes.length - hashBytes;
  const take = (size: number): void => {
    total += size;
    if (total > limits.bytes) {
      throw failure("too-large", `The files of this push are larger than ${limits.bytes} bytes together.`);
    }
  };
  for (let i = 0; i < count; i++) {
    if (performance.now() - slice > sliceMs) {
      await setImmediate();
      slice = performance.now();
    }
    const entry = readHeader(bytes, at, end);
    take(entry.size);
    const { content, used } = await unpack(bytes.subarray(entry.start, end), entry.size);
    if (entry.isDelta) {
      // A difference begins with the size of what it is to and the size of what it makes.
      const [, next] = readNumber(content, 0, content.length);
      take(readNumber(content, next, content.length)[0]);
    }
    at = entry.start + used;
  }
  if (at !== end) throw damaged();
}

interface EntryHeader {
  readonly size: number;
  readonly isDelta: boolean;
  /** Where its deflated content begins. */
  readonly start: number;
}

/** @throws SkepError `malformed` */
function readHeader(bytes: Buffer, at: number, end: number): EntryHeader {
  const first = bytes[at] ?? 0;
  const type = (first >> 4) & 7;
  let size = first & 15;
  let start = at + 1;
  if (first >= 0x80) {
    const [high, next] = readNumber(bytes, start, end);
    size += high * 16;
    start = next;
  }
  const isDelta = type === deltaToOffset || type === deltaToName;
  if (!isDelta && !plainTypes.has(type)) throw damaged();
  if (type === deltaToName) start += hashBytes;
  // Only its length matters here.
  if (type === deltaToOffset) [, start] = readNumber(bytes, start, end);
  if (start >= end || !Number.isSafeInteger(size)) throw damaged();
  return { size, isDelta, start };
}

/** A number in pieces of seven bits, the lowest first. @returns it, and where the next part begins. */
function readNumber(bytes: Uint8Array, at: number, end: number): readonly [value: number, next: number] {
  let value = 0;
  for (let i = at, factor = 1; i < end && i < at + 8; i++, factor *= 128) {
    const byte = bytes[i] ?? 0;
    value += (byte & 127) * factor;
    if (byte < 128) return [value, i + 1];
  }
  throw damaged();
}

/** Inflates what must have a certain size. @returns it, and how many bytes it took. */
async function unpack(
  deflated: Uint8Array,
  size: number,
): Promise<{ readonly content: Uint8Array; readonly used: number }> {
  const options = {
    info: true,
    maxOutputLength: size + 1,
    chunkSize: Math.min(Math.max(size + 1, 64), inlineBytes),
  };
  try {
    const result: unknown =
      size > inlineBytes ? await inflateAsync(deflated, options) : inflateSync(deflated, options);
    if (isInflated(result) && result.buffer.byteLength === size) {
      return { content: result.buffer, used: result.engine.bytesWritten };
    }
  } catch {
    // It is no zlib stream, it is cut off, or longer than it says.
  }
  throw damaged();
}

/** What Node's functions give with the option `info`, which its types leave out. */
interface Inflated {
  readonly buffer: Uint8Array;
  readonly engine: { readonly bytesWritten: number };
}

function isInflated(result: unknown): result is Inflated {
  if (typeof result !== "object" || result === null || !("buffer" in result) || !("engine" in result))
    return false;
  const { buffer, engine } = result;
  const hasCount = typeof engine === "object" && engine !== null && "bytesWritten" in engine;
  return buffer instanceof Uint8Array && hasCount && typeof engine.bytesWritten === "number";
}

function damaged(): Error {
  return failure("malformed", "The pack of this push is damaged.");
}
