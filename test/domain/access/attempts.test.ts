import { describe, expect, it } from "vitest";
import { Attempts } from "../../../src/domain/access/attempts.ts";

const minute = 60_000;

/** Makes failing attempts. @returns how many were let through. */
function fail(attempts: Attempts, name: string, place: string, times: number, now = 0): number {
  const results = Array.from({ length: times }, () => attempts.begin(name, place, now));
  return results.filter((result) => typeof result === "function").length;
}

describe("attempts to sign in", () => {
  it("fail ten times for each name and place in 15 minutes", () => {
    const attempts = new Attempts();
    expect(fail(attempts, "lea", "a", 12)).toBe(10);
    expect(attempts.begin("lea", "a", 5 * minute)).toBe(600);
    expect([fail(attempts, "luc", "a", 1), fail(attempts, "lea", "b", 1)]).toEqual([1, 1]);
    expect(fail(attempts, "lea", "a", 12, 15 * minute)).toBe(10);
  });

  it("fail a hundred times for each place, whatever the names", () => {
    const attempts = new Attempts();
    const through = Array.from({ length: 120 }, (_, i) => fail(attempts, `n${i}`, "a", 1));
    expect(through.filter((count) => count === 1)).toHaveLength(100);
    expect(fail(attempts, "lea", "b", 1)).toBe(1);
  });

  it("are not counted when they succeed, however many there are", () => {
    const attempts = new Attempts();
    for (let i = 0; i < 500; i++) {
      const succeeded = attempts.begin("lea", "a", 0);
      expect(typeof succeeded).toBe("function");
      if (typeof succeeded === "function") succeeded();
    }
  });

  it("that succeed take back the failures of their name, and not those of others", () => {
    const attempts = new Attempts();
    fail(attempts, "luc", "a", 10);
    fail(attempts, "lea", "a", 9);
    const succeeded = attempts.begin("lea", "a", 0);
    if (typeof succeeded === "function") succeeded();
    expect([fail(attempts, "lea", "a", 12), fail(attempts, "luc", "a", 1)]).toEqual([10, 0]);
  });

  it("do not count from a time that is still to come: a clock was wrong and was set back", () => {
    const attempts = new Attempts();
    fail(attempts, "lea", "a", 10, 1_000_000 * minute);
    expect(fail(attempts, "lea", "a", 12)).toBe(10);
  });

  it("that run at once are counted before they end", () => {
    const attempts = new Attempts();
    const begun = Array.from({ length: 50 }, () => attempts.begin("lea", "a", 0));
    expect(begun.filter((one) => typeof one === "function")).toHaveLength(10);
  });

  it("from very many places take no more memory", () => {
    const attempts = new Attempts();
    fail(attempts, "lea", "first", 10);
    for (let i = 0; i < 30_000; i++) fail(attempts, "lea", `${i}`, 1);
    // The first place was forgotten, the last ones were not.
    expect(fail(attempts, "lea", "first", 1)).toBe(1);
    expect(fail(attempts, "lea", "29999", 12)).toBe(9);
  });
});
