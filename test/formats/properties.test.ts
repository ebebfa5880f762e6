import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { properties } from "../../src/formats/properties.ts";
import { text } from "../helpers/arbitraries.ts";
import {
  bytesOf,
  describeProperties,
  editOf,
  fileOf,
  textOf,
  readAndWrite,
} from "../helpers/format-properties.ts";

const context = { locale: "fr", sourceLocale: "en" };
const { read, write } = readAndWrite(properties, context);

function written(file: string | Uint8Array, texts: Record<string, string>, edit = {}): string {
  return Buffer.from(write(file, texts, edit)).toString("latin1");
}

const name = fc.oneof(fc.constantFrom("a", "a.b", "# x", "! y", "k = v", "c:d", "é", " ", "\\"), text);
const content = fc
  .dictionary(
    name.filter((one) => one !== ""),
    text,
    { maxKeys: 6 },
  )
  .map(fileOf);

describe("Java properties", () => {
  describeProperties("properties", properties, { empties: ["", "# é\n", "# a\r\n\r\n", "\ufeff"], content });

  it.each<[string, Record<string, string>]>([
    ["a=b\nc:d\ne f\n  g   =   h i \nj\nk = \n", { a: "b", c: "d", e: "f", g: "h i ", j: "", k: "" }],
    ["# c\n! d\n\n \t\na = # b\n", { a: "# b" }],
    ["a = one \\\n    two\\\r\n\tthree\nb=c\\\\\nd=e", { a: "one twothree", b: "c\\", d: "e" }],
    [String.raw`a\ b\=\:\#=\u00e9\u00E9\ud83d\udc1d\n\t\z\\`, { "a b=:#": "éé🐝\n\tz\\" }],
    ["a \\\n = b", { a: "b" }],
    ["=x", { "": "x" }],
  ])("reads %j", (file, expected) => expect(read(file)).toEqual(expected));

  it.each<[string, string, number]>([
    ["a=b\nc=\\u12x4", "has a backslash without what it escapes", 2],
    ["a=b\\", "has a backslash without what it escapes", 1],
    ["a=b\nc=\\ud800", "lone surrogate", 2],
    ["a=b\rc=d", "has a carriage return without a line feed", 1],
  ])("refuses %j by its line", (file, message, line) => {
    const error = { message: expect.stringContaining(message), line };
    expect(() => read(file)).toThrow(expect.objectContaining(error));
  });

  it("keeps separators, blanks, continued lines and comments around a change", () => {
    const file = "# of a\r\n  a   :   A\r\nb B\r\nc = one \\\r\n    two\r\nd\r\n";
    expect(written(file, { a: " x\ny", b: "é", d: "D" })).toBe(
      "# of a\r\n  a   :   \\ x\\ny\r\nb \\u00e9\r\nc = one \\\r\n    two\r\nd=D\r\n",
    );
    expect(written(file, { e: "E", c: "C" }, { removed: new Set(["b"]) })).toContain("c = C\r\nd\r\ne=E\r\n");
  });

  it("removes the comment above a key with it, but not the one at the start of the file", () => {
    const file = "# The file\n# and more\na=A\n# about b\nb=B\n\n# about all\n\nc=C";
    expect(written(file, {}, { removed: new Set(["a", "b", "c"]) })).toBe(
      "# The file\n# and more\n\n# about all\n\n",
    );
  });

  it("keeps ISO 8859-1 byte by byte, and escapes what it writes", () => {
    const latin = Buffer.from("a=caf\u00e9\nb=x\n", "latin1");
    expect(read(latin)).toEqual({ a: "café", b: "x" });
    expect(written(latin, { b: "œuvre é" })).toBe("a=caf\u00e9\nb=\\u0153uvre \\u00e9\n");
  });

  it("escapes in a file that is all ASCII, and not in one of UTF-8", () => {
    expect(written("a=b\n", { a: "é" })).toBe("a=\\u00e9\n");
    const bytes = bytesOf("a=b\nc=ü\n");
    const edit = editOf({ template: bytes, texts: new Map([["a", "é"]]) });
    expect(textOf(properties.write(edit, context))).toBe("a=é\nc=ü\n");
  });

  it("reads and changes a large file, of many lines or one", () => {
    const lines = Array.from(
      { length: 2_000 },
      (_, i) => `key.${i} = A text that is as long as texts are, about ${i}\n`,
    );
    expect(written(lines.join(""), { "key.7": "x", new: "y" }).length).toBeGreaterThan(100_000);
    expect(written(`a=${"x".repeat(2e6)}`, { b: "y" })).toHaveLength(2e6 + 6);
    const { nonTextValues } = properties.parse(bytesOf("a".repeat(1e6)), context);
    expect(nonTextValues).toEqual(["a".repeat(1e6)]);
  });
});
