/** Parses JSON. Limits are checked before anything is parsed. */
import { failure, invalid } from "./errors.ts";
import { isObject } from "./record.ts";
import { pause } from "../slices.ts";

export interface JsonLimits {
  /** How many members, elements, objects and lists there may be. */
  readonly maxValues: number;
}

/** Deeper than any accepted content, which has its own limit and more precise errors. */
const maxDepth = 64;
/** Less than this takes a few milliseconds, and is parsed in one step. */
const bytesAtOnce = 262_144;
/** The least that is parsed at once of an object that is parsed in parts. */
const leastPartBytes = 1_048_576;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBrace = 0x7b;
const openBracket = 0x5b;
const closeBrace = 0x7d;
const closeBracket = 0x5d;

/** Where an object that is a member of the outermost one lies, and the commas where it is cut into parts. */
interface LargeObject {
  readonly start: number;
  readonly end: number;
  readonly cuts: number[];
}

/**
 * Parses JSON in UTF-8; a byte order mark is dropped. Scanning, decoding and parsing are a step each. A body whose files
 * are large together is parsed in parts of some files each.
 * @param limits of a request's body, which are checked before anything is parsed: `JSON.parse` of 16 MiB of brackets
 * takes seconds and half a gigabyte.
 * @param partBytes the least that is parsed at once of a large object.
 * @throws SyntaxError for what is not JSON; TypeError for what is not UTF-8; SkepError `invalid` for content nested far
 * too deep, `too-large` for more values than the limit.
 */
export async function parseJson(
  bytes: Uint8Array,
  limits?: JsonLimits,
  partBytes = leastPartBytes,
): Promise<unknown> {
  await pause();
  const isLarge = bytes.length > bytesAtOnce;
  const { values, objects } = limits === undefined ? { values: 0, objects: [] } : scanJson(bytes, partBytes);
  if (limits !== undefined && values > limits.maxValues) {
    throw failure(
      "too-large",
      `The body holds more than ${limits.maxValues} values; send it in several requests.`,
      { publicCode: "too_many_values" },
    );
  }
  if (isLarge) await pause();
  if (objects.length > 0) {
    const value = await parseParts(bytes, objects);
    if (value !== undefined) return value;
  }
  const text = decode(bytes);
  if (isLarge) await pause();
  const value: unknown = JSON.parse(text);
  if (isLarge) await pause();
  return value;
}

/**
 * Parses JSON in UTF-8 that is bounded already, such as a stored file.
 * @throws SyntaxError for what is not JSON; TypeError for what is not UTF-8.
 */
export function parseStoredJson(bytes: Uint8Array): unknown {
  return JSON.parse(decode(bytes));
}

function decode(bytes: Uint8Array, ignoreBOM = false): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM }).decode(bytes);
}

/** Parses JSON with its large objects in parts. @returns undefined where that cannot be done, as for what is not JSON. */
async function parseParts(bytes: Uint8Array, objects: readonly LargeObject[]): Promise<unknown> {
  // Stands for a large object where it lies; no body can name it.
  const mark = crypto.randomUUID();
  const whole: Record<string, unknown>[] = [];
  let outline = "";
  let at = 0;
  for (const { start, end, cuts } of objects) {
    outline += `${decode(bytes.subarray(at, start), at > 0)}"${mark}${whole.length}"`;
    at = end;
    const object: Record<string, unknown> = {};
    for (const [i, cut] of [...cuts, end - 1].entries()) {
      const members = decode(bytes.subarray((cuts[i - 1] ?? start) + 1, cut), true);
      await pause();
      const part = jsonOrUndefined(`{${members}}`);
      if (!isObject(part) || members.trim() === "") return undefined;
      // Not assigned: a member may be named `__proto__`.
      for (const [name, value] of Object.entries(part)) {
        Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true });
      }
    }
    whole.push(object);
    await pause();
  }
  const value = jsonOrUndefined(outline + decode(bytes.subarray(at), true));
  if (!isObject(value)) return undefined;
  let replaced = 0;
  for (const [name, member] of Object.entries(value)) {
    if (typeof member !== "string" || !member.startsWith(mark)) continue;
    value[name] = whole[Number(member.slice(mark.length))];
    replaced++;
  }
  // One that is missing lay in the place of a name, or was replaced by a member of the same name.
  return replaced === whole.length ? value : undefined;
}

/** The value of JSON; undefined for anything else. For text whose length is limited elsewhere. */
export function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * @returns how many members, elements, objects and lists there are, and the objects that are worth being parsed in parts.
 * @throws SkepError `invalid` for content nested far too deep.
 */
export function scanJson(
  bytes: Uint8Array,
  partBytes = leastPartBytes,
): { readonly values: number; readonly objects: readonly LargeObject[] } {
  const objects: LargeObject[] = [];
  let object: LargeObject = { start: 0, end: 0, cuts: [] };
  let values = 0;
  let depth = 0;
  let isInString = false;
  // An iterator of bytes takes ten times as long.
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (isInString) {
      if (byte === backslash) at++;
      else if (byte === quote) isInString = false;
    } else if (byte === quote) isInString = true;
    else if (byte === comma) {
      values++;
      if (depth === 2 && at - (object.cuts.at(-1) ?? object.start) > partBytes) object.cuts.push(at);
    } else if (byte === openBrace || byte === openBracket) {
      values++;
      if (++depth > maxDepth) throw invalid("body", `is nested deeper than ${maxDepth} levels`);
      if (depth === 2) object = { start: at, end: 0, cuts: [] };
    } else if (byte === closeBrace || byte === closeBracket) {
      if (depth === 2 && object.cuts.length > 0 && byte === closeBrace && bytes[object.start] === openBrace) {
        objects.push({ ...object, end: at + 1 });
      }
      depth--;
    }
  }
  return { values, objects };
}
