/** A plain text in the place of a plural is its form `other`, where the programs of the format take it so. */
import { describe, expect, it } from "vitest";
import { formatNamed } from "../../../src/formats/formats.ts";
import { bytesOf, editOf, textOf } from "../../helpers/format-properties.ts";

interface Row {
  readonly format: string;
  readonly source: string;
  readonly file: string;
  /** The file with another text for `other`. */
  readonly changed: string;
  /** The file with a further form, which makes a plural of the text. */
  readonly opened: string;
  readonly removed: string;
}

const rows: readonly Row[] = [
  {
    format: "json",
    source: '{"z": "z", "a": {"one": "file", "other": "files"}}',
    file: '{\n  "z": "z",\n  "a": "x"\n}\n',
    changed: '{\n  "z": "z",\n  "a": "v"\n}\n',
    opened: '{\n  "z": "z",\n  "a": {\n    "one": "w",\n    "other": "x"\n  }\n}\n',
    removed: '{\n  "z": "z"\n}\n',
  },
  {
    format: "go-i18n",
    source:
      '[{"id": "z", "translation": "z"}, {"id": "a", "translation": {"one": "file", "other": "files"}}]',
    file: '[\n  { "id": "z", "translation": "z" },\n  { "id": "a", "translation": "x" }\n]\n',
    changed: '[\n  { "id": "z", "translation": "z" },\n  { "id": "a", "translation": "v" }\n]\n',
    opened:
      '[\n  { "id": "z", "translation": "z" },\n  {\n    "id": "a",\n    "translation": {\n    "one": "w",\n    "other": "x"\n  }\n  }\n]\n',
    removed: '[\n  { "id": "z", "translation": "z" }\n]\n',
  },
  {
    format: "go-i18n",
    source: "- id: z\n  translation: z\n- id: a\n  translation:\n    one: file\n    other: files\n",
    file: "- id: z\n  translation: z\n- id: a\n  translation: x\n",
    changed: "- id: z\n  translation: z\n- id: a\n  translation: v\n",
    opened: "- id: z\n  translation: z\n- id: a\n  translation:\n    one: w\n    other: x\n",
    removed: "- id: z\n  translation: z\n",
  },
  {
    format: "yaml",
    source: "z: z\na:\n  one: file\n  other: files\n",
    file: "z: z\na: x\n",
    changed: "z: z\na: v\n",
    opened: "z: z\na:\n  one: w\n  other: x\n",
    removed: "z: z\n",
  },
  {
    format: "yaml",
    source: "z: z\na:\n  one: file\n  other: files\n",
    file: "z: z\na: |-\n  x\n",
    changed: "z: z\na: |-\n  v\n",
    opened: "z: z\na:\n  one: w\n  other: x\n",
    removed: "z: z\n",
  },
  {
    format: "rails",
    source: "en:\n  z: z\n  a:\n    one: file\n    other: files\n",
    file: "fr:\n  z: z\n  a: x\n",
    changed: "fr:\n  z: z\n  a: v\n",
    opened: "fr:\n  z: z\n  a:\n    one: w\n    other: x\n",
    removed: "fr:\n  z: z\n",
  },
  {
    format: "toml",
    source: 'z = "z"\n[a]\none = "file"\nother = "files"\n',
    file: 'z = "z"\na = "x"\n',
    changed: 'z = "z"\na = "v"\n',
    opened: 'z = "z"\n\n[a]\none = "w"\nother = "x"\n',
    removed: 'z = "z"\n',
  },
];

describe.each(rows)("a plain text of $format in the place of a plural: $file", (row) => {
  const open = async () => {
    const format = await formatNamed(row.format)?.load();
    if (format === undefined) throw new Error("no such format");
    const source = bytesOf(row.source);
    const { texts: sourceTexts, content: shape } = format.parse(source, { locale: "en", sourceLocale: "en" });
    const context = { locale: "fr", sourceLocale: "en", sourceTexts };
    const template = bytesOf(row.file);
    const write = (texts: Record<string, string>, removed: readonly string[] = []): string => {
      const edit = {
        template,
        source,
        shape,
        texts: new Map(Object.entries(texts)),
        removed: new Set(removed),
      };
      return textOf(format.write(editOf(edit), context));
    };
    const read = (file: string) => Object.fromEntries(format.parse(bytesOf(file), context).texts);
    return { read, write };
  };

  it("is read as other", async () => {
    const { read } = await open();
    expect(read(row.file)).toEqual({ z: "z", "a.other": "x" });
    expect(read(row.opened)).toEqual({ z: "z", "a.one": "w", "a.other": "x" });
  });

  it("stays plain as long as it is the only form", async () => {
    const { write } = await open();
    expect(write({})).toBe(row.file);
    expect(write({ z: "z", "a.other": "x" })).toBe(row.file);
    expect(write({ "a.other": "v" })).toBe(row.changed);
    expect(write({}, ["a.other"])).toBe(row.removed);
  });

  it("gives way to a plural with its other forms", async () => {
    const { write } = await open();
    expect(write({ "a.one": "w" })).toBe(row.opened);
    expect(write({ z: "z", "a.one": "w", "a.other": "x" })).toBe(row.opened);
  });
});

it.each<[format: string, source: string, file: string]>([
  ["json", '{"a": {"one": "x", "title": "y", "other": "z"}}', '{"a": "x"}'],
  ["json", '{"a": "x", "a.other": "y"}', '{"a": "x"}'],
  ["json", '{"a_one": "x", "a_other": "y"}', '{"a": "x"}'],
  ["php", "<?php return ['a' => ['one' => 'x', 'other' => 'y']];", "<?php return ['a' => 'x'];"],
  [
    "android",
    '<resources><plurals name="a"><item quantity="other">x</item></plurals></resources>',
    '<resources><string name="a">x</string></resources>',
  ],
])("a plain text of %s is a text of its own where that is no plural: %s", async (name, source, file) => {
  const format = await formatNamed(name)?.load();
  const sourceTexts = format?.parse(bytesOf(source), { locale: "en", sourceLocale: "en" }).texts;
  const parsed = format?.parse(bytesOf(file), { locale: "fr", sourceLocale: "en", sourceTexts });
  expect(Object.fromEntries(parsed?.texts ?? [])).toEqual({ a: "x" });
});
