import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { resx } from "../../src/formats/resx.ts";
import { xmlText } from "../helpers/arbitraries.ts";
import { bytesOf, describeProperties, fileOf, readAndWrite, textOf } from "../helpers/format-properties.ts";

const context = { locale: "fr", sourceLocale: "en" };
const { read, write } = readAndWrite(resx, context);
const name = fc.oneof(fc.constantFrom("a", "label1.Text", "c", "__proto__", 'q"<&>'), xmlText);
const content = fc
  .dictionary(
    name.filter((one) => !one.startsWith(">>")),
    xmlText,
    { maxKeys: 6 },
  )
  .map(fileOf);

const rootOf = (inner: string): string => `<?xml version="1.0" encoding="utf-8"?>\n<root>\n${inner}</root>`;
const dataOf = (key: string, value: string): string =>
  `  <data name="${key}" xml:space="preserve">\n    <value>${value}</value>\n  </data>\n`;
const source = rootOf(
  dataOf("a", "A").replace("</value>", "</value>\n    <comment>About a</comment>") + dataOf("b", "B"),
);

describe("resx", () => {
  describeProperties("resx", resx, {
    empties: [rootOf("  <resheader name='version'><value>2.0</value></resheader>\n"), rootOf(""), "<root />"],
    content,
  });

  it.each<[string, Record<string, string>]>([
    [dataOf("a", "x &lt; y &amp; &#233;<![CDATA[<b>]]><!-- no -->"), { a: "x < y & é<b>" }],
    [dataOf("a", "").replace("<value></value>", "<value />"), { a: "" }],
    [dataOf("&gt;&gt;a", "b") + dataOf("i", "AAEC").replace("name", 'mimetype="x" name'), {}],
    [dataOf("a", "").replace("<value></value>", "<comment>c</comment>"), {}],
  ])("reads %j", (file, expected) => expect(read(rootOf(file))).toEqual(expected));

  it.each<[string, string]>([
    ['<!DOCTYPE root [<!ENTITY a "b">]><root></root>', "document type"],
    ["<resources></resources>", "whose root is <root>"],
    [rootOf(dataOf("a", "&nbsp;")), "is not well-formed XML"],
  ])("is refused: %j", (file, message) => expect(() => read(file)).toThrow(message));

  it("fills an element without an end tag", () => {
    const file = rootOf(dataOf("a", "").replace("<value></value>", "<value />"));
    expect(textOf(write(file, { a: "/>" }))).toBe(rootOf(dataOf("a", "/&gt;")));
    expect(textOf(write(rootOf(dataOf("a", "/>")), { a: "b" }))).toBe(rootOf(dataOf("a", "b")));
  });

  it("gives a new text the comment that the source has", () => {
    const file = rootOf(dataOf("b", "Bé")).replaceAll("\n", "\r\n");
    expect(textOf(write(file, { a: "À" }, { source: bytesOf(source), shape: { a: "", b: "" } }))).toBe(
      source.replace(">A<", ">À<").replace(">B<", ">Bé<").replaceAll("\n", "\r\n"),
    );
  });

  it("gives it the one that counts where the source has the name twice", () => {
    const file = rootOf(dataOf("b", "Bé"));
    const twice = source.replace("</root>", '<data name="a"><value>old</value></data>\n</root>');
    expect(textOf(write(file, { a: "À" }, { source: bytesOf(twice), shape: { a: "", b: "" } }))).toBe(
      source.replace(">A<", ">À<").replace(">B<", ">Bé<"),
    );
  });

  it("refuses characters that XML does not have", () => {
    expect(() => write(source, { a: "\u0001" })).toThrow("as XML has no spelling for U+0001");
  });
});
