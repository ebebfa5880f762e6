import fc from "fast-check";
import { expect, it } from "vitest";
import { differingKeys, StoredFile } from "../../../src/domain/strings/stored-text.ts";
import { textAt } from "../../../src/domain/strings/text-diff.ts";
import { forAll } from "../../helpers/runs.ts";

const toFile = (text: string): StoredFile => new StoredFile(Buffer.from(text));
const differing = (before: unknown, after: unknown) =>
  differingKeys(toFile(JSON.stringify(before)), toFile(JSON.stringify(after)));

const name = fc.constantFrom("a", "b", "c", "a.b", "1", "__proto__", 'd"', "é");
const text = fc.constantFrom("one", "two", "é", '"a": "x"', "\u0007");
/** Files whose names come once, as stored files have them, with lists. */
const groups = fc.letrec<{ node: unknown; group: unknown }>((tie) => ({
  node: fc.oneof(
    { depthSize: "medium", withCrossShrink: true },
    text,
    tie("group"),
    fc.array(tie("node"), { maxLength: 3 }),
  ),
  group: fc
    .uniqueArray(fc.tuple(name, tie("node")), { selector: ([own]) => own, maxLength: 4 })
    .map((members) => Object.fromEntries(members)),
})).group;

function keysOf(node: unknown, prefix = ""): string[] {
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([own, inner]) =>
    [prefix + own].concat(keysOf(inner, `${prefix + own}.`)),
  );
}

it("every key with another text differs, and nothing in equal files does", async () => {
  await forAll(200, groups, groups, async (before, after) => {
    const keys = new Set(await differing(before, after));
    for (const key of [...keysOf(before), ...keysOf(after), "none", "a.b"]) {
      if (textAt(before, key) !== textAt(after, key)) expect(keys).toContain(key);
      expect(toFile(JSON.stringify(after)).textAt(key)).toBe(textAt(after, key));
    }
    expect(await differing(before, structuredClone(before))).toEqual([]);
  });
});

it("of a file of which a text changed, only its key differs", async () => {
  const before = { a: { "b.c": "one", d: ["x", "y"] }, e: "two", f: 1 };
  const after = { a: { "b.c": "one", d: ["x", "z"] }, e: "two", f: 2, g: { h: "new" } };
  expect(await differing(before, after)).toEqual(["a.d.1", "g.h"]);
  expect(await differingKeys(undefined, toFile('{"a":{"b":"x"}}'))).toEqual(["a.b"]);
  expect(await differingKeys(toFile('{"a":{"b":"x"}}'), undefined)).toEqual(["a.b"]);
});

it("in files that are nested too deep, any key may differ", async () => {
  const nested = (text: string): string => `${'{"a":'.repeat(5_000)}"${text}"${"}".repeat(5_000)}`;
  expect(await differingKeys(toFile(nested("x")), toFile(nested("y")))).toBeUndefined();
});

it("there is no text in what is no JSON", () => {
  for (const file of ["", "{", '{"a": "x",}', '["a"]', "null"])
    expect(toFile(file).textAt("a")).toBeUndefined();
});
