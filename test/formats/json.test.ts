import { describe, expect, it } from "vitest";
import { formatNamed, formatOfPath, formats } from "../../src/formats/formats.ts";
import { json } from "../../src/formats/json.ts";
import { bytesOf, describeProperties, editOf, textOf } from "../helpers/format-properties.ts";

const context = { locale: "fr", sourceLocale: "en" };

function read(file: string): unknown {
  return json.parse(bytesOf(file), context).content;
}

/** The file after an edit, with the nesting of a source file. */
function written(
  file: string,
  texts: Record<string, string>,
  edit: { source?: string; isSource?: boolean; removed?: readonly string[] } = {},
): string {
  const { source = file, isSource = false, removed = [] } = edit;
  const shape = json.parse(bytesOf(source), context).content;
  const entries = new Map(Object.entries(texts));
  const all = { template: bytesOf(file), texts: entries, shape, isSource, removed: new Set(removed) };
  return textOf(json.write(editOf(all), context));
}

describe("JSON", () => {
  describeProperties("json", json, { empties: ["{}\n", "{}", "\ufeff{\r\n}\r\n", "[]"] });

  it("names what is no text, and lets it hold its place in a list", () => {
    const file = '{"a": 1, "b": {"c": null, "d": "x"}, "e": [null, "y", true], "f": [1], "g": [], "h": {}}';
    expect(json.parse(bytesOf(file), context)).toMatchObject({
      content: { b: { d: "x" }, e: ["", "y"], g: [], h: {} },
      nonTextValues: ["a", "b.c", "e.0", "e.2", "f.0"],
    });
  });

  it.each<[string, string, number]>([
    ["", "is empty", 1],
    [" \n", "is empty", 2],
    ['"a"', "where an object should be", 1],
    ['{"a": "b",\n}', "has a comma before }", 2],
    ['{"a": "b"\n"c": "d"}', "where a comma or } should be", 2],
    ['{\n// c\n"a": "b"}', "has a comment", 2],
    ['{"a": "b" /* c */}', "has a comment", 1],
    ["{a: 1}", "where a key in double quotes should be", 1],
    ["{'a': 1}", "where a key in double quotes should be", 1],
    ['{"a": NaN}', "where a value should be", 1],
    ['{"a": 01}', "where a comma or } should be", 1],
    ['{"a": "b\nc"}', "has a line end or control character", 1],
    ['{"a": "b', "ends within a text", 1],
    ['{"a": "\\x"}', "has an escape in a text that JSON does not know", 1],
    ['{"a": "\\ud83d"}', "lone surrogate", 1],
    ['{"a": "\\u0000"}', "NUL", 1],
    ['{"a": "b"} x', "where the end of the file should be", 1],
    ['{"a": {"b": "c"},\n"a.b": "d"}', "the key a.b is already in line 1", 2],
    ["[".repeat(33) + "]".repeat(33), "is nested deeper than 32 levels", 1],
    ['{"a":'.repeat(100_000), "is nested deeper than 32 levels", 1],
  ])("refuses %.40j by its line", (file, message, line) => {
    const error = { name: "FormatError", message: expect.stringContaining(message), line };
    expect(() => read(file)).toThrow(expect.objectContaining(error));
  });

  it("refuses bytes that are not UTF-8 by their line", () => {
    const bytes = Buffer.from('{\n"a": "\u00e9"}', "latin1");
    expect(() => json.parse(bytes, context)).toThrow(expect.objectContaining({ line: 2 }));
  });

  it("refuses a text where the file keeps others below its name", () => {
    const edit = { source: '{"a": "x"}' };
    expect(() => written('{"a": {"b": "c"}}', { a: "x" }, edit)).toThrow("cannot hold a text for a");
    expect(written('{"a": {"b": "c"}}', { a: "x" }, { ...edit, removed: ["a.b"] })).toBe('{"a": "x"}');
  });

  const source = `{
  "a": "A",
  "nav": {
    "home": "Home",
    "n": 3,
    "deep": { "x": "X", "y": "Y" }
  },
  "days": ["Mon", "Tue", "Wed"],
  "item_one": "one",
  "item_other": "other",
  "z": "Z"
}
`;

  it("makes a file of a locale of its source, with the forms that its plurals have", () => {
    const texts = {
      "nav.home": "H",
      "days.0": "l",
      "days.2": "m",
      item_one: "1",
      item_few: "2",
      item_other: "3",
    };
    expect(written(source, texts, { isSource: true })).toBe(`{
  "nav": {
    "home": "H",
    "n": 3
  },
  "days": {"0": "l", "2": "m"},
  "item_one": "1",
  "item_few": "2",
  "item_other": "3"
}
`);
  });

  it("puts new keys beside their neighbours of the source, and new groups with the indentation of the file", () => {
    const texts = {
      a: "A",
      "nav.home": "H",
      "nav.deep.y": "Y",
      "days.0": "l",
      "days.1": "m",
      item_few: "2",
      z: "Z",
    };
    expect(written('{\n\t"a": "A",\n\t"local": "kept",\n\t"z": "Z"\n}', texts, { source })).toBe(
      '{\n\t"a": "A",\n\t"nav": {\n\t\t"home": "H",\n\t\t"deep": {\n\t\t\t"y": "Y"\n\t\t}\n\t},\n\t"days": [\n\t\t"l",\n\t\t"m"\n\t],\n\t"item_few": "2",\n\t"local": "kept",\n\t"z": "Z"\n}',
    );
    expect(written('{"z":"Z"}', { a: "A", "nav.deep.y": "Y", z: "Z" }, { source })).toBe(
      '{"a":"A","nav":{"deep":{"y":"Y"}},"z":"Z"}',
    );
  });

  it("puts keys that the source lacks into its groups, which the file lacks", () => {
    expect(written('{"z":"Z"}', { "nav.deep.w.v": "W", z: "Z" }, { source })).toBe(
      '{"z":"Z","nav":{"deep":{"w.v":"W"}}}',
    );
  });

  it("keeps dotted keys where the source has groups, and groups where it has dotted keys", () => {
    const flat = '{\n  "a.b": "B",\n  "c": "C"\n}\n';
    const nested = '{\n  "a": {\n    "b": "B"\n  },\n  "c": "C"\n}\n';
    const texts = { "a.b": "B", "a.d": "D", c: "C", "e.f": "F" };
    expect(written(flat, texts, { source: '{"a":{"b":"","d":""},"c":"","e":{"f":""}}' })).toBe(
      '{\n  "a.b": "B",\n  "a.d": "D",\n  "c": "C",\n  "e.f": "F"\n}\n',
    );
    expect(written(nested, texts, { source: '{"a.b":"","a.d":"","c":"","e.f":""}' })).toBe(
      '{\n  "a": {\n    "b": "B",\n    "d": "D"\n  },\n  "c": "C",\n  "e.f": "F"\n}\n',
    );
  });

  it("leaves lists of nothing but empty elements to the source", () => {
    const file = '{"a": [[""], "x"], "b": [null, ["", {}], "y"], "c": "C"}';
    expect(written(file, { c: "c" }, { isSource: true })).toBe('{"c": "c"}');
    expect(written(file, { "b.2": "z" }, { isSource: true })).toBe('{"b": [null, ["", {}], "z"]}');
  });

  it("keeps a group that loses all its texts and gets others", () => {
    const file = '{"a": {"b.c": ["x", "y"]}, "z": "Z"}';
    const source = '{"a.b.c": ["x"], "z": ""}';
    expect(written(file, { "a.b.c.0": "X" }, { source, isSource: true })).toBe('{"a": {"b.c": ["X"]}}');
    const other = '{"a.b.c": {"d": ["x"]}, "z": ""}';
    expect(written(file, { "a.b.c.d.0": "X" }, { source: other, isSource: true })).toContain('"X"');
  });

  it("makes a list of an object with indices when it is complete", () => {
    const file = '{"days": {"0": "l", "2": "m"}}';
    expect(written(file, { "days.1": "x" }, { source })).toBe('{"days": ["l", "x", "m"]}');
    expect(written('{"days": ["l", "x", "m"]}', {}, { removed: ["days.1"] })).toBe(
      '{"days": {"0": "l", "2": "m"}}',
    );
  });

  it("keeps the escapes, line ends and byte order mark of a file", () => {
    expect(
      written('\ufeff{\r\n  "a": "x"\r\n}\r\n', { a: "é", b: "\u2028" }, { source: '{"a":"","b":""}' }),
    ).toBe('\ufeff{\r\n  "a": "é",\r\n  "b": "\u2028"\r\n}\r\n');
    expect(written('{"a": "\\u00e9\\/", "b": ""}', { b: "/🐝" })).toBe(
      '{"a": "\\u00e9\\/", "b": "\\/\\ud83d\\udc1d"}',
    );
  });

  it("replaces what is no text where there is a text for it, and leaves it else", () => {
    const file = '{"a": 1, "b": null, "c": [null, "x"]}';
    expect(written(file, { b: "B", "c.1": "y" })).toBe('{"a": 1, "b": "B", "c": [null, "y"]}');
  });

  it("reads and changes a large file, of many lines or one text", () => {
    const lines = Array.from(
      { length: 2_000 },
      (_, i) => `  "key${i}": "A text that is as long as texts are ${i}"`,
    );
    const file = `{\n${lines.join(",\n")}\n}\n`;
    const changed = written(file, { key1000: "x", new: "y" });
    const old = new Set(file.split("\n"));
    expect(changed.split("\n").filter((line) => !old.has(line))).toEqual([
      '  "key1000": "x",',
      '  "new": "y",',
    ]);
    const long = `{"a": "${"\\n".repeat(500_000)}"}`;
    expect(written(long, { a: "x" })).toBe('{"a": "x"}');
  });
});

