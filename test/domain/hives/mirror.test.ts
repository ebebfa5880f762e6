/** When a mirror is pushed to next. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  afterPush,
  dueAt,
  retryDelay,
  statusOf,
  type MirrorState,
  type PushableRefs,
} from "../../../src/domain/hives/mirror.ts";
import { toMirrorUrl } from "../../../src/domain/hives/mirror-url.ts";
import { isOid } from "../../../src/domain/names.ts";
import { forAllSync } from "../../helpers/runs.ts";

const mirror = { url: toMirrorUrl("https://example.org/x.git"), added: new Date(0).toISOString() };
const main = "a".repeat(40);
if (!isOid(main)) throw new Error("not an object name");
const refs = (digest: string): PushableRefs => ({
  main,
  digest,
  digestWithBranches: `${digest} and branches`,
  branches: [],
});
const failed = { kind: "failed", error: "it is down" } as const;
const rejected = { kind: "rejected", error: "main was rejected" } as const;
const at = (now: number) => ({ now, random: 1 });

describe("a mirror", () => {
  it("is due when the Hive is quiet, and not after it was pushed", () => {
    const fresh: MirrorState = { mirror };
    expect(statusOf(fresh, refs("a"))).toBe("waiting");
    expect(dueAt(fresh, refs("a"), { quietAt: 7, now: 0 })).toBe(7);
    const pushed = afterPush(fresh, refs("a"), { kind: "pushed" }, at(5));
    expect(pushed.pushed).toEqual({ commit: main, refs: "a", at: new Date(5).toISOString() });
    expect(dueAt(pushed, refs("a"), { quietAt: 7, now: 9 })).toBeUndefined();
    expect(dueAt(pushed, refs("b"), { quietAt: 7, now: 9 })).toBe(7);
  });

  it("that failed is retried at its time, even if the Hive changed, and keeps its last push", () => {
    const pushed = afterPush({ mirror }, refs("a"), { kind: "pushed" }, at(0));
    const once = afterPush(pushed, refs("b"), failed, at(1_000));
    expect(once.pushed?.refs).toBe("a");
    expect(dueAt(once, refs("c"), { quietAt: 0, now: 1_000 })).toBe(3_000);
    const twice = afterPush(once, refs("c"), failed, at(3_000));
    expect(twice.failure?.attempts).toBe(2);
    expect(dueAt(twice, refs("c"), { quietAt: 0, now: 3_000 })).toBe(7_000);
    expect(afterPush(twice, refs("c"), { kind: "pushed" }, at(9_000)).failure).toBeUndefined();
  });

  it("that rejected a push is skipped until the Hive changes", () => {
    const state = afterPush({ mirror }, refs("a"), rejected, at(0));
    expect(dueAt(state, refs("a"), { quietAt: 0, now: 1e12 })).toBeUndefined();
    expect(statusOf(state, refs("b"))).toBe("waiting");
    expect(dueAt(state, refs("b"), { quietAt: 7, now: 0 })).toBe(7);
  });

  it("that gets all branches is due when one of them changes, and others are not", () => {
    const moved: PushableRefs = { ...refs("a"), digestWithBranches: "other" };
    for (const [one, due] of [
      [mirror, undefined],
      [{ ...mirror, branches: true } as const, 7],
    ] as const) {
      const pushed = afterPush({ mirror: one }, refs("a"), { kind: "pushed" }, at(5));
      expect(statusOf(pushed, refs("a"))).toBe("pushed");
      expect(dueAt(pushed, moved, { quietAt: 7, now: 9 })).toBe(due);
      const refused = afterPush({ mirror: one }, refs("a"), rejected, at(5));
      expect(dueAt(refused, refs("a"), { quietAt: 7, now: 9 })).toBeUndefined();
      expect(dueAt(refused, moved, { quietAt: 7, now: 9 })).toBe(due);
    }
  });

  it("is not delayed by a clock that was set back", () => {
    const state = afterPush({ mirror }, refs("a"), failed, at(1e12));
    expect(dueAt(state, refs("a"), { quietAt: 0, now: 1_000 })).toBe(1_000);
  });
});

it("the delay of a retry doubles up to half an hour, and is never less than half of that", () => {
  expect([1, 2, 3, 4].map((attempts) => retryDelay(attempts, 1))).toEqual([2_000, 4_000, 8_000, 16_000]);
  forAllSync(
    75,
    fc.integer({ min: 1, max: 5_000 }),
    fc.double({ min: 0, max: 1, noNaN: true }),
    (n, random) => {
      const longest = retryDelay(n, 1);
      const delay = retryDelay(n, random);
      expect(longest).toBeLessThanOrEqual(30 * 60_000);
      expect(delay).toBeGreaterThanOrEqual(longest / 2);
      expect(delay).toBeLessThanOrEqual(longest);
    },
  );
});
