/**
 * Checks the size of a pack, and of each object in it, before git gets it: git has no limit on what objects take in memory
 * and on the disk, and a pack of some kilobytes may hold gigabytes. See gitformat-pack(5).
 */
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { inflate, inflateSync, type ZlibOptions } from "node:zlib";
import { failure } from "../../domain/errors.ts";
import type { Oid } from "../../domain/names.ts";
import { toOid, type ObjectType, objectTypes } from "../objects/git-object.ts";

export interface PackLimits {
  readonly objects: number;
  /** How many bytes the objects may have together, with the differences that they are packed as. */
  readonly bytes: number;
  readonly fileBytes: number;
}

export interface CheckedPack {
  readonly bytes: Uint8Array;
  /** The objects, by name, that some of its objects are stored as differences to. */
  readonly bases: ReadonlySet<Oid>;
}

/** How many bytes an object that is no file may have: a folder of 2 MiB has 7,000 files with the longest names. */
const maxBytes = { commit: 65_536, tag: 65_536, tree: 2 * 1024 * 1024 };
const words = { commit: "commit", tag: "tag", tree: "folder" };

/**
 * Checks the size of an object that is no file: the limit of files is one of the settings.
 * @param name says which it is, if that is known.
 * @throws SkepError `too-large`.
 */
export function checkObjectSize(type: Exclude<ObjectType, "blob">, size: number, name = ""): void {
  if (size <= maxBytes[type]) return;
  const object = `${words[type]}${name && ` ${name}`}`;
  throw failure("too-large", `The ${object} in this push is larger than ${maxBytes[type]} bytes.`);
}

const headerBytes = 12;
const hashBytes = 20;
const deltaToOffset = 6;
const deltaToName = 7;
/** Objects larger than this are inflated in another thread. */
const inlineBytes = 131_072;
const sliceMs = 10;
const inflateAsync: (bytes: Uint8Array, options: ZlibOptions) => Promise<unknown> = promisify(inflate);

/**
 * Checks the size of a pack and of its objects. Nothing else of it is checked: git does that. The size of a file is left to
 * who knows its path.
 * @throws SkepError `too-large`; `malformed` when its objects cannot be read one after the other.
 */
export async function checkPack(pack: Uint8Array, limits: PackLimits): Promise<CheckedPack> {
  const bytes = Buffer.from(pack.buffer, pack.byteOffset, pack.byteLength);
  if (bytes.length < headerBytes + hashBytes || bytes.toString("latin1", 0, 4) !== "PACK") throw damaged();
  const count = bytes.readUInt32BE(8);
  if (count > limits.objects) {
    throw failure(
      "too-large",
      `This push has ${count} objects, and may have no more than ${limits.objects}.`,
    );
  }
  const bases = new Set<Oid>();
  /** The types of the entries by their places, as far as the pack itself tells them. */
  const types = new Map<number, ObjectType>();
  let at = headerBytes;
  let total = 0;
  let slice = performance.now();
  const mostBytes = Math.max(limits.fileBytes, maxBytes.tree);
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
    let { type, size } = entry;
    if (type === undefined) {
      // A difference begins with the size of what it is to and the size of what it makes.
      const [, next] = readNumber(content, 0, content.length);
      [size] = readNumber(content, next, content.length);
      take(size);
      type = entry.distance === undefined ? undefined : types.get(at - entry.distance);
    }
    if (entry.base !== undefined) bases.add(entry.base);
    if (type !== undefined) types.set(at, type);
    // Git can tell the names of others later.
    if (type !== undefined && type !== "blob" && size > maxBytes.tree) checkObjectSize(type, size);
    if (type === undefined && size > mostBytes) {
      throw failure("too-large", `An object in this push is larger than ${mostBytes} bytes.`);
    }
    at = entry.start + used;
  }
  if (at !== end) throw damaged();
  return { bytes: pack, bases };
}

interface EntryHeader {
  /** Undefined for a difference. */
  readonly type: ObjectType | undefined;
  readonly size: number;
  /** Where its deflated content begins. */
  readonly start: number;
  /** What it is a difference to: an object by name, or the entry so many bytes before it. */
  readonly base: Oid | undefined;
  readonly distance: number | undefined;
}

/** Reads the beginning of an entry of a pack. @param end of all entries. @throws SkepError `malformed`. */
export function readHeader(bytes: Buffer, at: number, end: number): EntryHeader {
  const first = bytes[at] ?? 0;
  const kind = (first >> 4) & 7;
  const type = objectTypes[kind - 1];
  let size = first & 15;
  let start = at + 1;
  if (first >= 0x80) {
    const [high, next] = readNumber(bytes, start, end);
    size += high * 16;
    start = next;
  }
  let base: Oid | undefined;
  let distance: number | undefined;
  if (kind === deltaToName) {
    if (start + hashBytes >= end) throw damaged();
    base = toOid(bytes.toString("hex", start, start + hashBytes));
    start += hashBytes;
  } else if (kind === deltaToOffset) [distance, start] = readDistance(bytes, start, end);
  else if (type === undefined) throw damaged();
  if (start >= end || !Number.isSafeInteger(size)) throw damaged();
  return { type, size, start, base, distance };
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

/** How far back another entry lies, in pieces of seven bits, the highest first; each piece but the last counts one more. */
function readDistance(bytes: Uint8Array, at: number, end: number): readonly [distance: number, next: number] {
  let distance = -1;
  for (let i = at; i < end && i < at + 8; i++) {
    const byte = bytes[i] ?? 0;
    distance = (distance + 1) * 128 + (byte & 127);
    if (byte < 128) return [distance, i + 1];
  }
  throw damaged();
}

/** Inflates what must have a certain size. @returns it, and how many bytes it took. @throws SkepError `malformed`. */
export async function unpack(
  deflated: Uint8Array,
  size: number,
): Promise<{ readonly content: Uint8Array; readonly used: number }> {
  // All at once, with room to spare: Node joins pieces in the main thread.
  const options = { info: true, maxOutputLength: size + 1, chunkSize: size + 64 };
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
