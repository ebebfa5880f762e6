import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canHold } from "../../src/formats/held/can-hold.ts";
import { ini } from "../../src/formats/ini.ts";
import type { Group } from "../../src/domain/strings/string-file.ts";
import { stringFile } from "../helpers/arbitraries.ts";
import { bytesOf, describeProperties, editOf, readAndWrite, textOf } from "../helpers/format-properties.ts";
import { runs } from "../helpers/runs.ts";

const context = { locale: "fr", sourceLocale: "en" };
const { read, write } = readAndWrite(ini, context);

function written(file: string, texts: Record<string, string>, edit = {}): string {
  return textOf(write(file, texts, edit));
}

/** Whether a text is the same without quotes. */
function isBare(text: string): boolean {
  return text === text.trim() && !/[\r\n]|^["']/.test(text);
}

function isPlain(group: Group): boolean {
  return Object.entries(group).every(([name, node]) => {
    const isName = name !== "" && name === name.trim() && !/[\r\n=:[\];#]/.test(name);
    return isName && (typeof node === "string" ? isBare(node) : isPlain(node));
  });
}

/** Whether no section has the name of a key. */
function isDistinct({ texts }: { readonly texts: ReadonlyMap<string, string> }): boolean {
  const keys = [...texts.keys()];
  return keys.every((key) => !keys.some((longer) => longer.startsWith(`${key}.`)));
}
const content = stringFile.filter((file) => isPlain(file.group) && isDistinct(file));

describe("INI", () => {
  describeProperties("ini", ini, { empties: ["", "; A file\n", "\ufeff", "# Head\r\n\r\n"], content });

  it.each<[string, Record<string, string>]>([
    [" a=b\nc = d \ne:f\n", { a: "b", c: "d", e: "f" }],
    ["; c\n# d\n\n \t\na = x", { a: "x" }],
    ["a=1\n[s]\na=2\nb=3\n[ t.u ]\nc=4\n[empty]\n", { a: "1", "s.a": "2", "s.b": "3", " t.u .c": "4" }],
    ['a = "x; y" ; z\nb = \'q"\' # r\nc = x ; y\n', { a: "x; y", b: 'q"', c: "x ; y" }],
    [String.raw`a = "\"x\" \\ \n C:\d"`, { a: String.raw`"x" \ \n C:\d` }],
    ['a = \'t was\nb = "x" and "y"\nc = ""\nd =\n', { a: "'t was", b: '"x" and "y"', c: "", d: "" }],
    ["[s] ; about it\n\ta:b = c", { "s.a:b": "c" }],
  ])("reads %j", (file, expected) => expect(read(file)).toEqual(expected));

  it.each<[string, string, number]>([
    ["a=b\na=c", "the key a is already in line 1", 2],
    ["[s]\na=b\n[t]\n[s]\nc=d", "has the section s a second time", 4],
    ["s=b\n[s]\na=c", "has s as a section and as a key", 2],
    ["a=b\n  c=d", "is indented more than the key above it", 2],
    ["a=b\n  c", "is indented more than the key above it", 2],
    ["a=b\nc", "has a line without =", 2],
    ["=b", "has a text without a key", 1],
    ["[s\na=b", "has a section whose name does not end", 1],
    ["[]\na=b", "has a section without a name", 1],
    ["[s] x\na=b", "has text behind the name of a section", 1],
    ['a="b\nc"', "has a text whose quotation mark does not end", 1],
    ["a=b\rc=d", "has a carriage return without a line feed", 1],
  ])("refuses %j by its line", (file, message, line) => {
    const error = { message: expect.stringContaining(message), line };
    expect(() => read(file)).toThrow(expect.objectContaining(error));
  });

  const file =
    "; Head\r\na=\"A\"\r\n\r\n; About\r\n[s]\r\n  b = 'B' ; beside\r\n  c = C\r\n\r\n[t]\r\nd=D\r\n";

  it("keeps quotes, blanks, comments and sections around a change", () => {
    expect(written(file, { a: 'x "y"', "s.b": "it's", "s.c": "x; y", "t.d": "Z" })).toBe(
      '; Head\r\na="x \\"y\\""\r\n\r\n; About\r\n[s]\r\n  b = "it\'s" ; beside\r\n  c = "x; y"\r\n\r\n[t]\r\nd=Z\r\n',
    );
  });

  it("keeps texts as they are that PHP joins of several", () => {
    const joined = 'A="Say "_QQ_"%s"_QQ_""\nB="b"\nC=x\n';
    expect(read(joined)).toEqual({ A: '"Say "_QQ_"%s"_QQ_""', B: "b", C: "x" });
    expect(written(joined, { A: '"Dire "_QQ_"%s"_QQ_""', C: '"y"' })).toBe(
      'A="Dire "_QQ_"%s"_QQ_""\nB="b"\nC="\\"y\\""\n',
    );
  });

  it("places new keys beside their neighbours of the source, and new sections behind theirs", () => {
    const shape = { z: "", a: "", y: "", s: { b: "", e: "", c: "" }, u: { f: "", g: "" }, t: { d: "" } };
    const texts = {
      z: "1",
      a: "A",
      y: "2",
      "s.b": "B",
      "s.e": "3",
      "s.c": "C",
      "u.f": "4",
      "u.g": "5",
      "t.d": "D",
    };
    expect(written(file, texts, { shape })).toBe(
      file
        .replace('a="A"\r\n', 'z="1"\r\na="A"\r\ny="2"\r\n')
        .replace("  c = C", "  e = '3'\r\n  c = C")
        .replace("[t]", '[u]\r\nf="4"\r\ng="5"\r\n\r\n[t]'),
    );
    expect(written("[s]\nb=B\n", { a: "A", "s.b": "B" })).toBe("a=A\n\n[s]\nb=B\n");
    expect(written("a=A", { a: "A", "s.b": "B" }, { shape: { a: "", s: { b: "" } } })).toBe(
      "a=A\n\n[s]\nb=B",
    );
    expect(written("[s]\n", { "s.b": "B" }, { shape: { s: { b: "" } } })).toBe("[s]\nb=B\n");
  });

  it("removes the comments above a key with it, and a section with its last key", () => {
    const removed = new Set(["s.b", "s.c"]);
    expect(written(file, {}, { removed })).toBe('; Head\r\na="A"\r\n\r\n[t]\r\nd=D\r\n');
    expect(written(file, {}, { removed: new Set(["a", "t.d"]) })).toBe(
      "; Head\r\n\r\n; About\r\n[s]\r\n  b = 'B' ; beside\r\n  c = C\r\n",
    );
    expect(written("[s]\n; Of a\na=A\n; Of b\nb=B\n", { "s.b": "B" }, { removed: new Set(["s.a"]) })).toBe(
      "[s]\n; Of b\nb=B\n",
    );
  });

  it("has the comments above a key as its notes", () => {
    const { notes } = ini.parse(bytesOf(`${file}; Of e\n;; more\n# and more\ne=E\n`), context);
    expect(Object.fromEntries(notes)).toEqual({ "t.e": { note: "Of e\nmore\nand more" } });
  });

  it("is read and written in UTF-16 with a byte order mark", () => {
    const bytes = Buffer.from("\ufeff[s]\r\na=\u00e9\r\n", "utf16le");
    expect(read(bytes)).toEqual({ "s.a": "é" });
    expect(Buffer.from(write(bytes, { "s.a": "ü" })).toString("utf16le")).toBe("\ufeff[s]\r\na=ü\r\n");
  });

  it.each([
    ["a=b", "x\ny", /has a line end/],
    ["a=b", " x", /cannot hold the text of a/],
    ["a=b", '"x"', /cannot hold the text of a/],
    ['a="b"', " x", undefined],
    ['a="b"', '"x\\"', undefined],
    ["a=b", "x ; y # z", undefined],
  ])("in %j, %j is held or not", (template, text, reason) => {
    const found = canHold(ini, { template: bytesOf(template), key: "a", context }, text);
    if (reason === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(reason);
  });

  it("holds any text of one line where the file has quotation marks", () => {
    const line = fc.string({ unit: "grapheme" }).filter((text) => !/[\r\n\0]/.test(text));
    fc.assert(
      fc.property(line, fc.constantFrom('"', "'", ""), (text, quote) => {
        const file = `a=${quote}x${quote}\nb="y"\n`;
        expect(read(write(file, { a: text, b: "y", "c c": text }))).toEqual({ a: text, b: "y", "c c": text });
      }),
      { numRuns: runs(150) },
    );
  });

  it.each(["a=b", " a", "a ", ";a", "[a]", "#a", ""])("refuses to write the key %j", (key) => {
    expect(() => written("x=y\n", { [key]: "z" })).toThrow("cannot hold the key");
  });

  it("refuses to write a section that it has no name for", () => {
    const edit = editOf({
      template: bytesOf(""),
      texts: new Map([["a].b", "c"]]),
      shape: { "a]": { b: "c" } },
    });
    expect(() => ini.write(edit, context)).toThrow("cannot hold the section a]");
  });
});
