import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { android } from "../../src/formats/android.ts";
import { readAndroidText, writeAndroidText } from "../../src/formats/android/android-text.ts";
import { text } from "../helpers/arbitraries.ts";
import { bytesOf, describeProperties, fileOf, textOf, readAndWrite } from "../helpers/format-properties.ts";
import { runs } from "../helpers/runs.ts";

const context = { locale: "fr", sourceLocale: "en" };
const { read, write } = readAndWrite(android, context);

function file(...lines: readonly string[]): string {
  return `<resources>\n${lines.map((line) => `    ${line}\n`).join("")}</resources>\n`;
}

function written(xml: string, texts: Record<string, string>, edit = {}): string {
  return textOf(write(xml, texts, edit));
}

const pieces = fc.constantFrom(
  ..."a <b> </b> <![CDATA[ ]]> & &lt; &amp;lt; &amp; > \" ' \\ \\n \\u0041 @ ? \n \t % 🐝 \ufffe ]]> <!--c--> <br/>".split(
    /(?<=\S) (?=\S)/,
  ),
  "  ",
  " ",
);
const anyText = fc.oneof(
  text,
  fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join("")),
);
const name = fc.constantFrom("a", "a.b", "b", "title_1", "é", "z");
const content = fc.dictionary(name, text, { maxKeys: 6 }).map(fileOf);

describe("Android texts", () => {
  it("come back as they were written, whatever they look like", () => {
    fc.assert(
      fc.property(anyText, (any) => {
        const xml = writeAndroidText(any);
        expect(readAndroidText(xml)).toBe(any);
        expect(read(file(`<string name="a">${xml}</string>`))).toEqual({ a: any });
      }),
      { numRuns: runs(250) },
    );
  });

  it("are shown so that they stay what they are", () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
        const xml = parts.join("").replaceAll("\ufffe", "");
        let shown: string | undefined;
        try {
          shown = read(file(`<string name="a">${xml}</string>`)).a;
        } catch {
          return;
        }
        if (shown !== undefined) expect(readAndroidText(writeAndroidText(shown))).toBe(shown);
      }),
      { numRuns: runs(250) },
    );
  });

  it.each([
    [String.raw`It\'s \"x\" \n\t\@ \? \\ \u00e9 \#`, 'It\'s "x" \n\t@ ? \\ é #'],
    ["  a\n   b  ", "a b"],
    ['"  a  b "', "  a  b "],
    ['a "  " b', "a    b"],
    ["a &lt; b &amp;&amp; c", "a < b && c"],
    ["&lt;b>x&lt;/b>", "&lt;b>x&lt;/b>"],
    ["<b>a</b> &amp; c", "<b>a</b> & c"],
    ["<b>a</b> &amp;lt; c", "<b>a</b> &amp;lt; c"],
    [String.raw`<![CDATA[<b>it\'s</b>]]>`, "<![CDATA[<b>it's</b>]]>"],
    ["&#169;&#x1F41D;&quot;a  b&quot;", "©🐝a  b"],
    [String.raw`\u0020a\u0020`, " a "],
  ])("%j is read as %j", (xml, shown) => {
    expect(read(file(`<string name="a">${xml}</string>`))).toEqual({ a: shown });
  });
});