describe("what is in JSON for programs alone", () => {
  const context = { locale: "fr", sourceLocale: "en" };
  const inlang = {
    $schema: "https://inlang.com/schema/inlang-message-format",
    hi: "Hi",
    count: [
      {
        declarations: ["input count", "local plural = count: plural"],
        selectors: ["plural"],
        match: { "plural=one": "One", "plural=other": "{count}" },
      },
    ],
    menu: { $schema: "A text", declarations: "A text" },
  };
  const file = `${JSON.stringify(inlang, null, 2)}\n`;
  const texts = {
    hi: "Hi",
    "count.0.match.plural=one": "One",
    "count.0.match.plural=other": "{count}",
    "menu.$schema": "A text",
    "menu.declarations": "A text",
  };

  it("is no text: a schema, and the declarations of inlang", () => {
    expect(Object.fromEntries(json.parse(Buffer.from(file), context).texts)).toEqual(texts);
  });

  it("stays in a file whose texts change, and goes into new ones", () => {
    const { content: shape } = json.parse(Buffer.from(file), context);
    for (const isSource of [true, false]) {
      const changed = new Map(Object.entries(texts)).set("count.0.match.plural=one", "Un");
      const edit = {
        template: Buffer.from(file),
        isSource,
        texts: changed,
        removed: new Set<string>(),
        shape,
      };
      expect(Buffer.from(json.write(edit, context)).toString()).toBe(file.replace('"One"', '"Un"'));
    }
  });
});

