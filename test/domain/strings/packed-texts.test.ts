import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { isPackedFor, packTexts, readPacked } from "../../../src/domain/strings/packed-texts.ts";
import { Issues } from "../../../src/domain/errors.ts";
import { flatten, type Texts } from "../../../src/domain/strings/string-file.ts";
import { forAllSync } from "../../helpers/runs.ts";

const source: Texts = new Map(
  ["a", "b.c", "b.d", "__proto__", "length"].map((key) => [key, `Text of ${key}`]),
);
const keys = [...source.keys()];

function everythingOf(texts: Texts): unknown {
  const visited: unknown[] = [];
  texts.forEach((text, key, all) => visited.push([key, text, all === texts]));
  const asked = [...keys, "other", "0", "constructor"].map((key) => [key, texts.get(key), texts.has(key)]);
  return [
    texts.size,
    [...texts],
    [...texts.entries()],
    [...texts.keys()],
    [...texts.values()],
    visited,
    asked,
  ];
}

describe("packed translations", () => {
  it("are the same texts, for any subset and order, and with keys of their own", () => {
    const text = fc.tuple(fc.constantFrom(...keys, "other", "0"), fc.string());
    forAllSync(75, fc.array(text, { maxLength: 8 }), (entries) => {
      const texts = new Map(entries);
      expect(everythingOf(packTexts(texts, source))).toEqual(everythingOf(texts));
    });
  });

  it("translations are packed when they have the source's order, and few are missing", () => {
    const some = new Map([...source].filter(([key]) => key !== "b.c"));
    const packed = packTexts(some, source);
    expect(isPackedFor(packed, source)).toBe(true);
    expect(everythingOf(packed)).toEqual(everythingOf(some));
  });

  it.each<[string, Texts, Texts | undefined]>([
    ["no source file", source, undefined],
    ["another order", new Map([...source].toReversed()), source],
    ["a key that the source has not", new Map([...source, ["other", "x"]]), source],
    ["few of the source's keys", new Map([["length", "x"]]), source],
  ])("translations are not packed with %s", (_, texts, like) => {
    expect(packTexts(texts, like)).toBe(texts);
  });

  it("are recognised for their own source, and no other", () => {
    const packed = packTexts(new Map(source), source);
    expect(isPackedFor(packed, source)).toBe(true);
    expect(isPackedFor(packed, new Map(source))).toBe(false);
    expect(isPackedFor(source, source)).toBe(false);
    expect(isPackedFor(source, new Map(source))).toBe(false);
  });

  it("stay what they were when the source changes", () => {
    const changing = new Map(source);
    const packed = packTexts(new Map(source), changing);
    changing.delete("a");
    expect(everythingOf(packed)).toEqual(everythingOf(source));
  });
});

describe("many packed translations", () => {
  const many: Texts = new Map(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, `Text ${i}`]));
  const some = new Map([...many].filter(([, text]) => !text.endsWith("7")));

  it("are the same texts, however often and in whichever order they are read", () => {
    expect(everythingOf(packTexts(some, many))).toEqual(everythingOf(some));
    const packed = packTexts(some, many);
    const reversed = [...many.keys()].toReversed();
    expect(reversed.map((key) => packed.get(key))).toEqual(reversed.map((key) => some.get(key)));
    expect([...packed]).toEqual([...some]);
  });

  it("are not all decoded for one of them", () => {
    const packed = packTexts(some, many);
    const decode = vi.spyOn(TextDecoder.prototype, "decode");
    expect(packed.get("k2500")).toBe("Text 2500");
    expect(packed.get("k2501")).toBe("Text 2501");
    expect(decode).toHaveBeenCalledTimes(1);
  });

  it("are found without a Map of all keys, also where each is asked for several times", () => {
    const packed = packTexts(some, many);
    const keysOfMany = [...many.keys()];
    const set = vi.spyOn(Map.prototype, "set");
    for (const key of keysOfMany) for (let time = 0; time < 3; time++) packed.get(key);
    expect(set).not.toHaveBeenCalled();
  });

  it("are found by their keys in any other order, too", () => {
    const packed = packTexts(some, many);
    const sorted = [...many.keys(), "other"].toSorted();
    expect(sorted.map((key) => packed.get(key))).toEqual(sorted.map((key) => some.get(key)));
  });
});

