import { setImmediate as nextImmediate } from "node:timers/promises";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Steps } from "../src/domain/steps.ts";
import { inSlices } from "../src/slices.ts";

let now = 0;

beforeEach(() => {
  vi.spyOn(performance, "now").mockImplementation(() => now);
});

// What is left of a slice of one test must not be part of another's.
afterEach(async () => {
  vi.restoreAllMocks();
  await nextImmediate();
});

/** Work of some steps, each of which takes some milliseconds. */
function* work(name: string, steps: number, ms: number, log: string[]): Steps<string> {
  for (let step = 1; step <= steps; step++) {
    now += ms;
    log.push(`${name}${step}`);
    yield;
  }
  return name;
}

it("runs work to its end, and throws what it throws", async () => {
  const log: string[] = [];
  await expect(inSlices(work("a", 50, 7, log))).resolves.toBe("a");
  expect(log).toHaveLength(50);
  const failing = function* fail(): Steps<void> {
    yield;
    throw new Error("broken");
  };
  await expect(inSlices(failing())).rejects.toThrow("broken");
});

it("lets others have their turn after each slice, and works take turns", async () => {
  const log: string[] = [];
  const works = Promise.all([inSlices(work("a", 4, 20, log)), inSlices(work("b", 4, 20, log))]);
  for (let turn = 0; turn < 10; turn++) {
    await nextImmediate();
    log.push("|");
  }
  await works;
  // The first slice is done at once, and so is the first step of each; from then on a turn has one step of one of both.
  const turns = log.join("").split("|");
  expect(turns[0]).toBe("a1a2b1a3");
  expect(turns.slice(1).filter((turn) => turn.length > 2)).toEqual([]);
  expect(log.filter((entry) => entry !== "|")).toEqual(["a1", "a2", "b1", "a3", "b2", "a4", "b3", "b4"]);
});

it("does work without a pause in it at once, whatever waits", async () => {
  const log: string[] = [];
  const long = inSlices(work("a", 5, 20, log));
  const small = function* one(): Steps<number> {
    if (now < 0) yield;
    return 1;
  };
  await expect(inSlices(small())).resolves.toBe(1);
  expect(log).toEqual(["a1", "a2"]);
  await long;
});
