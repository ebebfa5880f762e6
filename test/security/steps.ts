/**
 * Counts the steps of work, so that tests can say how work grows without a clock. A step is a block of code that runs, of
 * this project or of a library, or an item or character that a built-in function goes over. Import it before what is
 * measured: V8 counts the blocks of functions that are compiled later. Steps inside one match of a regular expression,
 * where it goes back and forth, are not seen.
 */
import { Session, type Profiler } from "node:inspector";

const session = new Session();
session.connect();
session.post("Profiler.enable");
session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });

/** What the built-in functions have gone over since the work began. */
let inBuiltIns = 0;

function blocksRun(): number {
  let blocks = 0;
  session.post("Profiler.takePreciseCoverage", (error, { result }) => {
    if (error !== null) throw error;
    for (const { functions } of result) for (const one of functions) blocks += blocksIn(one);
  });
  return blocks;
}

function blocksIn({ ranges }: Profiler.FunctionCoverage): number {
  return ranges.reduce((sum, { count }) => sum + count, 0);
}

/** How much a call has gone over. @param place what {@link charge} was told to remember before it. */
type Cost = (receiver: unknown, args: readonly unknown[], result: unknown, place: number) => number;

/** Charges the calls of a built-in function. @param placeOf gives what the cost depends on and the call changes. */
function charge<T extends object>(
  holder: T,
  name: keyof T,
  cost: Cost,
  placeOf?: (receiver: unknown) => number,
): () => void {
  const original: unknown = holder[name];
  if (typeof original !== "function") throw new TypeError(`${String(name)} is no function`);
  const counted = function (this: unknown, ...args: readonly unknown[]): unknown {
    const place = placeOf === undefined ? 0 : placeOf(this);
    const result: unknown = Reflect.apply(original, this, args);
    inBuiltIns += cost(this, args, result, place);
    return result;
  };
  const before = Object.getOwnPropertyDescriptor(holder, name) ?? {};
  Object.defineProperty(holder, name, { ...before, value: counted });
  return () => Object.defineProperty(holder, name, before);
}

function lengthOf(value: unknown): number {
  return typeof value === "string" || Array.isArray(value) ? value.length : 1;
}

/** How far a search goes: from where it starts to what it finds, or to the end. */
function searched(receiver: unknown, [what, from]: readonly unknown[], found: unknown): number {
  const start = typeof from === "number" ? from : 0;
  return found === -1 ? Math.max(0, lengthOf(receiver) - start) : Number(found) - start + lengthOf(what);
}

/** Where an expression starts. */
function startOf(expression: unknown): number {
  return expression instanceof RegExp && (expression.sticky || expression.global) ? expression.lastIndex : 0;
}

/** How far an expression is tried: from where it starts to the end of its match, or of the text. */
function tried(expression: unknown, [text]: readonly unknown[], match: unknown, from: number): number {
  if (!(expression instanceof RegExp)) return 1;
  const isSticky = expression.sticky;
  if (Array.isArray(match))
    return (isSticky ? 0 : Number(Reflect.get(match, "index")) - from) + lengthOf(match[0]) + 1;
  return isSticky ? 1 : Math.max(1, lengthOf(text) - from);
}

/** What the iterators of all segmenters have in common. */
const segments: { next?: unknown } = Object.getPrototypeOf(
  new Intl.Segmenter().segment("")[Symbol.iterator](),
);

/** The length of the text of which an iterator gave a segment. */
function inputOf(result: unknown): number {
  const value: unknown =
    typeof result === "object" && result !== null ? Reflect.get(result, "value") : undefined;
  return typeof value === "object" && value !== null ? lengthOf(Reflect.get(value, "input")) : 1;
}

function chargeAll(): () => void {
  const texts = String.prototype;
  const lists = Array.prototype;
  const ofReceiver: Cost = (receiver) => lengthOf(receiver);
  const undo = [
    charge(texts, "indexOf", searched),
    charge(texts, "lastIndexOf", (text, [, from], found) => {
      const start = typeof from === "number" ? from : lengthOf(text);
      return found === -1 ? start : start - Number(found);
    }),
    charge(texts, "startsWith", (_, [what]) => lengthOf(what)),
    ...(
      ["includes", "split", "replaceAll", "replace", "toLowerCase", "toLocaleLowerCase", "normalize"] as const
    ).map((name) => charge(texts, name, ofReceiver)),
    charge(lists, "slice", (_list, _args, result) => lengthOf(result)),
    ...(["indexOf", "includes", "splice", "shift", "concat", "toSorted", "sort"] as const).map((name) =>
      charge(lists, name, ofReceiver),
    ),
    charge(lists, Symbol.iterator, ofReceiver),
    // Node copies the text for each segment of it.
    charge(segments, "next", (_segments, _args, result) => inputOf(result)),
    // All other functions of regular expressions call this one as soon as it is not the built-in one.
    charge(RegExp.prototype, "exec", tried, startOf),
  ];
  return () => {
    for (const restore of undo) restore();
  };
}

/** Counts the steps of some work. */
export function stepsOf(work: () => unknown): number {
  blocksRun();
  return stepsSince(work);
}

/** Counts the steps of some work that is done right after others were counted: V8 goes through all functions for that. */
function stepsSince(work: () => unknown): number {
  inBuiltIns = 0;
  const restore = chargeAll();
  try {
    work();
  } finally {
    restore();
  }
  return blocksRun() + inBuiltIns;
}

/** Makes a text of about that length. */
export type Make = (length: number) => string;

/** One unit again and again. */
export function repeated(unit: string, start = "", end = ""): Make {
  return (length) => start + unit.repeat(Math.max(1, Math.floor(length / unit.length))) + end;
}

/** A text of parts that have numbers. */
export function numbered(write: (i: number) => string, start = "", end = ""): Make {
  return (length) => {
    const parts: string[] = [];
    for (let i = 0, size = 0; size < length; size += parts.at(-1)?.length ?? 1) parts.push(write(i++));
    return start + parts.join("") + end;
  };
}

/** What sorts takes a little more than its input. */
export const mostGrowth = 2.3;

function growthOf(work: (length: number) => () => unknown, length: number): number {
  const [small, large] = [work(length), work(2 * length)];
  // What is done once in a process counts for the larger one, where it shows least.
  const many = stepsOf(large);
  return many / Math.max(stepsSince(small), length);
}

/**
 * How the steps of work grow when its input is twice as large; 2 where they are in proportion. It is measured again where it
 * is more than a limit: what is done once in a process may count, and V8 forgets the counts of functions whose code it throws
 * away. Work that grows more than in proportion does so each time.
 */
export function leastGrowth(
  work: (length: number) => () => unknown,
  length: number,
  limit = mostGrowth,
): number {
  let growth = growthOf(work, length);
  for (let again = 0; again < 2 && growth >= limit; again++) growth = growthOf(work, length);
  return growth;
}

/**
 * After how many milliseconds work counts as endless: a regular expression that goes back and forth over a legal text takes
 * far longer, and so do steps that nobody counts. What is in proportion takes seconds on a machine with much else to do.
 */
export const runaway = 150_000;
