import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { strings } from "../../src/formats/strings.ts";
import { text } from "../helpers/arbitraries.ts";
import { describeProperties, editOf, fileOf, textOf, readAndWrite } from "../helpers/format-properties.ts";

const context = { locale: "fr", sourceLocale: "en" };
const { read, write } = readAndWrite(strings, context);

function written(file: string, texts: Record<string, string>, edit = {}): string {
  return textOf(write(file, texts, edit));
}

const name = fc.oneof(fc.constantFrom("a", "a.b", "Hello. You?", "%d items", '"', "\\", "*/", "//"), text);
const content = fc.dictionary(name, text, { maxKeys: 6 }).map(fileOf);

function utf16(text: string, isLittle: boolean): Uint8Array {
  const bytes = Buffer.from(text, "utf16le");
  return isLittle ? bytes : bytes.swap16();
}

describe("Apple strings", () => {
  describeProperties("strings", strings, {
    empties: ["", "/* A file */\n", "// x\r\n\r\n", "\ufeff"],
    content,
  });

  describe.each([true, false])("in UTF-16, little end first: %s", (isLittle) => {
    it("keep it through a change", () => {
      const file = '\ufeff/* é */\r\n"a" = "é🐝";\r\n';
      expect(read(utf16(file, isLittle))).toEqual({ a: "é🐝" });
      const edit = editOf({ template: utf16(file, isLittle), texts: new Map([["b", "\u2028ü🐝"]]) });
      const expected = utf16(`${file}"b" = "\u2028ü🐝";\r\n`, isLittle);
      expect(Buffer.from(strings.write(edit, context))).toEqual(Buffer.from(expected));
    });
  });

  it.each<[string, Record<string, string>]>([
    ['"a"="b";c = d.e;\n/* x */ "f" /* = */ = // y\n "g" ;', { a: "b", c: "d.e", f: "g" }],
    [String.raw`"a" = "\"\\\n\t\U00e9\u00E9\101\q\'";`, { a: "\"\\\n\tééAq'" }],
    ['"a" = "two\nlines";\n\'b\' = \'"\';', { a: "two\nlines", b: '"' }],
    ["", {}],
  ])("read %j", (file, expected) => expect(read(file)).toEqual(expected));

  it.each<[string, string, number]>([
    ['"a" = "b"\n"c" = "d";', 'has \\" where ; should be', 2],
    ['"a";', "has ; where = should be", 1],
    ['"a" = { "b" = "c"; };', "has { where a text should be", 1],
    ['"a" = "b', "has a text that does not end", 1],
    ['\n"a" = "\\351";', "by its number", 2],
    ['"a" = "\\Ud83d";', "lone surrogate", 1],
    ["/* a", "has a comment that does not end", 1],
    ['"a" = "b";\n<c', "has < where a key should be", 2],
    ["<?xml", "is a property list in XML", 1],
    ["<!-- c -->\n<plist>", "is a property list in XML", 1],
    ['"a" = "b";\r"c" = "d";', "has a carriage return without a line feed", 1],
  ])("are refused by the line: %j", (file, message, line) => {
    const error = { name: "FormatError", message: expect.stringContaining(message), line };
    expect(() => read(file)).toThrow(expect.objectContaining(error));
  });

  it.each([
    Uint8Array.of(0xff, 0xfe, 0x41),
    Uint8Array.of(0xff, 0xfe, 0x00, 0xd8),
    Uint8Array.of(0x41, 0xff),
  ])("are refused in no encoding: %s", (bytes) =>
    expect(() => read(bytes)).toThrow(expect.objectContaining({ name: "FormatError" })),
  );

  it("keep blanks and comments around a change, and have new keys beside their neighbours", () => {
    const file = '/* A file */\n\n/* About a */\n"a"="A"; // a\n\n/* About c */\n  "c" = "C";\n';
    const shape = { a: "", b: "", c: "" };
    expect(written(file, { a: 'A "1"\n', b: "B" }, { shape })).toBe(
      file.replace('"A"; // a\n', '"A \\"1\\"\\n"; // a\n"b"="B";\n'),
    );
    expect(written(file, {}, { removed: new Set(["a"]) })).toBe(
      '/* A file */\n\n\n/* About c */\n  "c" = "C";\n',
    );
  });
});
