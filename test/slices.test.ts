import { setImmediate as nextImmediate } from "node:timers/promises";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type * as slices from "../src/slices.ts";
import { importOwn } from "./helpers/own-module.ts";

const { pause, mapInGroups } = await importOwn<typeof slices>(import.meta.url, "../src/slices.ts");

let now = 0;

beforeEach(() => {
  vi.spyOn(performance, "now").mockImplementation(() => now);
});

// What is left of a slice of one test must not be part of another's.
afterEach(async () => {
  for (let tick = 0; tick < 3; tick++) await nextImmediate();
  vi.restoreAllMocks();
});

/** Work of some steps, each of which takes some milliseconds. */
async function work(
  name: string,
  steps: number,
  ms: number,
  log: string[],
  signal?: AbortSignal,
): Promise<string> {
  for (let step = 1; step <= steps; step++) {
    await pause(signal);
    now += ms;
    log.push(`${name}${step}`);
  }
  return name;
}

it("ends with the reason of a signal, at the next pause", async () => {
  const leaving = new AbortController();
  const log: string[] = [];
  const left = work("a", 50, 7, log, leaving.signal);
  await nextImmediate();
  leaving.abort(new Error("gone"));
  await expect(left).rejects.toThrow("gone");
  expect(log.length).toBeLessThan(50);
});

it("lets others go on after each slice, and works take turns", async () => {
  const log: string[] = [];
  const works = Promise.all([work("a", 4, 4, log), work("b", 4, 4, log)]);
  for (let tick = 0; tick < 10; tick++) {
    await nextImmediate();
    log.push("|");
  }
  await works;
  // The first step of each is done at once. The immediates of that tick follow without a look at the sockets, and so have
  // none. From then on a tick has one step of one of both.
  const ticks = log.join("").split("|");
  expect(ticks.slice(0, 4)).toEqual(["a1b1", "", "a2", "b2"]);
  expect(ticks.slice(1).filter((tick) => tick.length > 2)).toEqual([]);
  expect(log.filter((entry) => entry !== "|")).toEqual(["a1", "b1", "a2", "b2", "a3", "b3", "a4", "b4"]);
});

it("begins work at once, though others have used up the slice", async () => {
  const log: string[] = [];
  const long = work("a", 5, 4, log);
  await expect(work("b", 1, 1, log)).resolves.toBe("b");
  expect(log).toEqual(["a1", "b1"]);
  await long;
});

it("spreads very many works that begin at once over several ticks, and loses none", async () => {
  const log: string[] = [];
  const names = Array.from({ length: 100 }, (_, i) => `w${i}.`);
  const works = Promise.all(names.map((name) => work(name, 1, 5, log)));
  const perTick: number[] = [];
  for (let seen = 0; seen < names.length; seen = log.length) {
    await nextImmediate();
    perTick.push(log.length - seen);
  }
  await expect(works).resolves.toEqual(names);
  // 5 ms for those that begin, or 2 ms for those that waited.
  expect(Math.max(...perTick)).toBeLessThanOrEqual(2);
});

it("counts only what works take, not what others do in the same tick", async () => {
  const log: string[] = [];
  await work("a", 1, 1, log);
  await new Promise<void>((resolve) => {
    process.nextTick(resolve);
  });
  now += 100;
  setImmediate(() => log.push("|"));
  await work("b", 1, 1, log);
  expect(log).toEqual(["a1", "b1"]);
});

it("works for as long as the others did, within bounds", async () => {
  const stepsPerTick = async (othersMs: number): Promise<number> => {
    const log: string[] = [];
    const works = work("a", 60, 1, log);
    let most = 0;
    for (let tick = 0; log.length < 60; tick++) {
      const before = log.length;
      await nextImmediate();
      now += othersMs;
      // The first ticks end the slice of the beginning.
      if (tick > 2) most = Math.max(most, log.length - before);
    }
    await works;
    return most;
  };
  expect(await stepsPerTick(0)).toBe(2);
  expect(await stepsPerTick(6)).toBe(6);
  expect(await stepsPerTick(100)).toBe(10);
});

it("maps very many items in order, a bounded number at once, until its caller leaves", async () => {
  let running = 0;
  let most = 0;
  const items = Array.from({ length: 1_000 }, (_, n) => n);
  const double = async (n: number): Promise<number> => {
    most = Math.max(most, ++running);
    await nextImmediate();
    running--;
    return 2 * n;
  };
  expect(await mapInGroups(items, double)).toEqual(items.map((n) => 2 * n));
  expect(most).toBeLessThan(100);
  const leaving = new AbortController();
  const begun: number[] = [];
  const leave = async (n: number): Promise<void> => {
    begun.push(n);
    leaving.abort(new Error("gone"));
  };
  await expect(mapInGroups(items, leave, leaving.signal)).rejects.toThrow("gone");
  expect(begun.length).toBeLessThan(100);
});
