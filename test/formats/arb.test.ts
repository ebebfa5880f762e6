import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arb } from "../../src/formats/arb.ts";
import { text } from "../helpers/arbitraries.ts";
import { bytesOf, describeProperties, editOf, fileOf, textOf } from "../helpers/format-properties.ts";

const context = { locale: "pt_BR", sourceLocale: "en" };
const source = `{
  "@@locale": "en",
  "@@x-generator": "a tool",
  "title": "Title",
  "@title": { "description": "About it" },
  "count": "{n, plural, other{{n}}}",
  "@count": {
    "placeholders": { "n": { "type": "int" } }
  },
  "@late": {},
  "late": "Late"
}
`;

const name = fc.oneof(fc.constantFrom("a", "b", "c", "__proto__", "1"), fc.string({ maxLength: 4 }));
const content = fc
  .dictionary(
    name.filter((one) => !one.startsWith("@") && !one.includes(".")),
    text,
    { maxKeys: 6 },
  )
  .map(fileOf);

function written(code: string, texts: Record<string, string>, edit = {}): string {
  const shape = arb.parse(bytesOf(source), context).content;
  const all = { template: bytesOf(code), texts: new Map(Object.entries(texts)), shape, ...edit };
  return textOf(arb.write(editOf(all), context));
}

describe("ARB", () => {
  describeProperties("arb", arb, { empties: ['{\n  "@@locale": "fr"\n}\n'], content, dropsNotes: true });

  it("holds texts, and nothing of what is about them", () => {
    const { content, nonTextValues } = arb.parse(bytesOf(source), context);
    expect(content).toEqual({ title: "Title", count: "{n, plural, other{{n}}}", late: "Late" });
    expect(nonTextValues).toEqual([]);
  });

  it("reads notes from descriptions, wherever they stand", () => {
    const file = `{
      "@late": {"description": "Said late.", "x-maxLength": 12, "context": "On the clock"},
      "late": "Late",
      "n": "{n}",
      "@n": {"placeholders": {"n": {"type": "int", "example": "3", "description": "How many"}, "m": {}}},
      "@odd": ["description"], "odd": "Odd", "@none": {"description": "Of none"}
    }`;
    expect(Object.fromEntries(arb.parse(bytesOf(file), context).notes)).toEqual({
      late: { note: "Said late.\nOn the clock", max_length: 12 },
      n: { arguments: { n: { type: "int", example: "3", description: "How many" } } },
    });
  });

  it("makes a file of another locale without descriptions, with its locale and what else is said of the file", () => {
    expect(written(source, { title: "Título", late: "Tarde" }, { isSource: true })).toBe(
      '{\n  "@@locale": "pt_BR",\n  "@@x-generator": "a tool",\n  "title": "Título",\n  "late": "Tarde"\n}\n',
    );
  });

  it("keeps the descriptions of a file of its own, puts new keys behind them, and removes them with their keys", () => {
    const file =
      '{\n  "@@locale": "pt",\n  "title": "Título",\n  "@title": {"x": 1},\n  "late": "Tarde",\n  "@other": {}\n}\n';
    expect(written(file, { count: "{n}" })).toBe(file.replace('"x": 1},\n', '"x": 1},\n  "count": "{n}",\n'));
    expect(written(file, {}, { removed: new Set(["title", "other"]) })).toBe(
      '{\n  "@@locale": "pt",\n  "late": "Tarde"\n}\n',
    );
  });
});
