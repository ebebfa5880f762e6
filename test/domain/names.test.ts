import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Issues } from "../../src/domain/errors.ts";
import { checkClashes, fileNameProblem, isFileName, isHiveSlug, stemOf } from "../../src/domain/names.ts";
import { fileNamed } from "../helpers/hive.ts";
import { forAllSync } from "../helpers/runs.ts";

describe("the parser of file names", () => {
  it.each([
    "auth.php",
    "en.json",
    "admin/menu.php",
    "a",
    "日本語.php",
    "a b.php",
    "a..b.php",
    "comma,name",
    "x~y",
    "__proto__",
  ])("accepts %s", (name) => expect(fileNameProblem(name)).toBeUndefined());

  it.each([
    ["", "empty"],
    ["/abs.php", "no empty part"],
    ["a//b.php", "no empty part"],
    ["a/", "no empty part"],
    ["../up.php", "starts with a dot"],
    ["./a.php", "starts with a dot"],
    [".git/config", "starts with a dot"],
    [".gitmodules", "starts with a dot"],
    ["a/.GIT/x", "starts with a dot"],
    ["a.", "ends with a dot"],
    ["a /b", "ends with a dot or a space"],
    ["a\\b", "U+005C"],
    ["a:b", "U+003A"],
    ["a*b", "U+002A"],
    ['a"b', "U+0022"],
    ["a|b", "U+007C"],
    ["a\nb", "U+000A"],
    ["a\u007fb", "U+007F"],
    ["\u200b.git", "U+200B"],
    [".g\u200cit", "starts with a dot"],
    ["git~1", "~ followed by a digit"],
    ["GITMOD~2/x", "~ followed by a digit"],
    ["con", "device"],
    ["Aux.php", "device"],
    ["a/NUL.tar.gz", "device"],
    ["com1.json", "device"],
    ["lpt².x", "device"],
    ["e\u0301.php", "NFC"],
    ["\ud800.php", "surrogate"],
    ["a\0b", "NUL"],
    ["x".repeat(201), "200 bytes"],
    [`${"x".repeat(150)}/${"y".repeat(105)}`, "255 bytes"],
    ["é".repeat(101), "200 bytes"],
  ])("refuses %j: %s", (name, why) => expect(fileNameProblem(name)).toContain(why));

  it("has at most 200 bytes in a part and 255 in all", () => {
    for (const name of ["x".repeat(200), "é".repeat(100), `${"x".repeat(150)}/${"y".repeat(104)}`])
      expect(fileNameProblem(name)).toBeUndefined();
  });

  it("never accepts a name that leaves its folder or is git's own, however it is made", () => {
    const piece = fc.constantFrom("..", ".", "/", "\\", "a", ".git", "~1", "\u200d", ":", "con", " ");
    forAllSync(75, fc.array(piece, { minLength: 1, maxLength: 8 }), (pieces) => {
      const name = pieces.join("");
      if (!isFileName(name)) return;
      for (const part of name.split("/")) {
        expect(part).not.toMatch(/^\.|^$|[\\:]|~\d|\u200d/u);
        expect(part.toLowerCase().split(".")[0]).not.toBe("con");
      }
    });
  });

  it.each([
    ["auth.php", "auth"],
    ["admin/menu.php", "admin/menu"],
    ["a.b.php", "a.b"],
    ["README", "README"],
    ["v1.2/menu", "v1.2/menu"],
  ])("the stem of %s is %s", (name, stem) => expect(stemOf(name)).toBe(stem));
});

describe("the check for clashes of stored paths", () => {
  function clashes(all: readonly string[], given = all): string | undefined {
    const issues = new Issues();
    checkClashes(all.map(fileNamed), new Set(given.map(fileNamed)), issues);
    try {
      issues.throwIfAny();
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : undefined;
    }
  }

  it("names both files that differ only by case, on the one that was given", () => {
    expect(clashes(["Auth.php", "auth.php"], ["auth.php"])).toMatch(
      /^files\.auth\.php: .*Auth\.php only by case/,
    );
    expect(clashes(["straße.php", "STRASSE.php"])).toContain("only by case");
  });

  it("refuses a file where a folder is stored, either way round and in any case", () => {
    expect(clashes(["a.php", "a.php.json/x.php"])).toContain("cannot be stored beside");
    expect(clashes(["A.PHP", "a.php.json/b/x.php"], ["A.PHP"])).toMatch(
      /^files\.A\.PHP: .*a\.php\.json\/b\/x\.php/,
    );
  });

  it("accepts similar names, and ignores clashes that existed before", () => {
    expect(clashes(["auth.php", "auth.json", "auth/x.php", "Auth/y.php"])).toBeUndefined();
    expect(clashes(["A.php", "a.php", "new.php"], ["new.php"])).toBeUndefined();
  });
});

describe("the parser of slugs", () => {
  it.each(["a", "web", "a-b", "0", "a".repeat(64)])("accepts %s", (slug) =>
    expect(isHiveSlug(slug)).toBe(true),
  );
  it.each(["", "-a", "a-", "A", "a_b", "a/b", "..", "a.git", "a\n", "a".repeat(65), "--help"])(
    "refuses %j",
    (slug) => expect(isHiveSlug(slug)).toBe(false),
  );
});
