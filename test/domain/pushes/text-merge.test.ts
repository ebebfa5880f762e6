import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergeTexts } from "../../../src/domain/pushes/text-merge.ts";
import { forAll } from "../../helpers/runs.ts";

const mark = "a mark that no text has";

async function merged(base: unknown, ours: unknown, theirs: unknown) {
  const [before, here, there] = [base, ours, theirs].map((value) =>
    Buffer.from(typeof value === "string" ? value : `${JSON.stringify(value, null, 2)}\n`),
  );
  if (before === undefined || here === undefined || there === undefined) throw new Error("three versions");
  return await mergeTexts({ base: before, ours: here, theirs: there }, mark);
}

describe("a merge of texts", () => {
  it("takes what either side changed", async () => {
    const base = { a: "A", nav: { b: "B", c: "C" } };
    const ours = { a: "A2", nav: { b: "B", c: "C" }, new: "N" };
    const theirs = { a: "A", nav: { b: "B2", d: "D" } };
    const { text, conflicts } = await merged(base, ours, theirs);
    expect([JSON.parse(text), conflicts]).toEqual([{ a: "A2", nav: { b: "B2", d: "D" }, new: "N" }, 0]);
  });

  it("shows both texts of a conflict", async () => {
    const base = { a: "A", list: ["x", "y"], gone: "G" };
    const ours = { a: "A ours", list: ["x1", "y"], gone: "G ours" };
    const theirs = { a: "A theirs", list: ["x2", "y"] };
    expect(await merged(base, ours, theirs)).toEqual({
      conflicts: 3,
      text: [
        "{",
        "<<<<<<< ours",
        '  "a": "A ours",',
        "=======",
        '  "a": "A theirs",',
        ">>>>>>> theirs",
        '  "list": [',
        "<<<<<<< ours",
        '    "x1",',
        "=======",
        '    "x2",',
        ">>>>>>> theirs",
        '    "y"',
        "  ],",
        "<<<<<<< ours",
        '  "gone": "G ours"',
        "=======",
        ">>>>>>> theirs",
        "}",
        "",
      ].join("\n"),
    });
  });

  it.each<[string, unknown, unknown, unknown]>([
    ["names that cannot stand beside each other", {}, { a: "A" }, { a: { b: "B" } }],
    ["what is no JSON", { a: "A" }, "<<<<<<<\n", { a: "B" }],
    ["what is no text", { a: "A" }, { a: 1 }, { a: "B" }],
  ])("leaves the whole to people with %s", async (_, base, ours, theirs) => {
    const { text, conflicts } = await merged(base, ours, theirs);
    expect(conflicts).toBe(1);
    expect(text).toMatch(/^<<<<<<< ours\n[^]*\n=======\n[^]*\n>>>>>>> theirs\n$/);
  });

  it("has a file that a side does not have", async () => {
    expect(await merged("", { a: "A" }, { b: "B" })).toEqual({
      text: '{\n  "b": "B",\n  "a": "A"\n}\n',
      conflicts: 0,
    });
    expect(await merged({ a: "A" }, "", { a: "A" })).toEqual({ text: "{}\n", conflicts: 0 });
  });

  const key = fc.constantFrom("a", "b", "c.d", "c.e", "1", "0", "__proto__", "");
  const texts = fc.dictionary(key, fc.string({ maxLength: 3 }), { noNullPrototype: false });

  it("loses none that a side has changed", async () => {
    await forAll(75, texts, texts, texts, async (base, ours, theirs) => {
      const { text, conflicts } = await merged(base, ours, theirs);
      const own = (from: object, name: string): unknown => Object.getOwnPropertyDescriptor(from, name)?.value;
      let expected = 0;
      for (const name of new Set([base, ours, theirs].flatMap((one) => Object.keys(one)))) {
        const [before, here, there] = [base, ours, theirs].map((one) => own(one, name));
        if (here !== before && there !== before && here !== there) {
          expected++;
          for (const one of [here, there]) if (one !== undefined) expect(text).toContain(JSON.stringify(one));
        } else if (expected === 0 && conflicts === 0) {
          expect(own(JSON.parse(text), name)).toBe(here === before ? there : here);
        }
      }
      expect(conflicts).toBe(expected);
    });
  });

  it("is the same from either side where nothing is settled", async () => {
    await forAll(75, texts, texts, texts, async (base, ours, theirs) => {
      const [one, other] = [await merged(base, ours, theirs), await merged(base, theirs, ours)];
      expect(other.conflicts).toBe(one.conflicts);
      if (one.conflicts === 0) expect(JSON.parse(other.text)).toEqual(JSON.parse(one.text));
    });
  });
});
