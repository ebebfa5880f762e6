/** What is known of an engine: amounts of a day, and when one that fails is asked again. */
import { describe, expect, it } from "vitest";
import { toEngineName } from "../../../src/domain/engines/engine.ts";
import {
  afterAnswer,
  afterFault,
  charactersLeft,
  restsUntil,
  useOf,
  withAmounts,
  type EngineUse,
} from "../../../src/domain/engines/engine-use.ts";

const name = toEngineName("a");
const now = Date.parse("2026-03-04T12:00:00Z");
const fresh = useOf(undefined, name, now);
const down = { kind: "down", error: "it answered with 500" } as const;

function failed(times: number, fault: Parameters<typeof afterFault>[1] = down): EngineUse {
  let use = fresh;
  for (let i = 0; i < times; i++) use = afterFault(use, fault, now);
  return use;
}

describe("amounts", () => {
  it("are of one day, and begin anew with the next", () => {
    const used = withAmounts(fresh, { characters: 10, requests: 1 });
    expect(useOf(used, name, now + 11 * 3_600_000)).toBe(used);
    expect(useOf(used, name, now + 12 * 3_600_000)).toEqual({ ...fresh, day: "2026-03-05" });
    expect(charactersLeft(used, 12)).toBe(2);
    expect(charactersLeft(used, undefined)).toBe(Infinity);
    expect(withAmounts(used, { characters: -20 }).characters).toBe(0);
  });
});

describe("an engine is left alone", () => {
  it.each([
    [1, 0],
    [4, 0],
    [5, 30_000],
    [6, 60_000],
    [20, 30 * 60_000],
  ])("after %i failures for %i ms", (times, ms) => {
    expect(restsUntil(failed(times), now)).toBe(ms === 0 ? undefined : now + ms);
  });

  it("for as long as it asks, up to ten minutes", () => {
    expect(restsUntil(failed(1, { ...down, retryAfterMs: 7_000 }), now)).toBe(now + 7_000);
    expect(restsUntil(failed(1, { ...down, retryAfterMs: 9e9 }), now)).toBe(now + 600_000);
  });

  it("for the day where its own quota is used up", () => {
    expect(restsUntil(failed(1, { kind: "spent", error: "it is" }), now)).toBe(
      Date.parse("2026-03-05T00:00:00Z"),
    );
  });

  it("not after an answer, and not by a clock that was wrong", () => {
    expect(restsUntil(afterAnswer(failed(9)), now)).toBeUndefined();
    expect(restsUntil(failed(9), now - 3 * 86_400_000)).toBeUndefined();
  });
});
