import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { textFinder } from "../../../src/domain/strings/stored-text.ts";
import { textAt } from "../../../src/domain/strings/text-diff.ts";
import { runs } from "../../helpers/runs.ts";

const found = (file: string, key: string): string | undefined => textFinder(key)(Buffer.from(file));

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

it("a text is found by its key, and a group or a missing key is not", () => {
  fc.assert(
    fc.property(groups, (file) => {
      for (const key of [...keysOf(file), "none", "a.b"])
        expect([key, found(JSON.stringify(file), key)]).toEqual([key, textAt(file, key)]);
    }),
    { numRuns: runs(100) },
  );
});

it("a file that cannot have the key is not parsed", () => {
  const parse = vi.spyOn(JSON, "parse");
  expect(found('{"a":{"other":"x"}}', "a.b")).toBeUndefined();
  expect(parse).not.toHaveBeenCalled();
  vi.restoreAllMocks();
});

it("there is no text in what is no JSON", () => {
  for (const file of ["", "{", '{"a": "x",}', '["a"]', "null"]) expect(found(file, "a")).toBeUndefined();
});
