import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Issues } from "../../../src/domain/errors.ts";
import { stringFile, text } from "../../helpers/arbitraries.ts";
import { contentOf } from "../../helpers/hive.ts";
import {
  flatten,
  formatGroup,
  fromGroup,
  readFlatFile,
  sameGroup,
  toStringFile,
  type StringFile,
} from "../../../src/domain/strings/string-file.ts";
import { forAll, forAllSync } from "../../helpers/runs.ts";

function faults(value: unknown, options = {}): string {
  const issues = new Issues();
  flatten(value, "files.a.php", issues, options);
  try {
    issues.throwIfAny();
    return "";
  } catch (error) {
    return error instanceof Error ? error.message : "";
  }
}

/** Expects what the checks of {@link toStringFile} let through. */
function expectSameFile(file: StringFile, blob: string): void {
  const issues = new Issues();
  const expected = toStringFile(JSON.parse(blob), "file", issues);
  issues.throwIfAny();
  expect([...file.texts]).toEqual([...expected.texts]);
  expect(Object.entries(file.group)).toEqual(Object.entries(expected.group));
  expect(file.hasEmptyGroup).toBe(expected.hasEmptyGroup);
  expect(file.plurals).toEqual(expected.plurals);
}

describe("flattening", () => {
  it.each<[unknown, Record<string, string>]>([
    [{ nav: { home: "Home" } }, { "nav.home": "Home" }],
    [{ days: ["Mon", "Tue"] }, { "days.0": "Mon", "days.1": "Tue" }],
    [
      { a: "x", "a.b": "y" },
      { a: "x", "a.b": "y" },
    ],
    [{ "Hello. How are you?": "Hi" }, { "Hello. How are you?": "Hi" }],
    [
      { "": "e", a: { "": "f" } },
      { "": "e", "a.": "f" },
    ],
    [[], {}],
    [["x", { y: "z" }], { "0": "x", "1.y": "z" }],
    [{ attributes: [], custom: {} }, {}],
    [{ empty: "" }, { empty: "" }],
  ])("of %j gives %j", (value, texts) => expect(Object.fromEntries(contentOf(value).texts)).toEqual(texts));

  it("takes __proto__, constructor and toString for ordinary keys", () => {
    const value: unknown = JSON.parse('{"__proto__":"a","constructor":{"__proto__":"b"},"toString":"c"}');
    expect([...contentOf(value).texts]).toEqual([
      ["__proto__", "a"],
      ["constructor.__proto__", "b"],
      ["toString", "c"],
    ]);
  });

  it("puts integer-like names first, ascending, as they are after a restart", () => {
    const { texts } = contentOf(JSON.parse('{"b":"1","10":"2","a":"3","2":"4"}'));
    expect([...texts.keys()]).toEqual(["2", "10", "b", "a"]);
  });

  it.each<[unknown, string]>([
    ["text", "files.a.php: must be an object"],
    [null, "files.a.php: must be an object"],
    [{ a: 1 }, "files.a.php.a: must be text, not number"],
    [{ a: { b: true } }, "files.a.php.a.b: must be text, not boolean"],
    [{ a: [null] }, "files.a.php.a.0: must be text, not null"],
    [{ a: "\ud800" }, "files.a.php.a: must not contain a lone surrogate"],
    [{ "a\udc00": "x" }, "must not contain a lone surrogate"],
    [{ a: "x\0" }, "files.a.php.a: must not contain a NUL"],
    [{ ["k".repeat(4097)]: "x" }, "longer than 4096 bytes"],
    [{ ["é".repeat(2049)]: "x" }, "longer than 4096 bytes"],
  ])("refuses %j", (value, why) => expect(faults(value)).toContain(why));

  it("accepts a key of exactly 4,096 bytes", () => {
    expect(faults({ ["k".repeat(4096)]: "x", ["é".repeat(2048)]: "y" })).toBe("");
  });

  it("names both spellings of a key", () => {
    expect(faults({ "a.b": "x", a: { b: "y" } })).toBe(
      'files.a.php.a.b: is spelled in two ways in one file: "a.b" and "a" > "b"',
    );
  });

  it("accepts 32 levels and refuses 33", () => {
    const nested = (levels: number): unknown => (levels === 0 ? "x" : { a: nested(levels - 1) });
    expect(faults(nested(32))).toBe("");
    expect(faults(nested(33))).toContain("nested deeper than 32 levels");
  });

  it("reads null as an empty text only where that is asked for", () => {
    expect(faults({ a: null }, { nullIsEmpty: true })).toBe("");
    expect(faults({ a: 1 }, { nullIsEmpty: true })).toContain("must be text");
  });

  it("refuses a payload whose keys are far longer than the payload", () => {
    const leaves = Object.fromEntries(Array.from({ length: 9_000 }, (_, i) => [`k${i}`, "x"]));
    expect(faults({ ["p".repeat(4_000)]: leaves })).toContain(
      "flattens to keys of more than 33554432 characters",
    );
  });

  it("formats only the faults that it lists", () => {
    let worked = 0;
    const issues = new Issues();
    for (let i = 0; i < 1_000; i++) issues.add("x", () => String(worked++));
    expect(worked).toBe(Issues.limit);
    expect(() => issues.throwIfAny()).toThrow("x: 0 (and 999 more)");
  });

  it("counts faults beyond those it lists", () => {
    expect(faults(Array.from({ length: 200 }, () => 1))).toMatch(/\(and 199 more\): files\.a\.php\.1, /);
  });
});

