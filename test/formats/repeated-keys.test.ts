/** Keys that stand twice in formats whose programs take the last value. */
import { describe, expect, it } from "vitest";
import { formatNamed } from "../../src/formats/formats.ts";
import { bytesOf, readAndWrite, textOf } from "../helpers/format-properties.ts";

const context = { locale: "en", sourceLocale: "en" };

/** A file with `a` twice and `b` between, the same after a change of `a`, without `a`, and without `b`. */
const files: Readonly<
  Record<string, readonly [file: string, changed: string, withoutA: string, copy: string]>
> = {
  json: [
    '{\n  "a": {"x": "old"},\n  "b": "B",\n  "a": "A"\n}\n',
    '{\n  "a": {"x": "old"},\n  "b": "B",\n  "a": "new"\n}\n',
    '{\n  "b": "B"\n}\n',
    '{\n  "a": "new"\n}\n',
  ],
  arb: [
    '{\n  "a": "old",\n  "@a": {},\n  "b": "B",\n  "a": "A"\n}\n',
    '{\n  "a": "old",\n  "@a": {},\n  "b": "B",\n  "a": "new"\n}\n',
    '{\n  "b": "B"\n}\n',
    '{\n  "a": "new"\n}\n',
  ],
  chrome: [
    '{\n  "a": {"message": "old"},\n  "b": {"message": "x", "message": "B"},\n  "a": {"message": "A"}\n}\n',
    '{\n  "a": {"message": "old"},\n  "b": {"message": "x", "message": "B"},\n  "a": {"message": "new"}\n}\n',
    '{\n  "b": {"message": "x", "message": "B"}\n}\n',
    '{\n  "a": {"message": "new"}\n}\n',
  ],
  php: [
    "<?php\nreturn [\n  'a' => 'old',\n  'b' => 'B',\n  'a' => 'A',\n];\n",
    "<?php\nreturn [\n  'a' => 'old',\n  'b' => 'B',\n  'a' => 'new',\n];\n",
    "<?php\nreturn [\n  'b' => 'B',\n];\n",
    "<?php\nreturn [\n  'a' => 'new',\n];\n",
  ],
  rails: [
    "en:\n  # Old.\n  a: old\n  b: B\n  a: A\n",
    "en:\n  # Old.\n  a: old\n  b: B\n  a: new\n",
    "en:\n  b: B\n",
    "en:\n  a: new\n",
  ],
  "go-i18n of JSON": [
    '[\n  {"id": "a", "translation": "old"},\n  {"id": "b", "translation": "B"},\n  {"id": "a", "translation": "A"}\n]\n',
    '[\n  {"id": "a", "translation": "old"},\n  {"id": "b", "translation": "B"},\n  {"id": "a", "translation": "new"}\n]\n',
    '[\n  {"id": "b", "translation": "B"}\n]\n',
    '[\n  {"id": "a", "translation": "new"}\n]\n',
  ],
  "go-i18n of YAML": [
    "# Texts.\n- id: a\n  translation: old\n\n- id: b\n  translation: B\n- id: a\n  translation: A\n",
    "# Texts.\n- id: a\n  translation: old\n\n- id: b\n  translation: B\n- id: a\n  translation: new\n",
    "# Texts.\n\n- id: b\n  translation: B\n",
    "# Texts.\n\n- id: a\n  translation: new\n",
  ],
  "go-i18n of plurals in YAML": [
    "- id: p\n  translation: {other: Ps}\n- {translation: old, id: a}\n- {translation: B, id: b}\n- {translation: A, id: a}\n",
    "- id: p\n  translation: {other: Ps}\n- {translation: old, id: a}\n- {translation: B, id: b}\n- {translation: new, id: a}\n",
    "- id: p\n  translation: {other: Ps}\n- {translation: B, id: b}\n",
    "- {translation: new, id: a}\n",
  ],
  properties: ["a=old\nb=B\na=A\n", "a=old\nb=B\na=new\n", "b=B\n", "a=new\n"],
  strings: [
    '"a" = "old";\n"b" = "B";\n"a" = "A";\n',
    '"a" = "old";\n"b" = "B";\n"a" = "new";\n',
    '"b" = "B";\n',
    '"a" = "new";\n',
  ],
};

