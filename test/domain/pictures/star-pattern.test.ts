import fc from "fast-check";
import { expect, it } from "vitest";
import { starMatcher } from "../../../src/domain/pictures/star-pattern.ts";
import { forAllSync } from "../../helpers/runs.ts";

it.each([
  ["login.title", "login.title", true],
  ["login.title", "login.titles", false],
  ["login.*", "login.", true],
  ["*", "", true],
  ["**", "a", true],
  ["a*a", "a", false],
  ["a*a", "aa", true],
  ["*ab*ab*", "aab", false],
  ["*aab*", "aaab", true],
  ["*a*b", "ab.b", true],
  ["*.title", "login.title.text", false],
])("whether %j matches %j: %j", (pattern, text, isMatch) => {
  expect(starMatcher(pattern)(text)).toBe(isMatch);
});

it("matches what a regular expression matches", () => {
  const few = (...characters: readonly string[]) =>
    fc.array(fc.constantFrom(...characters), { maxLength: 12 }).map((all) => all.join(""));
  forAllSync(300, few("a", "b", "*"), few("a", "b"), (pattern, text) => {
    const expected = new RegExp(`^${pattern.replaceAll("*", ".*")}$`).test(text);
    expect(starMatcher(pattern)(text)).toBe(expected);
  });
});
