import fc from "fast-check";
import { expect, it } from "vitest";
import { parseNeeded } from "../../../src/domain/json.ts";
import { finish } from "../../../src/domain/steps.ts";
import { textFinder } from "../../../src/domain/strings/stored-text.ts";
import { textAt } from "../../../src/domain/strings/text-diff.ts";
import { runs } from "../../helpers/runs.ts";

const found = (file: string, key: string): string | undefined => finish(textFinder(key)(Buffer.from(file)));

/** More than a piece, so that JSON is cut at the next comma. */
const padding = " ".repeat(140_000);
const name = fc.constantFrom("a", "b", "c", "a.b", "1", "__proto__", 'd"', "é");
const text = fc.constantFrom("one", "two", "é", '"a": "x"', "\u0007");
/** Files whose names come once, as what is stored has them, with lists. */
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

it("a text is found in a large file as in all of its JSON, and what is no text is not", () => {
  const sample = fc.record({ file: groups, seed: fc.nat() });
  fc.assert(
    fc.property(sample, ({ file, seed }) => {
      const all = { file, inner: { file }, a: { file: { b: "one" } } };
      const body = JSON.stringify(all).replaceAll(/,(?=")/g, (comma, at: number) =>
        (at * 31 + seed) % 5 === 0 ? comma + padding : comma,
      );
      const stored = `{"rest": "${"x".repeat(1_048_576)}",${padding}${body.slice(1)}`;
      const keys = keysOf(all);
      const some = Array.from({ length: 5 }, (_, i) => keys[(i * 7 + seed) % keys.length] ?? "");
      for (const key of [...some, "a.file.b", "none", "file"])
        expect([key, found(stored, key)]).toEqual([key, textAt(all, key)]);
    }),
    { numRuns: runs(8) },
  );
});

it("a text is found without parsing what is around it", () => {
  const times = <T>(count: number, one: (i: number) => T) => Array.from({ length: count }, (_, i) => one(i));
  const texts = (i: number) => Object.fromEntries(times(300, (j) => [`key_${i}_${j}`, "some text"]));
  const inner = (i: number) => ({
    list: times(3, (j) => ({ [`in ${j}`]: texts(i) })),
    own: texts(i),
    last: "",
  });
  const file = Object.fromEntries(times(60, (i) => [`group ${i}`, inner(i)]));
  const bytes = Buffer.from(JSON.stringify(file));
  const isNeeded = (part: Uint8Array): boolean => Buffer.from(part).includes('"key_40_100"');
  const value = finish(parseNeeded(bytes, isNeeded));
  expect(textAt(value, "group 40.own.key_40_100")).toBe("some text");
  // Were it cut wrongly, all would be parsed.
  expect(JSON.stringify(value).length).toBeLessThan(bytes.length / 5);
});

it("there is no text in what is no JSON", () => {
  for (const file of ["", "{", '{"a": "x",}', '["a"]', "null"]) expect(found(file, "a")).toBeUndefined();
  const large = `{"a": "x" ${padding.repeat(9)}, "b" "c"}`;
  expect(found(large, "b")).toBeUndefined();
});
