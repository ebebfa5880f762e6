import { describe, expect, it } from "vitest";
import { formatNamed } from "../../src/formats/formats.ts";
import { bytesOf } from "../helpers/format-properties.ts";

async function notesOf(format: string, file: string, locale = "en"): Promise<unknown> {
  const found = await formatNamed(format)?.load();
  return Object.fromEntries(found?.parse(bytesOf(file), { locale, sourceLocale: "en" }).notes ?? []);
}

/** For each format with comments: how a comment is written, and an entry. */
const commented: Readonly<
  Record<
    string,
    { head: string; end: string; comment: (text: string) => string; entry: (key: string) => string }
  >
> = {
  properties: { head: "", end: "", comment: (text) => `# ${text}`, entry: (key) => `${key}=Text` },
  "properties with an exclamation mark": {
    head: "",
    end: "",
    comment: (text) => `! ${text}`,
    entry: (key) => `${key}=Text`,
  },
  strings: { head: "", end: "", comment: (text) => `/* ${text} */`, entry: (key) => `"${key}" = "Text";` },
  "strings by lines": {
    head: "",
    end: "",
    comment: (text) => `// ${text}`,
    entry: (key) => `"${key}" = "Text";`,
  },
  php: {
    head: "<?php return [",
    end: "];",
    comment: (text) => `    // ${text}`,
    entry: (key) => `    '${key}' => 'Text',`,
  },
  "php in a doc block": {
    head: "<?php return [",
    end: "];",
    comment: (text) => `    /**\n     * ${text}\n     */`,
    entry: (key) => `    '${key}' => 'Text',`,
  },
  yaml: { head: "---", end: "", comment: (text) => `# ${text}`, entry: (key) => `${key}: Text` },
  rails: { head: "en:", end: "", comment: (text) => `  # ${text}`, entry: (key) => `  ${key}: Text` },
  android: {
    head: "<resources>",
    end: "</resources>",
    comment: (text) => `  <!-- ${text} -->`,
    entry: (key) => `  <string name="${key}">Text</string>`,
  },
  resx: {
    head: "<root>",
    end: "</root>",
    comment: (text) => `  <!-- ${text} -->`,
    entry: (key) => `  <data name="${key}"><value>Text</value></data>`,
  },
};

describe.each(Object.entries(commented))("comments of %s", (name, { head, end, comment, entry }) => {
  const [format = ""] = name.split(" ");
  const read = (...lines: string[]): Promise<unknown> => notesOf(format, [head, ...lines, end].join("\n"));

  it("are notes about the key that they stand right above", async () => {
    expect(await read(entry("a"), comment("About b"), comment("and more"), entry("b"), entry("c"))).toEqual({
      b: { note: "About b\nand more" },
    });
  });

  it("are none behind an empty line", async () => {
    expect(await read(entry("a"), comment("A part"), "", comment("About b"), entry("b"))).toEqual({
      b: { note: "About b" },
    });
    expect(await read(entry("a"), comment("A part"), "", entry("b"))).toEqual({});
  });

  it("are none without a text", async () => {
    expect(await read(entry("a"), comment(""), entry("b"))).toEqual({});
    expect(await read(entry("a"), comment("No comment provided by engineer."), entry("b"))).toEqual({});
  });
});

it.each(["properties", "strings", "yaml"])("the head of a file of %s is about the file", async (format) => {
  const { comment, entry } = commented[format] ?? { comment: String, entry: String };
  expect(await notesOf(format, [comment("© Example"), entry("a")].join("\n"))).toEqual({});
});

describe("notes", () => {
  it("about a plural are about each form, and those about a group about none of its texts", async () => {
    const yaml =
      "a: x\n# Files\nfiles:\n  one: A\n  other: n\n# Menu\nmenu:\n  # Opens\n  open: Open\n  other: b\n";
    expect(await notesOf("yaml", yaml)).toEqual({
      "files.one": { note: "Files" },
      "files.other": { note: "Files" },
      "menu.open": { note: "Opens" },
    });
    const xml = `<resources><color name="c">#fff</color>
      <!-- Days -->
      <string-array name="days" comment="Short"><item>Mo</item><item>Tu</item></string-array>
      <string name="a" tools:comment="T" xmlns:tools="t" translatable="true">A</string></resources>`;
    expect(await notesOf("android", xml)).toEqual({
      "days.0": { note: "Days\nShort" },
      "days.1": { note: "Days\nShort" },
      a: { note: "T" },
    });
  });

  it("of gettext are what programs wrote, with places, flags and limits", async () => {
    const po = `# Head\nmsgid ""\nmsgstr "Plural-Forms: nplurals=2; plural=n != 1;\\n"

# a translator
#. A developer
#. in two lines
#: src/a.c:12 src/b.c:3
#: \u2068my file.c\u2069:7
#, fuzzy, c-format, max-length:20
msgid "%d file"
msgid_plural "%d files"
msgstr[0] ""
msgstr[1] ""

#~ msgid "gone"
#~ msgstr "weg"

#  nothing
msgid "plain"
msgstr ""
`;
    const note = {
      note: "A developer\nin two lines",
      where: ["src/a.c:12", "src/b.c:3", "my file.c:7"],
      tags: ["c-format"],
      max_length: 20,
    };
    expect(await notesOf("po", po)).toEqual({ "%d file.one": note, "%d file.other": note });
  });

  it("of .resx and of an extension stand beside their texts", async () => {
    const resx = `<root><data name="a"><value>A</value><comment> About a </comment></data></root>`;
    expect(await notesOf("resx", resx)).toEqual({ a: { note: "About a" } });
    const chrome = {
      a: { message: "$N$", description: "About a", placeholders: { n: { content: "$1", example: "3" } } },
      b: { message: "B", description: 1, placeholders: { n: null } },
      c: { description: "Without a message" },
    };
    expect(await notesOf("chrome", JSON.stringify(chrome))).toEqual({
      a: { note: "About a", arguments: { n: { example: "3" } } },
    });
  });
});