describe.each(Object.entries(files))("a key twice in %s", async (name, [file, changed, withoutA, copy]) => {
  const format = await formatNamed(name.split(" ")[0] ?? "")?.load();
  if (format === undefined) throw new Error(name);
  const { read, write } = readAndWrite(format, context);

  it("has its last value, and the other is named by its line", () => {
    expect(read(file)).toMatchObject({ a: "A", b: "B" });
    const { repeated, nonTextValues } = format.parse(bytesOf(file), context);
    const lines = file.split("\n");
    const startOf = (at: number): number =>
      name.startsWith("go-i18n") ? lines.findLastIndex((one, i) => i <= at && /^ *(?:- |\{)/.test(one)) : at;
    const [line, last] = [/\bold\b/, /\bA\b/].map(
      (text) => startOf(lines.findIndex((one) => text.test(one))) + 1,
    );
    const message = `the key a stands again in line ${last}, and only that one counts`;
    expect([repeated, nonTextValues]).toEqual([[expect.objectContaining({ line, message })], []]);
  });

  it("changes where it counts", () => {
    expect(textOf(write(file, { a: "A", b: "B" }))).toBe(file);
    expect(textOf(write(file, { a: "new", b: "B" }))).toBe(changed);
  });

  it("leaves the file as a whole, so that the other does not count instead", () => {
    expect(textOf(write(file, { b: "B" }, { removed: new Set(["a"]) }))).toBe(withoutA);
  });

  it("is once in a copy of the source file", () => {
    expect(textOf(write(file, { a: "new" }, { isSource: true }))).toBe(copy);
  });
});

/** Where programs take the first value: the same, in a locale, with what differs between the two. */
const first: typeof files = {
  resx: [
    '<root>\n  <data name="a"><value>A</value></data>\n  <data name="b"><value>B</value></data>\n  <data name="a"><value>old</value></data>\n</root>\n',
    '<root>\n  <data name="a"><value>new</value></data>\n  <data name="b"><value>B</value></data>\n  <data name="a"><value>old</value></data>\n</root>\n',
    '<root>\n  <data name="b"><value>B</value></data>\n</root>\n',
    '<root>\n  <data name="a"><value>new</value></data>\n</root>\n',
  ],
};

describe.each(Object.entries(first))("a key twice in %s", async (name, [file, changed, withoutA, copy]) => {
  const format = await formatNamed(name)?.load();
  if (format === undefined) throw new Error(name);
  const { read, write } = readAndWrite(format, context);

  it("has its first value, which changes, and is once in a copy", () => {
    expect(read(file)).toMatchObject({ a: "A", b: "B" });
    const message = "the key a stands already in line 2, and only that one counts";
    expect(format.parse(bytesOf(file), context).repeated).toEqual([
      expect.objectContaining({ line: 4, message }),
    ]);
    expect(textOf(write(file, { a: "A", b: "B" }))).toBe(file);
    expect(textOf(write(file, { a: "new", b: "B" }))).toBe(changed);
    expect(textOf(write(file, { b: "B" }, { removed: new Set(["a"]) }))).toBe(withoutA);
    expect(textOf(write(file, { a: "new" }, { isSource: true }))).toBe(copy);
  });
});

describe("a message twice in a file of Qt", async () => {
  const format = await formatNamed("qt")?.load();
  if (format === undefined) throw new Error("qt");
  const french = { locale: "fr", sourceLocale: "en" };
  const { read, write } = readAndWrite(format, french);
  const fileOf = (...translations: readonly string[]): string =>
    [
      '<TS version="2.1" language="fr">\n<context>\n<name>C</name>',
      ...translations.map((one) => `<message><source>a</source>${one}</message>`),
      "</context>\n</TS>\n",
    ].join("\n");
  const done = (text: string): string => `<translation>${text}</translation>`;
  const open = '<translation type="unfinished"></translation>';

  it.each([
    ["the first", [done("A"), done("B")], "A", 5, 4],
    ["the first that is translated", [open, done("B"), done("C")], "B", 4, 5],
  ])("has the text of %s", (_, translations, text, line, effective) => {
    const file = fileOf(...translations);
    expect(read(file)).toEqual({ "C\u0004a": text });
    expect(format.parse(bytesOf(file), french).repeated[0]).toMatchObject({
      line,
      message: expect.stringContaining(`in line ${effective}, and only that one counts`),
    });
    expect(textOf(write(file, { "C\u0004a": text }))).toBe(file);
    const changed = translations.map((one) => (one === done(text) ? done("new") : one));
    expect(textOf(write(file, { "C\u0004a": "new" }))).toBe(fileOf(...changed));
  });

  it("is not named where both translations are the same, and loses both with its text", () => {
    const file = fileOf(done("A"), done("A"));
    expect(format.parse(bytesOf(file), french).repeated).toEqual([]);
    const removed = new Set(["C\u0004a"]);
    expect(textOf(write(file, {}, { removed }))).toBe(
      fileOf(open, open).replaceAll("></translation>", "></translation>"),
    );
  });

  it("is written once where a file lacks it", () => {
    const source = fileOf(open, open);
    const edit = { source: bytesOf(source), order: new Map([["C\u0004a", "a"]]) };
    const lacking = fileOf();
    expect(read(textOf(write(lacking, { "C\u0004a": "A" }, edit)))).toEqual({ "C\u0004a": "A" });
    expect(textOf(write(lacking, { "C\u0004a": "A" }, edit)).match(/<message>/g)).toHaveLength(1);
  });
});

it("is not named where both values are the same", async () => {
  const format = await formatNamed("properties")?.load();
  expect(format?.parse(bytesOf("a=A\na=A\n"), context).repeated).toEqual([]);
});

it("is refused in other formats, and where it merges or names a locale", async () => {
  const [rails, catalog] = [await formatNamed("rails")?.load(), await formatNamed("xcstrings")?.load()];
  const refused = { name: "FormatError", message: expect.stringContaining("is already in line") };
  for (const file of ["en:\n  a: b\nen:\n  c: d\n", "en:\n  a: &a\n    b: c\n  d:\n    <<: *a\n    <<: *a\n"])
    expect(() => rails?.parse(bytesOf(file), context)).toThrow(expect.objectContaining(refused));
  const file = '{"sourceLanguage":"en","strings":{"a":{},"a":{}},"version":"1.0"}';
  expect(() => catalog?.parse(bytesOf(file), context)).toThrow(expect.objectContaining(refused));
});
