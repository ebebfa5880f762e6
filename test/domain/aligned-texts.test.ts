import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { alignTexts, isAligned } from "../../src/domain/aligned-texts.ts";
import type { Texts } from "../../src/domain/string-file.ts";

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

describe("translations beside the keys of their source", () => {
  it("are the same texts, in any part and any order, with keys of their own too", () => {
    const text = fc.tuple(fc.constantFrom(...keys, "other", "0"), fc.string());
    fc.assert(
      fc.property(fc.array(text, { maxLength: 8 }), (entries) => {
        const texts = new Map(entries);
        expect(everythingOf(alignTexts(texts, source))).toEqual(everythingOf(texts));
      }),
    );
  });

  it("are a list when they have the source's keys in its order, few of them missing", () => {
    const some = new Map([...source].filter(([key]) => key !== "b.c"));
    expect(alignTexts(some, source)).not.toBeInstanceOf(Map);
    expect(everythingOf(alignTexts(some, source))).toEqual(everythingOf(some));
  });

  it.each<[string, Texts, Texts | undefined]>([
    ["no source file", source, undefined],
    ["another order", new Map([...source].toReversed()), source],
    ["a key that the source has not", new Map([...source, ["other", "x"]]), source],
    ["few of the source's keys", new Map([["length", "x"]]), source],
  ])("stay as they are with %s", (_, texts, like) => {
    expect(alignTexts(texts, like)).toBe(texts);
  });

  it("are known to be beside this source, and no other", () => {
    const aligned = alignTexts(new Map(source), source);
    expect(isAligned(aligned, source)).toBe(true);
    expect(isAligned(aligned, new Map(source))).toBe(false);
    expect(isAligned(source, source)).toBe(false);
    expect(isAligned(source, new Map(source))).toBe(false);
  });

  it("stay what they were when the source changes", () => {
    const changing = new Map(source);
    const aligned = alignTexts(new Map(source), changing);
    changing.delete("a");
    expect(everythingOf(aligned)).toEqual(everythingOf(source));
  });
});