describe("a file's blob", () => {
  it("is 2-space JSON, one key a line, non-ASCII as is, with a final newline", () => {
    expect(formatGroup({ a: { b: "é\n" }, c: ["x"], d: [] })).toBe(
      '{\n  "a": {\n    "b": "é\\n"\n  },\n  "c": [\n    "x"\n  ],\n  "d": []\n}\n',
    );
  });

  it("gives back the same shape, order and keys", () => {
    forAllSync(75, stringFile, (file) => {
      const reread = toStringFile(JSON.parse(formatGroup(file.group)), "file", new Issues());
      expect(sameGroup(file.group, reread.group)).toBe(true);
      expect([...reread.texts]).toEqual([...file.texts]);
      expect([...fromGroup(file.group).texts]).toEqual([...file.texts]);
    });
  });

  const members = fc.dictionary(
    fc.oneof(fc.constantFrom("a_one", "a_other", "__proto__"), fc.string()),
    text,
  );

  it("is read in the faster way with the same result", async () => {
    await forAll(75, members, async (group) => {
      const blob = formatGroup(group);
      const file = await readFlatFile(blob);
      const isFlat = Object.keys(group).every((key) => !/^\d|\0/.test(key)) && !blob.includes('": {');
      expect(file !== undefined).toBe(isFlat && blob !== "{}\n");
      if (file !== undefined) expectSameFile(file, blob);
    });
  });

  it("is read in the faster way only where it is JSON of texts", async () => {
    const piece = fc.constantFrom(
      '": "',
      '",\n  "',
      '", "',
      '"',
      "\\",
      ",",
      "0",
      ',0,"',
      "{",
      "]",
      "[",
      '"0": "x",',
    );
    const edits = fc.array(fc.record({ at: fc.nat(200), length: fc.nat(2), piece }), { maxLength: 3 });
    await forAll(75, members, edits, async (group, changes) => {
      const blob = changes.reduce(
        (before, { at, length, piece: added }) => before.slice(0, at) + added + before.slice(at + length),
        formatGroup(group),
      );
      const file = await readFlatFile(blob);
      if (file !== undefined) expectSameFile(file, blob);
    });
  });

  it("a comparison of files detects different shapes", () => {
    expect(sameGroup({ a: "x", b: "y" }, { b: "y", a: "x" })).toBe(false);
    expect(sameGroup(["x"], { 0: "x" })).toBe(false);
    expect(sameGroup({ a: [] }, { a: {} })).toBe(false);
    expect(sameGroup({ a: "x" }, { a: "y" })).toBe(false);
    expect(sameGroup({ a: "x" }, { a: "y" }, "shape")).toBe(true);
    expect(sameGroup({ a: "x" }, { a: {} }, "shape")).toBe(false);
  });
});
