/** Groups of units are places in a file, and no part of the keys. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FileEdit } from "../../../src/formats/format.ts";
import { xliff } from "../../../src/formats/xliff.ts";
import { bytesOf, editOf, textOf } from "../../helpers/format-properties.ts";
import { runs } from "../../helpers/runs.ts";

const context = { locale: "fr", sourceLocale: "en" };
const ofSource = { locale: "en", sourceLocale: "en" };

/** A document whose units are indented by their depth, as are those of the document that it is compared with. */
const documentOf = (...lines: readonly string[]): string =>
  [
    '<?xml version="1.0"?>',
    '<xliff version="1.2">',
    '  <file original="x" source-language="en" target-language="fr">',
    "    <body>",
    ...lines.map((line) => `      ${line}`),
    "    </body>",
    "  </file>",
    "</xliff>",
    "",
  ].join("\n");
const indented = (lines: readonly string[]): readonly string[] => lines.map((line) => `  ${line}`);
const unit = (id: string, target?: string): readonly string[] => [
  `<trans-unit id="${id}">`,
  `  <source>${id.toUpperCase()}</source>`,
  ...(target === undefined ? [] : [`  <target>${target}</target>`]),
  `  <note>About ${id}</note>`,
  "</trans-unit>",
];
const group = (attributes: string, ...content: readonly (readonly string[])[]): readonly string[] => [
  `<group${attributes}>`,
  ...indented(content.flat()),
  "</group>",
];
const note = ["<note>About the group</note>"];

const source = documentOf(
  ...unit("a"),
  ...group(' id="g.1"', note, unit("b"), group(' resname="inner"', unit("c.d"), unit("e")), unit("f")),
  ...group(' id="g.2"', unit("h"), unit("i")),
  ...unit("j"),
);
const english = xliff.parse(bytesOf(source), ofSource);

/** A file after an edit with these texts, from the source file if it is not given. */
function after(texts: Record<string, string>, file?: string, edit: Partial<FileEdit> = {}): string {
  const { content: shape, texts: order } = english;
  const template = bytesOf(file ?? source);
  const given = {
    template,
    isSource: file === undefined,
    texts: new Map(Object.entries(texts)),
    shape,
    order,
  };
  const written = xliff.write(editOf({ ...given, source: bytesOf(source), ...edit }), context);
  const read = xliff.parse(written, context).texts;
  expect(Object.fromEntries([...read].filter(([key]) => texts[key] !== undefined))).toEqual(texts);
  return textOf(written);
}

