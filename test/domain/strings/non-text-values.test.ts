import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Issues } from "../../../src/domain/errors.ts";
import { skipNonTextValues } from "../../../src/domain/strings/non-text-values.ts";
import { toSourceFiles, toTranslationFiles } from "../../../src/domain/strings/payload.ts";
import { forAll } from "../../helpers/runs.ts";

describe("leaves that are not texts", () => {
  it.each<[string, unknown, unknown, number]>([
    ["in objects go", { a: 1, b: "x", c: null, d: true }, { b: "x" }, 3],
    ["go with groups that hold nothing else", { a: { b: [1, { c: 2 }] }, d: "x" }, { d: "x" }, 2],
    ["do not take empty groups with them", { a: [], b: { c: {}, d: 1 } }, { a: [], b: { c: {} } }, 1],
    ["hold their places in lists", [null, "x", 1, [2], { a: 3 }, "y"], ["", "x", "", [], {}, "y"], 4],
    ["at the end of lists go", ["x", 1, [2]], ["x"], 2],
    ["leave an empty file", [1, [2]], {}, 2],
    ["keep what is beside them: __proto__", JSON.parse('{"__proto__": {"a": "x", "b": 1}}'), undefined, 1],
  ])("are skipped: %s", async (_, content, left, skipped) => {
    const found = await skipNonTextValues({ "a.json": content }, "source");
    const expected = left ?? JSON.parse('{"__proto__": {"a": "x"}}');
    expect(found).toEqual({ files: { "a.json": expected }, skipped });
  });

  it("stay out of translations by their keys, where null is an empty text", async () => {
    const { files, skipped } = await skipNonTextValues(
      { "a.json": { list: [1, null, "x"] } },
      "translations",
    );
    expect(skipped).toBe(1);
    expect((await toTranslationFiles(files)).get("a.json")).toEqual(
      new Map([
        ["list.1", ""],
        ["list.2", "x"],
      ]),
    );
  });

  it("skipping leaves reports no other problem, and changes nothing if all leaves are texts", async () => {
    for (const files of [null, 1, [], ["x"], { "a.json": 1 }, { "a.json": "x" }]) {
      expect(await skipNonTextValues(files, "source")).toEqual({ files, skipped: 0 });
    }
    await forAll(75, fc.dictionary(fc.constant("a.json"), fc.jsonValue({ maxDepth: 5 })), async (files) => {
      const found = await skipNonTextValues(files, "source");
      expect(await skipNonTextValues(found.files, "source")).toEqual({ files: found.files, skipped: 0 });
      const isGroup = Object.values(files).every(
        (content) => typeof content === "object" && content !== null,
      );
      const isPlain = !/\\u|\./u.test(JSON.stringify(files).replace("a.json", ""));
      if (isGroup && isPlain) await toSourceFiles(found.files);
    });
  });
});

it("leaves that are not texts are named in the message, twenty of them, with advice", async () => {
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`k${i}`, i]));
  const names = Array.from({ length: 19 }, (_, i) => `files.a.json.k${i + 1}`).join(", ");
  for (const read of [toSourceFiles, toTranslationFiles]) {
    await expect(read({ "a.json": many })).rejects.toThrow(
      `files.a.json.k0: must be text, not number (and 29 more): ${names}; ?leaves=skip leaves out what is not text`,
    );
  }
  const issues = new Issues();
  issues.add("x", "is wrong");
  expect(() => issues.throwIfAny()).toThrow(/^x: is wrong$/);
});
