import { describe, expect, it } from "vitest";
import { isPlural } from "../../../src/domain/text.ts";
import { checkQuota, checkDeletions } from "../../../src/domain/plans/quota.ts";

describe("the quota", () => {
  it.each<[number | undefined, number, number, number, boolean]>([
    [undefined, 0, 0, 1e9, true],
    [10, 0, 0, 10, true],
    [10, 0, 0, 11, false],
    [10, 5, 5, 6, false],
    [10, 5, 4, 5, true],
    // Above the limit already: what does not grow passes.
    [10, 20, 5, 5, true],
    [10, 20, 5, 4, true],
    [10, 20, 5, 6, false],
    [0, 0, 0, 0, true],
    [0, 0, 0, 1, false],
  ])("of %j with %i elsewhere, from %i to %i, gives %j", (maxStrings, elsewhere, before, after, passes) => {
    const check = () => checkQuota({ maxStrings, elsewhere, before, after });
    if (passes) expect(check).not.toThrow();
    else expect(check).toThrow("String limit reached for your plan.");
  });
});

describe("a plural", () => {
  it.each<[string, boolean]>([
    ["{count} apple|{count} apples", true],
    ["{count}|{count}|{count}", true],
    ["one|{count}", false],
    ["{count} apple|", false],
    ["{count} apples", false],
    ["a|b", false],
    ["", false],
  ])("a count with its noun is written in singular or plural: %j: %j", (text, expected) =>
    expect(isPlural(text)).toBe(expected),
  );
});

it.each<[number, number | undefined]>([
  [0, 0],
  [1, 1],
  [1_000_000, undefined],
  [5, Infinity],
])("the limit on deletions allows %d deletions for a limit of %s", (deleted, max) => {
  expect(() => checkDeletions({ created: 0, deleted }, max)).not.toThrow();
});

it("the limit on deletions refuses more, and says how many there are and what to send", () => {
  expect(() => checkDeletions({ created: 0, deleted: 1 }, 0)).toThrow(
    "max_deletions: this would delete 1 source string and may delete 0; nothing was written. " +
      "If it is meant, send max_deletions=1",
  );
});
