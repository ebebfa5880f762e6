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
