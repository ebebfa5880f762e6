/**
 * Looks over JSON before it is parsed. `JSON.parse` of 32 MiB of brackets takes five seconds and a gigabyte; counting
 * them takes a fraction of a second and nothing.
 */
import { failure, invalid } from "../domain/errors.ts";

/** Deeper than any content that is accepted, whose own limit is told more precisely later. */
const maxDepth = 64;
/** Members, elements, objects and lists in one body. */
const maxValues = 1_500_000;
/** What is smaller than both of these cannot do harm. */
const harmlessBytes = 2 * 1024 * 1024;
const harmlessBrackets = 10_000;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBrackets = [0x7b, 0x5b];
const closeBrackets = [0x7d, 0x5d];

/**
 * @throws SkepError `invalid` for content nested far too deep, `too-large` for more values than one request may hold.
 */
export function checkJson(bytes: Buffer): void {
  if (
    bytes.length <= harmlessBytes &&
    openBrackets.every((bracket) => countUpTo(bytes, bracket) < harmlessBrackets)
  ) {
    return;
  }
  const [open, openList] = openBrackets;
  const [close, closeList] = closeBrackets;
  let depth = 0;
  let values = 0;
  let inString = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (inString) {
      if (byte === backslash) i++;
      else if (byte === quote) inString = false;
    } else if (byte === quote) inString = true;
    else if (byte === comma) values++;
    else if (byte === open || byte === openList) {
      values++;
      if (++depth > maxDepth) throw invalid("body", `is nested deeper than ${maxDepth} levels`);
    } else if (byte === close || byte === closeList) depth--;
    if (values > maxValues) {
      throw failure(
        "too-large",
        `The body holds more than ${maxValues} values; send it in several requests.`,
      );
    }
  }
}

function countUpTo(bytes: Buffer, byte: number): number {
  let count = 0;
  for (let i = bytes.indexOf(byte); i !== -1 && count < harmlessBrackets; i = bytes.indexOf(byte, i + 1))
    count++;
  return count;
}
