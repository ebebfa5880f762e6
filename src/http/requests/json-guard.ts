/**
 * Checks the nesting and the number of values of JSON before it is parsed. `JSON.parse` of 16 MiB of brackets takes
 * seconds and half a gigabyte; counting them takes a fraction of a second and no memory.
 */
import type { Steps } from "../../domain/steps.ts";
import { failure, invalid } from "../../domain/errors.ts";

/** Deeper than any accepted content, which has its own limit and more precise errors. */
const maxDepth = 64;
/** With fewer brackets than these, no JSON is nested too deep to parse. */
const harmlessBrackets = 10_000;
/** The least bytes per value: the value and a separator. */
const minValueBytes = 2;
/** How many bytes are scanned in one step. */
const bytesPerStep = 1_048_576;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBrackets = [0x7b, 0x5b];
const closeBrackets = [0x7d, 0x5d];

/**
 * @param maxValues how many members, elements, objects and arrays there may be.
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
  for (let end = bytesPerStep; !scan.scanTo(end); end += bytesPerStep) yield;
}

/** Scans JSON in steps. */
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

  /** Scans up to an offset. @returns whether the end was reached. @throws as {@link checkJson}. */
  scanTo(end: number): boolean {
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
