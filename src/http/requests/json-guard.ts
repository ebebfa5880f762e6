/**
 * Looks over JSON before it is parsed. `JSON.parse` of 16 MiB of brackets takes seconds and half a gigabyte; counting
 * them takes a fraction of a second and nothing.
 */
import type { Steps } from "../../domain/steps.ts";
import { failure, invalid } from "../../domain/errors.ts";

/** Deeper than any content that is accepted, whose own limit is told more precisely later. */
const maxDepth = 64;
/** With fewer brackets than these nothing is nested too deep to parse. */
const harmlessBrackets = 10_000;
/** A value and what stands between it and the next. */
const minValueBytes = 2;
/** How many bytes are looked at at once. */
const bytesPerStep = 1_048_576;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBrackets = [0x7b, 0x5b];
const closeBrackets = [0x7d, 0x5d];

/**
 * @param maxValues how many members, elements, objects and lists there may be.
 * @throws SkepError `invalid` for content nested far too deep, `too-large` for more values than one request may hold.
 */
export function* checkJson(bytes: Buffer, maxValues: number): Steps<void> {
  if (
    bytes.length <= maxValues * minValueBytes &&
    openBrackets.every((bracket) => countUpTo(bytes, bracket) < harmlessBrackets)
  ) {
    return;
  }
  const scan = new Scan(bytes, maxValues);
  for (let end = bytesPerStep; !scan.reads(end); end += bytesPerStep) yield;
}

/** Goes over JSON piece by piece. */
class Scan {
  readonly #bytes: Buffer;
  readonly #maxValues: number;
  #at = 0;
  #depth = 0;
  #values = 0;
  #isInString = false;

  constructor(bytes: Buffer, maxValues: number) {
    this.#bytes = bytes;
    this.#maxValues = maxValues;
  }

  /** Goes on to some place; tells whether that is the end. @throws as {@link checkJson}. */
  reads(end: number): boolean {
    const bytes = this.#bytes;
    const [open, openList] = openBrackets;
    const [close, closeList] = closeBrackets;
    let [at, depth, values, isInString] = [this.#at, this.#depth, this.#values, this.#isInString];
    for (; at < bytes.length && at < end; at++) {
      const byte = bytes[at];
      if (isInString) {
        if (byte === backslash) at++;
        else if (byte === quote) isInString = false;
      } else if (byte === quote) isInString = true;
      else if (byte === comma) values++;
      else if (byte === open || byte === openList) {
        values++;
        if (++depth > maxDepth) throw invalid("body", `is nested deeper than ${maxDepth} levels`);
      } else if (byte === close || byte === closeList) depth--;
      if (values > this.#maxValues) {
        throw failure(
          "too-large",
          `The body holds more than ${this.#maxValues} values; send it in several requests.`,
          { publicCode: "too_many_values" },
        );
      }
    }
    [this.#at, this.#depth, this.#values, this.#isInString] = [at, depth, values, isInString];
    return at >= bytes.length;
  }
}

function countUpTo(bytes: Buffer, byte: number): number {
  let count = 0;
  for (let i = bytes.indexOf(byte); i !== -1 && count < harmlessBrackets; i = bytes.indexOf(byte, i + 1))
    count++;
  return count;
}