describe("Android resources", () => {
  describeProperties("android", android, {
    empties: [
      file(),
      '<?xml version="1.0" encoding="utf-8"?>\n<resources>\n    <color name="x">#fff</color>\n</resources>\n',
      "<resources/>",
      "\ufeff<!-- A -->\r\n<resources>\r\n</resources>",
    ],
    content,
    fillsLists: true,
  });

  it("leave alone what is no text, and name what is not translated", () => {
    const xml = file(
      '<string name="a" translatable="false">A</string>',
      '<string name="b">@string/a</string>',
      '<string name="c">?attr/x</string>',
      '<string name="d">@handle</string>',
      '<color name="d">#fff</color>',
    );
    const { content: found, nonTextValues } = android.parse(bytesOf(xml), context);
    expect([Object.entries(found), nonTextValues]).toEqual([[["d", "@handle"]], ["a", "b", "c"]]);
    expect(written(xml, { b: "B", a: "T" })).toBe(
      xml
        .replace("@string/a", "B")
        .replace('<string name="a" translatable="false">A</string>', '<string name="a">T</string>'),
    );
  });

  it("are made for another locale without what is not translated", () => {
    const xml = file(
      "<!-- no -->",
      '<string name="a" translatable="false">A</string>',
      '<color name="d">#fff</color>',
      "<!-- yes -->",
      '<string name="b">B</string>',
      '<string name="c">C</string>',
    );
    expect(written(xml, { b: "T" }, { isSource: true })).toBe(
      file("<!-- yes -->", '<string name="b">T</string>'),
    );
  });

  it("have plural forms that the source lacks, in its group", () => {
    const items =
      '<plurals name="items">\n        <item quantity="one">1</item>\n        <item quantity="other">2</item>\n    </plurals>';
    expect(
      written(
        file(items),
        { "items.one": "un", "items.many": "beaucoup", "items.other": "2" },
        { isSource: true },
      ),
    ).toBe(
      file(
        items
          .replace(">1<", ">un<")
          .replace(/(\n *)<item quantity="other/, '$1<item quantity="many">beaucoup</item>$&'),
      ),
    );
    const shape = { items: { one: "1", other: "2" }, days: ["Mo", "Tu"] };
    expect(
      written(
        file('<string name="a">A</string>'),
        { "items.other": "x", "days.0": "Lu", "days.1": "Ma" },
        { shape },
      ),
    ).toBe(
      file(
        '<string name="a">A</string>',
        '<plurals name="items">\n        <item quantity="other">x</item>\n    </plurals>',
        '<string-array name="days">\n        <item>Lu</item>\n        <item>Ma</item>\n    </string-array>',
      ),
    );
  });

  it("have arrays without gaps: the source text stands where none is translated", () => {
    const array = (...items: readonly string[]) =>
      `<string-array name="d">${items.map((item) => `<item>${item}</item>`).join("")}</string-array>`;
    const source = file(array("1", "2", "3"));
    expect(written(source, { "d.1": "deux" }, { isSource: true })).toBe(file(array("1", "deux", "3")));
    expect(written(source, {}, { isSource: true })).toBe(file());
    const shape = { d: ["1", "2", "3"] };
    expect(written(file(array("un")), { "d.2": "trois" }, { shape })).toBe(file(array("un", "2", "trois")));
    expect(written(file(array("un", "deux")), {}, { shape })).toBe(file(array("un", "deux")));
    const removed = new Set(["d.0"]);
    expect(written(file(array("un", "deux")), {}, { shape, removed })).toBe(file(array("1", "deux")));
  });

  it("declare the prefix of the first placeholder", () => {
    const placed = 'Hi <xliff:g id="n">%s</xliff:g>';
    expect(written(file('<string name="a">A</string>'), { a: placed })).toBe(
      file(`<string name="a">${placed}</string>`).replace(
        "<resources",
        '<resources xmlns:xliff="urn:oasis:names:tc:xliff:document:1.2"',
      ),
    );
  });

  it("keep quotes around a text, and fill an element without an end tag", () => {
    const xml = file(
      '<string name="a">"it\'s  x"</string>',
      '<string name="b" />',
      '<string name="c"></string>',
    );
    expect(written(xml, { a: 'it\'s\n"y"  ', b: "it's", c: "c" })).toBe(
      file(
        String.raw`<string name="a">"it's\n\"y\"  "</string>`,
        String.raw`<string name="b" >it\'s</string>`,
        '<string name="c">c</string>',
      ),
    );
  });

  it.each([
    [
      "<resources>\n<string name='a'>x</string>\n<string name='a'>y</string></resources>",
      "second text of the name a",
      3,
    ],
    ["<resources>\n<string name='a'>x</resources>", "is not well-formed XML", 2],
    ["<!DOCTYPE resources [<!ENTITY a 'b'>]><resources/>", "has a document type", 1],
    ["<html/>", "is not a file of Android's resources", 1],
    ["<resources>\n<string name='a'>&nbsp;</string></resources>", "is not well-formed XML", 2],
    ["<resources>\n<string name='a'>\\u12</string></resources>", "four hexadecimal digits", 2],
    ["<resources><plurals name='a'>\n<item>x</item></plurals></resources>", "has a <item> where", 2],
    ["", "is not", 1],
  ])("are refused by the line: %j", (xml, message, line) => {
    const error = { name: "FormatError", message: expect.stringContaining(message), line };
    expect(() => read(xml)).toThrow(expect.objectContaining(error));
  });

  it.each([
    [{ "no name": "x" }, {}, "resources are named by"],
    [{ "a.some": "x" }, { a: { some: "", other: "" } }, "cannot have a plural form some"],
    [{ "a.0": "x" }, { a: { "0": "" } }, "cannot have a plural form 0"],
  ])("cannot hold %j", (texts, shape, message) => {
    expect(() => written(file(), texts, { shape })).toThrow(message);
  });

  it("are read and changed with many texts", () => {
    const lines = Array.from(
      { length: 2_000 },
      (_, i) => `<string name="k${i}">It\\'s a text ${i} &lt; 3</string>`,
    );
    const changed = written(file(...lines), { k1000: "x" });
    expect(read(changed).k1000).toBe("x");
  });
});
