/**
 * Parses JSON that may be large. `JSON.parse` of 16 MB takes 200 ms in one go. So large JSON is cut into pieces at commas
 * between values. Brackets before and after each piece make it valid JSON, and its values are added to the objects and
 * lists that were still open at the cut.
 */
import { failure, invalid } from "./errors.ts";
import { throwFault, type FaultyPiece } from "./json-fault.ts";
import { ObjectWriter } from "./members.ts";
import type { Steps } from "./steps.ts";

export interface JsonLimits {
  /** How many members, elements, objects and lists there may be. */
  readonly maxValues: number;
}

/** Deeper than any accepted content, which has its own limit and more precise errors. */
const maxDepth = 64;
/** With fewer brackets than these, no JSON is nested too deep to parse. */
const harmlessBrackets = 10_000;
/** JSON up to this length is parsed in one go, which is faster. */
const bytesAtOnce = 1_048_576;
/** The least length of a piece. */
const bytesPerPiece = 65_536;
/** How many bytes are scanned, or decoded, in one step. */
const bytesPerStep = 1_048_576;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBrace = 0x7b;
const openBracket = 0x5b;
const openings: ReadonlySet<number | undefined> = new Set([openBrace, openBracket]);
const closeBrace = 0x7d;
const closeBracket = 0x5d;
const closings: ReadonlySet<number | undefined> = new Set([closeBrace, closeBracket]);
const spaces: ReadonlySet<number | undefined> = new Set([0x20, 0x0a, 0x0d, 0x09]);

/**
 * Parses JSON in UTF-8; a byte order mark is dropped. The value is the one that `JSON.parse` gives.
 * @param limits of a request's body, which are checked before anything is parsed: `JSON.parse` of 16 MiB of brackets
 * takes seconds and half a gigabyte.
 * @throws SyntaxError for what is not JSON; TypeError for what is not UTF-8; SkepError `invalid` for content nested far
 * too deep, `too-large` for more values than the limit.
 */
export function* parseJson(bytes: Uint8Array, limits?: JsonLimits): Steps<unknown> {
  if (bytes.length > bytesAtOnce) {
    const parsed = yield* parsePieces(bytes, limits);
    if ("value" in parsed) return parsed.value;
    // What cannot be parsed in pieces is usually malformed; otherwise it is parsed as a whole.
    yield* throwFault(bytes, parsed);
  } else if (limits !== undefined && mayExceed(bytes, limits)) {
    for (const scan = new Scan(bytes, limits, Infinity); !scan.advance();) yield;
  }
  // Each of these steps takes milliseconds for a megabyte.
  if (bytes.length > bytesPerPiece) yield;
  const text = yield* decode(bytes);
  if (bytes.length > bytesPerPiece) yield;
  return JSON.parse(text);
}

/**
 * Parses large JSON in part, which takes a tenth of the time. Lists have fewer elements then, and objects fewer members; all
 * the same, what holds a needed value is found by the same path of names. Small JSON is parsed as a whole.
 * @param isNeeded whether a part of the JSON may hold what is needed: members with their names and texts.
 * @throws as {@link parseJson}, but what is malformed is only found in the parts that are needed.
 */
export function* parseNeeded(bytes: Uint8Array, isNeeded: (part: Uint8Array) => boolean): Steps<unknown> {
  const parsed = bytes.length > bytesAtOnce ? yield* parsePieces(bytes, undefined, isNeeded) : {};
  return "value" in parsed ? parsed.value : JSON.parse(yield* decode(bytes));
}

/** Whether it takes a scan to tell that JSON is within its limits: strings contain separators and brackets, too. */
function mayExceed(bytes: Uint8Array, { maxValues }: JsonLimits): boolean {
  let commas = 0;
  let brackets = 0;
  // An iterator of bytes takes ten times as long.
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === comma) commas++;
    else if (byte === openBrace || byte === openBracket) brackets++;
  }
  return commas + brackets > maxValues || brackets >= harmlessBrackets;
}

function* decode(bytes: Uint8Array): Steps<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  if (bytes.length <= bytesPerStep) return decoder.decode(bytes);
  let text = "";
  for (let at = 0; at < bytes.length; at += bytesPerStep) {
    yield;
    text += decoder.decode(bytes.subarray(at, at + bytesPerStep), { stream: true });
  }
  return text + decoder.decode();
}

/** An object or a list that is not closed yet, as {@link Scan} finds it. */
interface OpenBracket {
  readonly isList: boolean;
  /** Where the last string before it begins, which is its name where it is a member of an object. */
  readonly nameAt: number;
}

/** Scans JSON without parsing it, and finds where it can be cut. */
class Scan {
  /** The open objects and lists, from the outermost to the innermost. */
  readonly open: OpenBracket[] = [];
  /** How many of those that were open at the last cut are still open. */
  kept = 0;
  /** The colons since the last cut that are directly in what was open then. */
  colons: number[] = [];
  /** How many commas there are between them, and whether the two take turns. */
  #commas = 0;
  #isRegular = true;
  #depth = 0;
  readonly #bytes: Uint8Array;
  readonly #limits: JsonLimits | undefined;
  readonly #pieceLength: number;
  #cutAfter: number;
  #at = 0;
  #values = 0;
  #isInString = false;
  #stringAt = 0;