describe("the reader of packed translations", () => {
  /** What the long way makes of a value; undefined when it finds anything wrong. */
  function readSlowly(value: unknown): Texts | undefined {
    const issues = new Issues();
    const { texts } = flatten(value, "file", issues);
    try {
      issues.throwIfAny();
    } catch {
      return undefined;
    }
    return packTexts(new Map([...texts].filter(([, text]) => text !== "")), source);
  }

  it("gives what the general reader gives, and nothing for invalid content", () => {
    const name = fc.constantFrom(...keys, "b", "c", "d", "other", "0", "");
    const wrong = fc.constantFrom<unknown>("a\0b", "\ud800", null, 1, true, {}, []);
    const { node } = fc.letrec((tie) => ({
      node: fc.oneof({ maxDepth: 3 }, { weight: 6, arbitrary: fc.string() }, tie("group"), wrong),
      group: fc
        .array(fc.tuple(name, tie("node")), { maxLength: 4 })
        .map((members) => JSON.parse(`{${members.map((pair) => pair.map(toJson).join(":")).join(",")}}`)),
    }));
    const some = fc.subarray([...source]).map((texts) => Object.fromEntries(texts));
    forAllSync(250, fc.oneof(node, some), (value) => {
      const read = readPacked(value, source);
      const slowly = readSlowly(value);
      if (read === undefined) return;
      expect(slowly).toBeDefined();
      expect(isPackedFor(read, source)).toBe(true);
      expect(everythingOf(read)).toEqual(everythingOf(slowly ?? new Map()));
    });
  });

  it.each<[string, unknown, readonly [string, string][]]>([
    [
      "in the source's shape",
      { a: "1", b: { c: "2", d: "3" } },
      [
        ["a", "1"],
        ["b.c", "2"],
        ["b.d", "3"],
      ],
    ],
    [
      "in another shape",
      { a: "1", "b.c": "2", length: "3" },
      [
        ["a", "1"],
        ["b.c", "2"],
        ["length", "3"],
      ],
    ],
    [
      "with empty texts",
      { a: "", b: { c: "2", d: "" }, length: "3" },
      [
        ["b.c", "2"],
        ["length", "3"],
      ],
    ],
    [
      "as a list",
      ["0", "1"],
      [
        ["0", "0"],
        ["1", "1"],
      ],
    ],
  ])("reads %s", (_, value, texts) => {
    const like = Array.isArray(value)
      ? new Map([
          ["0", "a"],
          ["1", "b"],
        ])
      : source;
    expect([...(readPacked(value, like) ?? [])]).toEqual(texts);
  });

  it.each<[string, unknown]>([
    ["a key that the source has not", { a: "1", other: "2" }],
    ["another order", { length: "1", a: "2" }],
    ["a key in two spellings", { "b.c": "1", b: { c: "2" } }],
    ["a NUL character", { a: "1\0" }],
    ["half of a UTF-16 pair", { a: "\ud83d" }],
    ["a number", { a: "1", length: 2 }],
    ["null", { a: null }],
    ["an empty group", { a: "1", b: {} }],
    ["no object", "a"],
    ["few of the source's keys", { a: "1" }],
  ])("leaves %s to the general reader", (_, value) => expect(readPacked(value, source)).toBeUndefined());

  it("leaves too deep nesting to the general reader", () => {
    const nested = (depth: number): unknown => (depth === 0 ? "text" : { k: nested(depth - 1) });
    const like = (depth: number): Texts =>
      new Map([[Array.from({ length: depth }, () => "k").join("."), "x"]]);
    expect(readPacked(nested(32), like(32))?.size).toBe(1);
    expect(readPacked(nested(33), like(33))).toBeUndefined();
  });
});

function toJson(value: unknown): string {
  return JSON.stringify(value);
}
