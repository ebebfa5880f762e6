import { expect, it } from "vitest";
import { boundedCache } from "../src/bounded-cache.ts";

it("a bounded cache keeps the entries that were used last, and tells what leaves it", () => {
  const left: string[] = [];
  const cache = boundedCache<number, string>(2, (value) => left.push(value));
  cache.set(1, "one").set(2, "two");
  expect(cache.get(1)).toBe("one");
  cache.set(3, "three");
  expect([...cache.keys()]).toEqual([3, 1]);
  cache.delete(1);
  expect(left).toEqual(["two", "one"]);
});
