/** What is read quickly is what the library reads; all else is left to that. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FormatError } from "../../../src/formats/patch/format-error.ts";
import { readPlainYaml } from "../../../src/formats/yaml/plain-yaml.ts";
import { isOtherInRuby, isOtherInYaml12 } from "../../../src/formats/yaml/yaml-scalars.ts";
import { readAnyYaml } from "../../../src/formats/yaml/yaml-tree.ts";
import { forAllSync } from "../../helpers/runs.ts";

/** Whether a text is read quickly, and then as the library reads it. */
function isPlain(text: string): boolean {
  let isRead = false;
  for (const [rule, mayRepeat] of [[isOtherInRuby, true] as const, [isOtherInYaml12, false] as const]) {
    const root = readPlainYaml(text, rule);
    isRead = root !== undefined;
    if (root === undefined) continue;
    try {
      expect({ root, references: [] }, JSON.stringify(text)).toEqual(readAnyYaml(text, rule, mayRepeat));
    } catch (error) {
      if (error instanceof FormatError) throw new Error(`refused: ${JSON.stringify(text)}`, { cause: error });
      throw error;
    }
  }
  return isRead;
}

const fixtures = "test/fixtures/formats";
const files = readdirSync(fixtures, { recursive: true, encoding: "utf8" }).filter((path) =>
  /\.ya?ml$/.test(path),
);

describe.each(files)("%s", (path) => {
  const text = readFileSync(join(fixtures, path), "utf8");

  it("is read as the library reads it, or not at all, also with a part gone or twice", () => {
    isPlain(text);
    forAllSync(45, fc.nat(text.length), fc.nat(40), fc.boolean(), (at, length, isTwice) => {
      const part = text.slice(at, at + length);
      isPlain(text.slice(0, at) + (isTwice ? part + part : "") + text.slice(at + length));
    });
  });
});

it.each([
  "a: b",
  "---\n# About it.\nfr:\n\n  a: Un texte, l’autre, 3:00#1\n  'b c': 'l''un'\n  \"d\": \"x \\\"y\\\" \\\\ z\\n\"\n  on: yes\n  e:\n  n: 1.5\n",
  "a:\n  b: |-\n    x\n      y\n\n    z \n  c: |\n    <p>: # - x\n\n# End.\n",
  "contacts:read:\n    a/b.c-d: '#x'\nd: \"{ x }\"\n",
])("%j is plain", (text) => {
  expect(isPlain(text)).toBe(true);
});

it.each([
  ["nothing", ""],
  ["comments alone", "# a\n"],
  ["a list", "- a\n"],
  ["a text of several lines", "a: b\n  c\n"],
  ["quotes of several lines", "a: 'b\n\n  c'\n"],
  ["a folded block", "a: >\n  b\n"],
  ["a block that keeps its end", "a: |+\n  b\n\n"],
  ["a block that counts its indentation", "a: |2\n    b\n"],
  ["a comment behind a text", "a: b # c\n"],
  ["an anchor", "a: &b c\n"],
  ["an alias", "a: &b c\nd: *b\n"],
  ["a tag", "a: !!str 1\n"],
  ["brackets", "a: {b: c}\n"],
  ["a name twice", "a: b\na: c\n"],
  ["an explicit name", "? a\n: b\n"],
  ["another escape", 'a: "\\u00e9"\n'],
  ["a tab", "a:\tb\n"],
  ["the line ends of Windows", "a: b\r\n"],
  ["a colon in a text", "a: b: c\n"],
  ["two documents", "a: b\n---\nc: d\n"],
  ["an entry that is indented less than its neighbours", "a:\n    b: c\n  d: e\n"],
])("%s is left to the library", (_, text) => {
  expect(isPlain(text)).toBe(false);
});

const pieces = [
  "a",
  "b c",
  "on",
  "1",
  "~",
  "é",
  "\u00A0",
  "😀",
  "x:y",
  "<<",
  ":",
  ": ",
  " #",
  "#",
  "- ",
  "? ",
  "!",
  "&a ",
  "*a",
  "%",
  "'x'",
  "'x''y'",
  '"x"',
  '"\\n"',
  '"\\x"',
  "'",
  '"',
  "\\",
  "|",
  "|-",
  ">",
  "|+",
  "{",
  "}",
  "[",
  "]",
  ",",
  "`",
  "@",
  "\n",
  "\n  ",
  "\n    ",
  "\n\n",
  "\n \n",
  " ",
  "  ",
  "\t",
  "---\n",
  "\n...",
  "# c\n",
];
const word = fc.constantFrom(...pieces);
const name = fc.oneof(fc.constantFrom("a", "b", "c", "d.e", "f/g", "1", "x:y", "'q'", '"r s"'), word);
const value = fc.oneof(
  fc.constantFrom("", " b", " 'b'", ' "b"', " 1", " |", " |-", " b c  ", " é: x", " b #c"),
  fc.array(word, { maxLength: 4 }).map((all) => ` ${all.join("")}`),
);
const line = fc
  .tuple(fc.constantFrom("", "  ", "    ", "      ", " "), name, value)
  .map(([indent, key, text]) => `${indent}${key}:${text}`);
const other = fc.constantFrom(
  "",
  " ",
  "      ",
  "# c",
  "    # c",
  "  x",
  "    x",
  "      x ",
  "    \u00A0",
  "---",
  "...",
  "- a",
);

it("any lines are read as the library reads them, or left to that", () => {
  const lines = fc.array(fc.oneof({ weight: 4, arbitrary: line }, other), { maxLength: 8 });
  forAllSync(4_000, lines, fc.constantFrom("", "\n", "\n\n", " ", "\n  \n"), (all, end) => {
    isPlain(all.join("\n") + end);
  });
});

it("and any pieces", () => {
  forAllSync(1_500, fc.array(word, { maxLength: 12 }), (all) => {
    isPlain(`a: ${all.join("")}`);
    isPlain(all.join(""));
  });
});
