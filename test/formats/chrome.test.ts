import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chrome } from "../../src/formats/chrome.ts";
import { formatOfPath } from "../../src/formats/formats.ts";
import { text } from "../helpers/arbitraries.ts";
import { bytesOf, describeProperties, fileOf, readAndWrite, textOf } from "../helpers/format-properties.ts";

const context = { locale: "fr", sourceLocale: "en" };
const { read, write } = readAndWrite(chrome, context);
const name = fc.oneof(fc.constantFrom("a", "b", "c", "__proto__", "1"), fc.string({ maxLength: 4 }));
const content = fc.dictionary(name, text, { maxKeys: 6 }).map(fileOf);

const source = `{
  "tabs": {
    "message": "$N$ tabs",
    "description": "In the tooltip.",
    "placeholders": { "n": { "content": "$1" } }
  },
  "close": { "message": "Close" }
}
`;

describe("messages.json of an extension", () => {
  it("keeps comments, which Chrome reads", () => {
    const file = `// All texts.
{
  // About a.
  "a": { /* short */ "message": "A", // said
    "description": "D" /* , */ },
  /* About b. */
  "b": { "message": "B // no comment" }
} // the end
`;
    const context = { locale: "fr", sourceLocale: "en" };
    const parsed = chrome.parse(Buffer.from(file), context);
    expect(Object.fromEntries(parsed.texts)).toEqual({ a: "A", b: "B // no comment" });
    expect(parsed.notes.get("a")).toEqual({ note: "D" });
    const written = (texts: Readonly<Record<string, string>>, removed: readonly string[] = []): string => {
      const edit = {
        template: Buffer.from(file),
        source: Buffer.from(file),
        isSource: false,
        texts: new Map(Object.entries(texts)),
        removed: new Set(removed),
        shape: { a: "A", b: "B", c: "C" },
      };
      return Buffer.from(chrome.write(edit, context)).toString();
    };
    expect(written({ a: "A", b: "B // no comment" })).toBe(file);
    expect(written({ a: "New", b: "B // no comment" })).toBe(file.replace('"A"', '"New"'));
    const without = written({ a: "A" }, ["b"]);
    expect(without).toContain("// About a.");
    expect(without).not.toContain("About b.");
    expect(Object.fromEntries(chrome.parse(Buffer.from(without), context).texts)).toEqual({ a: "A" });
    const more = chrome.parse(Buffer.from(written({ a: "A", b: "B", c: "C" })), context);
    expect(Object.fromEntries(more.texts)).toEqual({ a: "A", b: "B", c: "C" });
  });

  describeProperties("chrome", chrome, { empties: ["{}", "{\n}\n", '{"x":{}}'], content });

  it.each(["_locales/fr/messages.json", "src/_locales/{locale}/messages.json"])(
    "is known by its path: %s",
    (path) => expect(formatOfPath(path)?.name).toBe("chrome"),
  );

  it.each(["locales/fr/messages.json", "_locales/fr/other.json", "_locales/messages.json"])(
    "is not any other JSON: %s",
    (path) => expect(formatOfPath(path)?.name).toBe("json"),
  );

  it("holds messages, and nothing of what is beside them", () => {
    expect(read(source)).toEqual({ tabs: "$N$ tabs", close: "Close" });
    const { nonTextValues } = chrome.parse(bytesOf('{"a": {"message": 1}, "b": "c", "d": ["e"]}'), context);
    expect(nonTextValues).toEqual(["a", "b", "d"]);
  });

  it("gives a new message what the source has beside it, in the file's own style", () => {
    const file = '{\r\n\t"close": { "message": "Fermer" }\r\n}';
    expect(
      textOf(
        write(file, { tabs: "$N$ onglets" }, { source: bytesOf(source), shape: { tabs: "", close: "" } }),
      ),
    ).toBe(
      '{\r\n\t"tabs": {\r\n\t  "message": "$N$ onglets",\r\n\t  "description": "In the tooltip.",\r\n' +
        '\t  "placeholders": { "n": { "content": "$1" } }\r\n\t},\r\n\t"close": { "message": "Fermer" }\r\n}',
    );
  });

  it("makes a file of another locale with all that stands beside its messages", () => {
    const made = write(source, { tabs: "$N$ onglets" }, { isSource: true });
    expect(textOf(made)).toBe(source.replace("$N$ tabs", "$N$ onglets").replace(/,\n  "close".*/, ""));
  });
});