describe("the table of formats", () => {
  it.each(formats)("finds $name by its name", ({ name, load }) => {
    expect(formatNamed(name)?.load).toBe(load);
  });

  it.each([
    ["lang/en/auth.php", "php"],
    ["a.b/EN.JSON", "json"],
    ["a.json/readme", undefined],
  ])("gives %s the format %s", (path, name) => expect(formatOfPath(path)?.name).toBe(name));

  describe("with keys that describe others", () => {
    const notes = "__description";
    const described = { ...context, notes };
    const file = `{
  "save": "Save",
  "save__description": "On a button",
  "menu": { "n_one": "{{count}} file", "n_other": "{{count}} files", "n__description": "Files" },
  "lost__description": "Of nothing",
  "__description": "Of an empty key"
}
`;

    it("has them as notes, not as texts", () => {
      const parsed = json.parse(bytesOf(file), described);
      expect([...parsed.texts.keys()]).toEqual(["save", "menu.n_one", "menu.n_other"]);
      expect(Object.fromEntries(parsed.notes)).toEqual({
        save: { note: "On a button" },
        "menu.n_one": { note: "Files" },
        "menu.n_other": { note: "Files" },
      });
      expect(json.parse(bytesOf(file), context).texts.size).toBe(7);
    });

    it("keeps them in a file, and leaves them out of new ones", () => {
      const edit = editOf({ template: bytesOf(file), texts: new Map([["save", "Enregistrer"]]) });
      expect(textOf(json.write(edit, described))).toBe(file.replace('"Save"', '"Enregistrer"'));
      expect(textOf(json.write({ ...edit, isSource: true }, described))).toBe(
        '{\n  "save": "Enregistrer"\n}\n',
      );
    });
  });
});
