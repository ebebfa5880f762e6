import { FluentBundle, FluentResource } from "@fluent/bundle";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fluent } from "../../src/formats/fluent.ts";
import {
  bytesOf,
  describeProperties,
  editOf,
  fileOf,
  readAndWrite,
  textOf,
} from "../helpers/format-properties.ts";

const context = { locale: "fr", sourceLocale: "en" };
const { read, write } = readAndWrite(fluent, context);

const word = fc.constantFrom(
  "x",
  "Ünï",
  "{ $n }",
  "{ -brand }",
  "it's",
  '{ "}" }',
  "100 %",
  "[a]",
  "a.b",
  "=",
);
const line = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => `w ${words.join(" ")}`);
const selector = fc
  .tuple(line, line)
  .map(([one, other]) => `{ $n ->\n    [one] ${one}\n   *[other] ${other}\n}`);
const pattern = fc.oneof(
  line,
  fc.array(line, { minLength: 2, maxLength: 3 }).map((lines) => lines.join("\n")),
  fc.tuple(line, line).map(([a, b]) => `${a}\n  ${b}\n\n  ${a}`),
  fc.tuple(line, selector).map(([text, choice]) => `${text} ${choice}`),
  selector,
);
const name = fc.constantFrom("a", "b-c", "d_1", "a.title", "e.label", "e.title", "-brand", "-t");
const content = fc.dictionary(name, pattern, { maxKeys: 6 }).map(fileOf);

function written(file: string, texts: Record<string, string>, edit = {}): string {
  return textOf(write(file, texts, edit));
}

describe("Fluent", () => {
  describeProperties("fluent", fluent, {
    empties: ["", "# A file\n", "### Head\r\n\r\n## Part\r\n", "\ufeff"],
    content,
    wrapsLines: true,
    // Another text than a pattern stays in the Hive.
    canHold: () => true,
  });

  it("holds patterns without their indentation", () => {
    expect(
      read(
        "a =\n    one\n      two\n\n    three\nb = in line\n    and more\n-t = v\n  .g = m\nc =\r\n    .x = y\r\n    .z =\r\n        zz\r\n",
      ),
    ).toEqual({
      a: "one\n  two\n\nthree",
      b: "in line\nand more",
      "-t": "v",
      "-t.g": "m",
      "c.x": "y",
      "c.z": "zz",
    });
  });

  it("has comments as notes of a message and its attributes, but not those of a part of the file", () => {
    const file = "### File\n\n## Part\n\n# About a\n# in two lines\na = A\n    .b = B\n\n# alone\n\nc = C\n";
    const { notes } = fluent.parse(bytesOf(file), context);
    const note = { note: "About a\nin two lines" };
    expect(Object.fromEntries(notes)).toEqual({ a: note, "a.b": note });
  });

  it.each<[string, string, number]>([
    ["a = {", "is not Fluent: Expected an inline expression", 1],
    ["a = b\n\nnothing here\n", "is not Fluent: Expected token", 3],
    ["a = b\na = c\n", "the key a is already in line 1", 2],
    ["-t =\n  .a = b\n", "is not Fluent: Expected term", 1],
    [`a = ${"{".repeat(9999)}`, "nested deeper than 100", 1],
  ])("is refused by the line: %j", (file, message, line) => {
    const error = { name: "FormatError", message: expect.stringContaining(message), line };
    expect(() => read(file)).toThrow(expect.objectContaining(error));
  });

  it("adds messages and attributes where the source has them, with its comments", () => {
    const source = "# About a\na = A\nb = B\n    .x = X\n\n## Part\n\nc = C\n";
    const file = "b = Bé\n\nc = Cé\n";
    expect(written(file, { a: "À", "b.x": "É" }, { source: bytesOf(source) })).toBe(
      "# About a\na = À\n\nb = Bé\n    .x = É\n\nc = Cé\n",
    );
  });

  it("removes texts with what belongs to them, and no more", () => {
    const file = "# File\n\n# About a\na = A\n    .x = X\n    .y =\n        Y\n\nb = B\n";
    const without = (...removed: string[]): string => written(file, {}, { removed: new Set(removed) });
    expect(without("a.x")).toBe(file.replace("    .x = X\n", ""));
    expect(without("a.y")).toBe(file.replace("\n    .y =\n        Y", ""));
    expect(without("a")).toBe(file.replace("a = A", "a ="));
    expect(without("a", "a.x", "a.y")).toBe("# File\n\nb = B\n");
    expect(without("b")).toBe(file.replace("\nb = B\n", ""));
  });

  it("has no place for an attribute of a term that there is not", () => {
    const texts = new Map(Object.entries({ a: "fine", "-t.case": "of no term", "-u.x": "x" }));
    const edit = editOf({ template: bytesOf("-u = U\n"), texts });
    expect(fluent.unplaced?.(edit, context)).toEqual(["-t.case"]);
  });

  it("cannot hold what is no pattern", () => {
    for (const text of ["{ $a", "x\n.y = z", " blank", "}", "x\n"])
      expect(fluent.problemIn?.(text, "a", undefined)).toContain("is no pattern of Fluent");
    expect(fluent.problemIn?.("fine { $a }", "a", undefined)).toBeUndefined();
    expect(() => written("", { a: "{ $a" })).toThrow("cannot hold the text of a");
  });

  it.each(["\t", "\u3000", "\u00a0", "\t \t"])(
    "writes a text that begins with %j so that Fluent's own renderer has it, too",
    (blank) => {
      const text = `${blank}{ $n } files`;
      for (const before of ["a = A", "a =\n    A", "a =\n    { $n ->\n       *[other] A\n    }", "b = B"]) {
        const file = written(`${before}\n`, { a: text });
        expect(fluent.parse(bytesOf(file), context).texts.get("a")).toBe(text);
        const bundle = new FluentBundle("en", { useIsolating: false });
        bundle.addResource(new FluentResource(file));
        const value = bundle.getMessage("a")?.value ?? "";
        expect(bundle.formatPattern(value, { n: 1 })).toBe(`${blank}1 files`);
      }
      expect(fluent.problemIn?.(`${blank}x\n y`, "a", undefined)).toBeDefined();
    },
  );

  it("writes what Fluent's own renderer reads as the same text", () => {
    fc.assert(
      fc.property(content, (file) => {
        const bytes = fluent.write(
          editOf({ template: bytesOf(""), texts: file.texts, shape: file.group }),
          context,
        );
        const rendered = (code: string, key: string): unknown => {
          const bundle = new FluentBundle("en", { useIsolating: false });
          expect(
            bundle.addResource(new FluentResource(`${code}\n-brand = B\n`), { allowOverrides: true }),
          ).toEqual([]);
          const [id = "", attribute] = key.split(".");
          const message = bundle.getMessage(id);
          const found = attribute === undefined ? message?.value : message?.attributes[attribute];
          return found && bundle.formatPattern(found, { n: 1 }, []);
        };
        for (const [key, text] of file.texts) {
          if (key.startsWith("-")) continue;
          const alone = `x =\n${text
            .split("\n")
            .map((one) => (one === "" ? "" : `    ${one}`))
            .join("\n")}`;
          expect(rendered(textOf(bytes), key)).toBe(rendered(alone, "x"));
        }
      }),
    );
  });
});
