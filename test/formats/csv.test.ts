import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { csv } from "../../src/formats/csv.ts";
import { text } from "../helpers/arbitraries.ts";
import { bytesOf, editOf, fixturesOf, textOf } from "../helpers/format-properties.ts";
import { runs } from "../helpers/runs.ts";

const sourceLocale = "en";
const contextOf = (locale: string) => ({ locale, sourceLocale });

function read(file: string | Uint8Array, locale: string): Record<string, string> {
  const bytes = typeof file === "string" ? bytesOf(file) : file;
  return Object.fromEntries(csv.parse(bytes, contextOf(locale)).texts);
}

function write(file: string, locale: string, texts: Record<string, string>, removed: string[] = []): string {
  const template = bytesOf(file);
  const edit = { template, texts: new Map(Object.entries(texts)), removed: new Set(removed) };
  return textOf(csv.write(editOf(edit), contextOf(locale)));
}

const file = [
  "keys,en,_notes,fr,?plural",
  'HELLO,"Hello, you",Above all,Bonjour,',
  "?pluralrule,,,,",
  "",
  'LINES,"one\ntwo",,,',
  ",no key,,rien,",
  "SHORT,Short",
  "EMPTY,,,vide,",
  "",
].join("\n");

describe("CSV with a column for each locale", () => {
  it("has the texts of each locale by the keys of the first column", () => {
    expect(read(file, "en")).toEqual({ HELLO: "Hello, you", LINES: "one\ntwo", SHORT: "Short", EMPTY: "" });
    expect(read(file, "fr")).toEqual({ HELLO: "Bonjour", EMPTY: "vide" });
    expect(read(file, "de")).toEqual({});
    expect(csv.locales?.(bytesOf(file))).toEqual(["en", "fr"]);
    expect(csv.parse(bytesOf(file), contextOf("en")).lineOf("SHORT")).toBe(8);
  });

  it("has columns for people as notes", () => {
    const { notes } = csv.parse(bytesOf("id\tnote\ten\tContext\na\tShort\tA\tA button\n"), contextOf("en"));
    expect(Object.fromEntries(notes)).toEqual({ a: { note: "Short\nA button" } });
  });

  it("may have the texts of the source for keys", () => {
    const keyed = "en,?context,fr,de\nLetter,Of a language,Lettre,\n";
    expect(read(keyed, "en")).toEqual({ Letter: "Letter" });
    expect(read(keyed, "fr")).toEqual({ Letter: "Lettre" });
    const { notes } = csv.parse(bytesOf(keyed), contextOf("en"));
    expect(Object.fromEntries(notes)).toEqual({ Letter: { note: "Of a language" } });
    expect(write(keyed, "de", { Letter: "Buchstabe" })).toBe(keyed.replace("Lettre,", "Lettre,Buchstabe"));
    expect(write(keyed, "en", { Letter: "Sign" })).toBe(keyed);
  });

  it("changes fields alone, quoted as they were", () => {
    expect(write(file, "fr", { HELLO: "Salut", LINES: "un\ndeux", SHORT: 'dit "court"' }, ["EMPTY"])).toBe(
      file
        .replace("Bonjour", "Salut")
        .replace('"one\ntwo",,,', '"one\ntwo",,"un\ndeux",')
        .replace("SHORT,Short", 'SHORT,Short,,"dit ""court"""')
        .replace("vide", ""),
    );
    expect(write(file, "en", { HELLO: "Hi" })).toBe(file.replace("Hello, you", "Hi"));
  });

  it("gets a column for a locale that it lacks, once there is a text", () => {
    expect(write('keys;en\nA;a\nB;"b"\n\nC;c', "pt_BR", { A: "x;y", B: "z" })).toBe(
      'keys;en;pt_BR\nA;a;"x;y"\nB;"b";"z"\n\nC;c;',
    );
    const file = "keys,en\nA,a\n";
    expect([write(file, "fr", {}), write(file, "fr", { A: "" })]).toEqual([file, file]);
  });

  it("has no place for keys without a row", () => {
    const edit = editOf({
      template: bytesOf(file),
      texts: new Map([
        ["HELLO", "x"],
        ["HELLO_few", "y"],
      ]),
    });
    expect(csv.unplaced?.(edit, contextOf("fr"))).toEqual(["HELLO_few"]);
    expect(textOf(csv.write(edit, contextOf("fr")))).toBe(file.replace("Bonjour", "x"));
  });

  it("has line feeds in texts where the file has CRLF", () => {
    const crlf = '\ufeffkeys,en,fr\r\nA,"one\r\ntwo",\r\nB,b,c\r\n';
    expect(read(crlf, "en")).toEqual({ A: "one\ntwo", B: "b" });
    expect(write(crlf, "fr", { A: "un\ndeux" })).toBe(crlf.replace('two",', 'two","un\r\ndeux"'));
  });

  it.each<[string, string, number]>([
    ["keys,fr\na,b\n", "has no column en", 1],
    ["", "has no column en", 1],
    ["keys,en,fr,en\n", "names the column en twice", 1],
    ["keys,en\na,b\na,c\n", "the key a is already in line 2", 3],
    ['keys,en\na,"b\n', "has a quote that is not closed", 2],
    ['keys,en\na,"b"c\n', "has text after a closing quote", 2],
    ["keys,en\na,b,c\n", "has 3 fields, more than the 2 columns", 2],
  ])("refuses %j by its line", (wrong, message, line) => {
    const error = { message: expect.stringContaining(message), line };
    expect(() => read(wrong, "en")).toThrow(expect.objectContaining(error));
  });

  const files = fixturesOf("csv").map(({ source }) => source);
  it("has files of projects", () => expect(files.length).toBeGreaterThan(0));

  it.each(files)(
    "$name stays byte by byte when nothing changes, and holds any texts of any locale",
    ({ bytes }) => {
      const locales = [...(csv.locales?.(bytes) ?? []), "sv"];
      const keys = Object.keys(read(bytes, "en"));
      expect(keys.length).toBeGreaterThan(3);
      for (const locale of locales) {
        const texts = new Map(Object.entries(read(bytes, locale)));
        for (const edit of [{}, { texts }])
          expect(textOf(csv.write(editOf({ template: bytes, ...edit }), contextOf(locale)))).toBe(
            textOf(bytes),
          );
      }
      const example = fc.record({
        locale: fc.constantFrom(...locales),
        texts: fc.dictionary(fc.constantFrom(...keys), text, { minKeys: 1 }),
      });
      fc.assert(
        fc.property(example, ({ locale, texts }) => {
          const now = write(textOf(bytes), locale, texts);
          const expected = { ...read(bytes, locale), ...texts };
          const filled = Object.entries(expected).filter(([, one]) => one !== "");
          const found = Object.entries(read(now, locale)).filter(([, one]) => one !== "");
          expect(Object.fromEntries(found)).toEqual(Object.fromEntries(filled));
          for (const other of locales)
            if (other !== locale) expect(read(now, other)).toEqual(read(bytes, other));
          const removed = write(now, locale, {}, keys);
          expect(Object.values(read(removed, locale)).join("")).toBe("");
        }),
        { numRuns: runs(75) },
      );
    },
  );
});
