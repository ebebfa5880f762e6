import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isFailure } from "../../../src/domain/errors.ts";
import { checkPattern, lastRule, matchesPattern } from "../../../src/domain/files/file-rules.ts";
import { forAllSync } from "../../helpers/runs.ts";

describe("matchesPattern", () => {
  it.each([
    ["*.json", "en.json", true],
    ["*.json", "admin/en.json", true],
    ["*.json", "en.json.php", false],
    ["admin/*.json", "admin/en.json", true],
    ["admin/*.json", "admin/deep/en.json", false],
    ["admin/**/*.json", "admin/en.json", true],
    ["admin/**/*.json", "admin/a/b/en.json", true],
    ["**/menu.php", "menu.php", true],
    ["auth.php", "auth.php", true],
    ["auth.php", "authXphp", false],
    ["a**", "abc", true],
    ["💡*", "💡x", true],
  ])("%s and %s: %s", (pattern, file, expected) => {
    expect(matchesPattern(pattern, file)).toBe(expected);
  });

  it("matches what a regular expression of the pattern matches", () => {
    const parts = fc
      .array(fc.constantFrom("a", "b", "/", "*", "."))
      .map((all) => all.join("").replaceAll(/\*+/g, "*"));
    const names = fc.array(fc.constantFrom("a", "b", "/", ".")).map((all) => all.join(""));
    forAllSync(300, parts, names, (pattern, name) => {
      const source = pattern.replaceAll(".", String.raw`\.`).replaceAll("*", "[^/]*");
      const target = pattern.includes("/") ? name : name.slice(name.lastIndexOf("/") + 1);
      expect(matchesPattern(pattern, name)).toBe(new RegExp(`^${source}$`).test(target));
    });
  });

  // A matcher that tries one way after the other runs into the time limit of tests.
  it("takes no longer with many stars", () => {
    expect(matchesPattern("*a".repeat(100), "a".repeat(255))).toBe(true);
    expect(matchesPattern(`${"*a".repeat(90)}b`, "a".repeat(255))).toBe(false);
  });
});

describe("checkPattern", () => {
  it.each(["", "a\\b", "a\u0000", "***", "x".repeat(201)])("refuses %j", (files) => {
    expect(() => checkPattern(files, "checks")).toThrow(
      expect.toSatisfy((error: unknown) => isFailure(error, "invalid")),
    );
  });
});

it("the last rule that matches a file counts", () => {
  const rules = [{ files: "*.json" }, { files: "admin/*.json" }, { files: "*.php" }];
  expect(lastRule(rules, "admin/en.json")).toBe(rules[1]);
  expect(lastRule(rules, "en.json")).toBe(rules[0]);
  expect(lastRule(rules, "en.yml")).toBeUndefined();
});