  constructor(bytes: Uint8Array, limits: JsonLimits | undefined, pieceLength: number) {
    this.#bytes = bytes;
    this.#limits = limits;
    this.#pieceLength = pieceLength;
    this.#cutAfter = pieceLength;
  }

  /** Where it is: at a comma, or at the end. */
  get at(): number {
    return this.#at;
  }

  /** Whether it is nested too deep to be worth cutting. */
  get isDeep(): boolean {
    return this.open.length > maxDepth;
  }

  /** Whether there are only members of the innermost object since the last cut, as far as colons and commas tell. */
  get hasOnlyMembers(): boolean {
    const isInside = this.kept === this.#depth && this.open.length === this.#depth;
    return isInside && this.open.at(-1)?.isList === false && this.#isRegular && this.#hasColon;
  }

  /** Whether a member's name stands behind the last comma. */
  get #hasColon(): boolean {
    return this.colons.length === this.#commas + 1;
  }

  /** Begins a new piece after the comma. */
  cut(): void {
    this.#at++;
    this.#cutAfter = this.#at + this.#pieceLength;
    this.kept = this.#depth = this.open.length;
    this.colons = [];
    this.#commas = 0;
    this.#isRegular = true;
  }

  /** Scans one step further. @returns whether the end of the piece was reached. @throws as {@link parseJson}. */
  advance(): boolean {
    const bytes = this.#bytes;
    const { open } = this;
    const end = Math.min(bytes.length, this.#at + bytesPerStep);
    let [at, values, isInString, stringAt] = [this.#at, this.#values, this.#isInString, this.#stringAt];
    let isCut = false;
    for (; at < end; at++) {
      const byte = bytes[at];
      if (isInString) {
        if (byte === backslash) at++;
        else if (byte === quote) isInString = false;
      } else if (byte === quote) {
        isInString = true;
        stringAt = at;
      } else if (byte === comma) {
        values++;
        isCut = at >= this.#cutAfter;
        if (isCut) break;
        if (open.length === this.#depth) {
          this.#isRegular &&= this.#hasColon;
          this.#commas++;
        }
      } else if (byte === colon) {
        if (open.length === this.#depth) {
          this.#isRegular &&= !this.#hasColon;
          this.colons.push(at);
        }
      } else if (byte === openBrace || byte === openBracket) {
        values++;
        open.push({ isList: byte === openBracket, nameAt: stringAt });
        this.#checkDepth();
      } else if (byte === closeBrace || byte === closeBracket) {
        open.pop();
        this.kept = Math.min(this.kept, open.length);
      }
    }
    if (this.#limits !== undefined && values > this.#limits.maxValues) {
      const limit = this.#limits.maxValues;
      throw failure("too-large", `The body holds more than ${limit} values; send it in several requests.`, {
        publicCode: "too_many_values",
      });
    }
    [this.#at, this.#values, this.#isInString, this.#stringAt] = [at, values, isInString, stringAt];
    return isCut || at >= bytes.length;
  }

  #checkDepth(): void {
    if (this.#limits !== undefined && this.isDeep) {
      throw invalid("body", `is nested deeper than ${maxDepth} levels`);
    }
  }
}

/** In a piece, the name of a value that began before it. It is random, so that no content can use it. */
const continued = globalThis.crypto.randomUUID();

/** @returns where it stopped if the JSON cannot be parsed in pieces, as when it is malformed. */
function* parsePieces(
  bytes: Uint8Array,
  limits: JsonLimits | undefined,
  isNeeded: (piece: Uint8Array) => boolean = () => true,
): Steps<{ readonly value: unknown } | FaultyPiece> {
  const scan = new Scan(bytes, limits, bytesPerPiece);
  const growing: Growing[] = [];
  let root: unknown;
  let before = "";
  // The piece before is given too: messages quote what stands before a fault.
  let last = { from: 0, before };
  const stopped = (): FaultyPiece => ({ ...last, end: scan.at });
  for (let start = 0; ; start = scan.at, yield) {
    while (!scan.advance()) yield;
    const isLast = scan.at >= bytes.length;
    const isInside = isLast || scan.open.length > 0;
    if (scan.isDeep || !isInside || !isBetweenValues(bytes, start, scan.at)) return stopped();
    const piece = bytes.subarray(start, scan.at);
    // Only the first piece can have a byte order mark.
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: start > 0 });
    const isWhole = isNeeded(piece);
    if (isWhole && start > 0 && !isLast && scan.hasOnlyMembers) {
      const list = tryParse(`[${decoder.decode(withoutColons(piece, start, scan.colons))}]`);
      if (!Array.isArray(list) || growing.at(-1)?.addMembers(list) !== true) return stopped();
      last = { from: start, before };
      scan.cut();
      continue;
    }
    const text = isWhole ? decoder.decode(piece) : skeletonOf(bytes, scan, growing);
    const value = tryParse(before + text + (isLast ? "" : closingsOf(scan.open)));
    if (value === undefined) return stopped();
    if (start === 0) root = value;
    else addTo(growing, value);
    for (const { end } of growing.splice(isLast ? 0 : scan.kept)) end();
    if (isLast) return { value: root };
    for (const { isList, nameAt } of scan.open.slice(growing.length)) {
      const parent = growing.at(-1);
      const child = parent === undefined ? root : parent.last(() => nameFrom(bytes, nameAt));
      if (Array.isArray(child) !== isList) return stopped();
      if (Array.isArray(child)) growing.push(growingList(child));
      else if (isObject(child)) growing.push(growingObject(child));
      else return stopped();
    }
    last = { from: start, before };
    before = openingsOf(scan.open);
    scan.cut();
  }
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The members of an object as a list of names and values, from which the object is made in half the time. */
function withoutColons(piece: Uint8Array, start: number, colons: readonly number[]): Uint8Array {
  const list = Uint8Array.from(piece);
  for (const at of colons) list[at - start] = comma;
  return list;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** Whether a piece has values at both ends. If not, the brackets around it would hide that the JSON is malformed. */
function isBetweenValues(bytes: Uint8Array, start: number, end: number): boolean {
  let first = start;
  let last = end - 1;
  while (first < end && spaces.has(bytes[first])) first++;
  while (last > first && spaces.has(bytes[last])) last--;
  if (first === end || (start > 0 && closings.has(bytes[first]))) return false;
  return !openings.has(bytes[last]);
}

function openingsOf(open: readonly OpenBracket[]): string {
  const name = `${JSON.stringify(continued)}:`;
  return open
    .map(({ isList }, i) => (isList ? "[" : "{") + (isList || i === open.length - 1 ? "" : name))
    .join("");
}

/** What a piece has of the brackets that it closes and opens, without its values. */
function skeletonOf(bytes: Uint8Array, { open, kept }: Scan, growing: readonly Growing[]): string {
  const closed = growing.slice(kept);
  const opened = open.slice(kept).map(({ isList, nameAt }, i) => {
    const isMember = open[kept + i - 1]?.isList === false;
    return (isMember ? `${JSON.stringify(nameFrom(bytes, nameAt))}:` : "") + (isList ? "[" : "{");
  });
  const between = closed.length > 0 && kept > 0 && opened.length > 0 ? "," : "";
  return closingsOf(closed) + between + opened.join("");
}

function closingsOf(open: readonly Pick<OpenBracket, "isList">[]): string {
  return open
    .map(({ isList }) => (isList ? "]" : "}"))
    .toReversed()
    .join("");
}

/** The name whose opening quote is at an index. */
function nameFrom(bytes: Uint8Array, at: number): string {
  let end = at + 1;
  while (end < bytes.length && bytes[end] !== quote) end += bytes[end] === backslash ? 2 : 1;
  return String(JSON.parse(new TextDecoder().decode(bytes.subarray(at, end + 1))));
}

/** An object or a list that further pieces continue. */
interface Growing {
  readonly isList: boolean;
  /** Adds the part that a piece has of it. @returns the part of the open value inside it. */
  readonly add: (part: unknown, isInnermost: boolean) => unknown;
  /** Adds members, given as names and values in turn. @returns false if they are none. */
  readonly addMembers: (list: readonly unknown[]) => boolean;
  /** Its last value. */
  readonly last: (name: () => string) => unknown;
  readonly end: () => void;
}

function growingList(list: unknown[]): Growing {
  return {
    isList: true,
    add(part, isInnermost) {
      const elements: readonly unknown[] = Array.isArray(part) ? part : [];
      for (const element of isInnermost ? elements : elements.slice(1)) list.push(element);
      return elements[0];
    },
    addMembers: () => false,
    last: () => list.at(-1),
    end() {},
  };
}

function growingObject(object: Record<string, unknown>): Growing {
  const writer = new ObjectWriter(object);
  return {
    isList: false,
    add(part) {
      if (!isObject(part)) return undefined;
      for (const name of Object.keys(part)) if (name !== continued) writer.set(name, part[name]);
      return part[continued];
    },
    addMembers(list) {
      for (let i = 0; i < list.length; i += 2) {
        const name = list[i];
        if (typeof name !== "string" || i + 1 === list.length) return false;
        writer.set(name, list[i + 1]);
      }
      return true;
    },
    last: (name) => writer.get(name()),
    end: () => void writer.end(),
  };
}

/** Adds a piece's values to the objects and lists that were open before it. */
function addTo(growing: readonly Growing[], piece: unknown): void {
  let part = piece;
  for (const [i, one] of growing.entries()) part = one.add(part, i === growing.length - 1);
}
