/** Parses JSON. Limits are checked before anything is parsed. */
import { failure, invalid } from "./errors.ts";
import type { Steps } from "./steps.ts";

export interface JsonLimits {
  /** How many members, elements, objects and lists there may be. */
  readonly maxValues: number;
}

/** Deeper than any accepted content, which has its own limit and more precise errors. */
const maxDepth = 64;
/** Less than this takes a few milliseconds, and is parsed in one step. */
const bytesAtOnce = 262_144;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBrace = 0x7b;
const openBracket = 0x5b;
const closeBrace = 0x7d;
const closeBracket = 0x5d;

/**
 * Parses JSON in UTF-8; a byte order mark is dropped. Scanning, decoding and parsing are a step each.
 * @param limits of a request's body, which are checked before anything is parsed: `JSON.parse` of 16 MiB of brackets
 * takes seconds and half a gigabyte.
 * @throws SyntaxError for what is not JSON; TypeError for what is not UTF-8; SkepError `invalid` for content nested far
 * too deep, `too-large` for more values than the limit.
 */
export function* parseJson(bytes: Uint8Array, limits?: JsonLimits): Steps<unknown> {
  const isLarge = bytes.length > bytesAtOnce;
  if (limits !== undefined && countValues(bytes) > limits.maxValues) {
    throw failure(
      "too-large",
      `The body holds more than ${limits.maxValues} values; send it in several requests.`,
      { publicCode: "too_many_values" },
    );
  }
  if (isLarge) yield;
  const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  if (isLarge) yield;
  const value: unknown = JSON.parse(text);
  if (isLarge) yield;
  return value;
}

/**
 * Counts the members, elements, objects and lists of JSON without parsing it.
 * @throws SkepError `invalid` for content nested far too deep.
 */
export function countValues(bytes: Uint8Array): number {
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
    else if (byte === comma) values++;
    else if (byte === openBrace || byte === openBracket) {
      values++;
      if (++depth > maxDepth) throw invalid("body", `is nested deeper than ${maxDepth} levels`);
    } else if (byte === closeBrace || byte === closeBracket) depth--;
  }
  return values;
}