describe("groups of XLIFF", () => {
  it("have units whose keys and notes are as those outside", () => {
    expect([...english.texts]).toEqual([
      ["a", "A"],
      ["b", "B"],
      ["c.d", "C.D"],
      ["e", "E"],
      ["f", "F"],
      ["h", "H"],
      ["i", "I"],
      ["j", "J"],
    ]);
    expect(english.notes.get("c.d")).toEqual({ note: "About c.d" });
    expect(english.notes.size).toBe(8);
  });

  it("stay byte by byte around a text that changes", () => {
    const file = documentOf(
      ...group(' id="g.1"', note, unit("b", "Bé"), group(' resname="inner"', unit("c.d", "Cé"))),
      ...unit("j", "Jé"),
    );
    expect(after({ b: "Bé", "c.d": "Cé", j: "Jé" }, file)).toBe(file);
    expect(after({ "c.d": "Autre" }, file)).toBe(file.replace("Cé", "Autre"));
    expect(after({}, file, { removed: new Set(["j"]) })).toBe(
      file.replace(`      ${unit("j", "Jé").join("\n      ")}\n`, ""),
    );
  });

  it.each<[what: string, before: readonly string[], wanted: readonly string[]]>([
    [
      "behind its neighbour",
      group(' id="g.2"', unit("h", "x")),
      group(' id="g.2"', unit("h", "x"), unit("i", "x")),
    ],
    [
      "before its neighbour",
      [...unit("a", "x"), ...group(' id="g.2"', unit("i", "x"))],
      [...unit("a", "x"), ...group(' id="g.2"', unit("h", "x"), unit("i", "x"))],
    ],
    [
      "into the group that has none of its neighbours",
      [...group(' id="g.2"', unit("z", "x")), ...unit("j", "x")],
      [...group(' id="g.2"', unit("z", "x"), unit("h", "x")), ...unit("j", "x")],
    ],
    [
      "into a group within a group",
      group(' id="g.1"', note, group(' resname="inner"', unit("e", "x"))),
      group(' id="g.1"', note, group(' resname="inner"', unit("c.d", "x"), unit("e", "x"))),
    ],
    [
      "behind a group",
      group(' id="g.1"', note, group(' resname="inner"', unit("e", "x"))),
      group(' id="g.1"', note, group(' resname="inner"', unit("e", "x")), unit("f", "x")),
    ],
    [
      "into a group that has nothing but notes",
      [...unit("a", "x"), ...group(' id="g.1"', note), ...unit("j", "x")],
      [...unit("a", "x"), ...group(' id="g.1"', note, unit("b", "x")), ...unit("j", "x")],
    ],
    [
      "into groups that are made as the source has them",
      [...unit("a", "x"), ...unit("j", "x")],
      [
        ...unit("a", "x"),
        ...group(' id="g.1"', note, group(' resname="inner"', unit("c.d", "x"))),
        ...unit("j", "x"),
      ],
    ],
    [
      "beside a unit that stands elsewhere",
      [...unit("h", "x"), ...unit("j", "x")],
      [...unit("h", "x"), ...group(' id="g.2"', unit("i", "x")), ...unit("j", "x")],
    ],
  ])("get a new unit %s", (_what, before, wanted) => {
    const keys = Array.from(wanted.join("").matchAll(/trans-unit id="([^"]*)"/g), ([, key = ""]) => key);
    const texts = Object.fromEntries(keys.filter((key) => key !== "z").map((key) => [key, "x"]));
    expect(after(texts, documentOf(...before))).toBe(documentOf(...wanted));
  });

  it("are told apart by their units where they have no ids", () => {
    const twice = documentOf(
      ...group("", unit("a"), unit("b")),
      ...group("", unit("c"), unit("d")),
      ...group("", unit("e")),
    );
    const { content: shape, texts: order } = xliff.parse(bytesOf(twice), ofSource);
    const before = documentOf(...group("", unit("d", "x")), ...group(' id="own"', unit("z", "x")));
    const wanted = documentOf(
      ...group("", unit("a", "x")),
      ...group("", unit("c", "x"), unit("d", "x")),
      ...group("", unit("e", "x")),
      ...group(' id="own"', unit("z", "x")),
    );
    const texts = { a: "x", c: "x", d: "x", e: "x" };
    expect(after(texts, before, { source: bytesOf(twice), shape, order })).toBe(wanted);
  });

  it("come into the file of another locale with their first texts, and leave it with the last", () => {
    const some = after({ b: "Bé", i: "I" });
    expect(some).toBe(
      documentOf(...group(' id="g.1"', note, unit("b", "Bé")), ...group(' id="g.2"', unit("i", "I"))),
    );
    const all = { b: "Bé", "c.d": "Cé", e: "Eé", i: "I", j: "J" };
    expect(after(all, some)).toBe(after(all));
    const removed = new Set(["b", "c.d", "e"]);
    expect(after({ i: "I", j: "J" }, after(all), { removed })).toBe(after({ i: "I", j: "J" }));
    const none = source.replace("</body>", "  <group/>\n    </body>");
    expect(after({ i: "I" }, none, { isSource: true, source: bytesOf(none) })).toContain(
      "<group/>\n    </body>",
    );
  });

  it("are those of the source file, whenever their units come", () => {
    interface Nested {
      readonly name: string;
      readonly inner: readonly Nested[];
    }
    const { nested } = fc.letrec<{ nested: Nested[] }>((tie) => ({
      nested: fc.array(
        fc.record({
          // Some groups have no ids, and some have the same.
          name: fc.constantFrom("", "", ' id="a"', ' id="b.c"', ' resname="d"'),
          inner: fc.oneof({ maxDepth: 3, withCrossShrink: true }, fc.constant([]), tie("nested")),
        }),
        { maxLength: 4 },
      ),
    }));
    const example = nested.chain((all) => {
      const names: string[] = [];
      const linesOf = (some: readonly Nested[], depth: number): readonly string[] => {
        const seen = new Set<string>();
        return some.flatMap(({ name, inner }) => {
          const own = seen.has(name) ? "" : name;
          seen.add(name);
          if (inner.length > 0) return group(own, linesOf(inner, depth + 1));
          names.push(`u${names.length}`);
          return unit(names.at(-1) ?? "");
        });
      };
      const file = documentOf(...linesOf(all, 0));
      return fc.record({ file: fc.constant(file), first: fc.subarray(names), second: fc.subarray(names) });
    });
    fc.assert(
      fc.property(example, ({ file, first, second }) => {
        const { content: shape, texts: order } = xliff.parse(bytesOf(file), ofSource);
        const edit = { source: bytesOf(file), shape, order };
        const textsOf = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, "x"]));
        const made = (names: readonly string[]) => after(textsOf(names), file, { ...edit, isSource: true });
        const both = [...order.keys()].filter((name) => first.includes(name) || second.includes(name));
        fc.pre(first.length > 0);
        expect(after(textsOf(both), made(first), edit)).toBe(made(both));
        const removed = new Set(first.filter((name) => !second.includes(name)));
        fc.pre(second.length > 0);
        expect(after(textsOf(second), made(both), { ...edit, removed })).toBe(made(second));
      }),
      { numRuns: runs(200) },
    );
  });

  it("are no place for what the source file lacks", () => {
    const file = documentOf(...group(' id="g.1"', note, unit("b", "Bé")));
    expect(after({ b: "Bé", other: "Autre" }, file, { source: undefined })).toContain(
      '</group>\n      <trans-unit id="other"><source>other</source><target>Autre</target></trans-unit>\n',
    );
  });

  it.each([
    [[...unit("a"), ...group("", group("", unit("a")))], "the key a is already in line 5", 11],
    [[...group(' id="1"', unit("a")), ...group(' id="2"', unit("a"))], "the key a is already in line 6", 12],
    [group("", ["<bin-unit/>"]), "has a <bin-unit> among its units", 6],
    [group("", ["<unit/>"]), "has a <unit> among its units", 6],
  ])("are refused with the place: %j", (lines, message, line) => {
    expect(() => xliff.parse(bytesOf(documentOf(...lines)), context)).toThrow(
      expect.objectContaining({ message: expect.stringContaining(message), line }),
    );
  });
});
