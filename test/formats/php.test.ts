import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { php } from "../../src/formats/php.ts";
import { text } from "../helpers/arbitraries.ts";
import { bytesOf, describeProperties, editOf, textOf, textsOf } from "../helpers/format-properties.ts";
import { readPhpArray } from "../helpers/php.ts";
import { runs } from "../helpers/runs.ts";

const context = { locale: "fr", sourceLocale: "en" };

function read(code: string): unknown {
  return php.parse(bytesOf(code), context).content;
}

function written(code: string, texts: Record<string, string>, edit = {}): string {
  const template = bytesOf(code);
  const { content: shape } = php.parse(template, context);
  return textOf(
    php.write(editOf({ template, texts: new Map(Object.entries(texts)), shape, ...edit }), context),
  );
}

const file = (array: string): string => `<?php\n\nreturn ${array};\n`;

describe("PHP", () => {
  describeProperties("php", php, { empties: ["<?php\n\nreturn [];\n", "<?php return array();"] });

  it("leaves no group behind for texts that stand in another one", () => {
    // Both keys start with `a.b.c.`, in groups of different names.
    const shape = { "a.b.c": { a: "A" }, "a.b": { c: { d: "D" } } };
    const texts = new Map([
      ["a.b.c.a", "A"],
      ["a.b.c.d", "D"],
    ]);
    const template = bytesOf("<?php\n\nreturn [\n    'k' => 'K',\n];\n");
    const context = { locale: "fr", sourceLocale: "en" };
    expect(textOf(php.write(editOf({ template, texts, shape }), context))).toBe(
      "<?php\n\nreturn [\n    'k' => 'K',\n    'a.b.c' => [\n        'a' => 'A',\n        'd' => 'D',\n    ],\n];\n",
    );
  });

  it.each<[string, unknown]>([
    [String.raw`['a' => 'it\'s \\ \n $x']`, { a: String.raw`it's \ \n $x` }],
    [String.raw`["a" => "l\n\t\$x \x41\101\u{1F41D} \q {x} $ 5$"]`, { a: "l\n\t$x AA🐝 \\q {x} $ 5$" }],
    [String.raw`["a" => "\xC3\xA9\303\251"]`, { a: "éé" }],
    ["array('a' => array('b', 'c',), 'd' => [])", { a: ["b", "c"], d: [] }],
    ["[5 => 'a', 'b', '7' => 'c', -1 => 'd', 'e']", { "-1": "d", 5: "a", 6: "b", 7: "c", 8: "e" }],
    ["['a' => 1, 'b' => -1.5e3, 'c' => true, 'd' => NULL, 'e' => 'x']", { e: "x" }],
    ["['a' => 'x' . \"y\" /* and */ . 'z', 'b' => 'c']", { a: "xyz", b: "c" }],
    [
      "['a' => <<<EOT\n  x \\\"\n    y\\n\n  EOT, 'b' => <<<'E'\n$x\\n\nE\n]",
      { a: 'x \\"\n  y\n', b: "$x\\n" },
    ],
    ["['a' => <<<EOT\nEOT]", { a: "" }],
    ["[ # one\n 'a' // two ]\n => /* three */ 'b', /* ] */ ]", { a: "b" }],
  ])("reads %s", (array, expected) => {
    expect(read(file(array))).toEqual(expected);
  });

  it.each([
    "<?php return ['a' => 'b'];",
    "<?PHP\ndeclare(strict_types=1);\n// x\nRETURN ['a' => 'b']\n?>\n",
    "<?php\n\n$lang = array(\n  'a' => 'b',\n);\n\nreturn $lang;\n",
    "<?php $_L1=['a' => 'b'] ; // x\nreturn /* y */ $_L1 ?>\n",
    "<?php\n$lang = ['a' => 'b'];\n",
    "<?php\n$lang = ['a' => 'b'] ?>",
  ])("reads and changes a whole file: %j", (code) => {
    expect(read(code)).toEqual({ a: "b" });
    expect(written(code, { a: "new" })).toBe(code.replace("'b'", "'new'"));
  });

  it.each<[string, string, number]>([
    ["['a' => trans('b')]", "has trans() where a text should be", 3],
    ["['a' => 'b',\n 'c' => $d]", "has $d where a text should be", 4],
    ["['a' => FOO]", "has FOO where a text should be", 3],
    ["['a' => 'b' . C]", "has C where a text should be", 3],
    ["['a' => \"b $c\"]", "has a variable in a text", 3],
    ["['a' => \"b {$c->d}\"]", "has a variable in a text", 3],
    ["['a' => <<<E\n${b}\nE]", "has a variable in a text", 3],
    ["['a' => 'b' ?: 'c']", "has ? where a comma or ] should be", 3],
    ["[...$a]", "has . where a text should be", 3],
    ["[FOO => 'a']", "has FOO where a text should be", 3],
    ["[1.5 => 'a']", "has a key that is neither a text nor a whole number", 3],
    ["['a' => ['b' => 'x'], 'a.b' => 'y']", "the key a.b is already in line 3", 3],
    ["['a' => 'b]", "has a text that does not end", 3],
    ["['a' => <<<E\nb]", "has a text that does not end", 3],
    ["['a' => \"\\xff\"]", "has escapes in a text that are not UTF-8", 3],
    ["['a' => \"\\u{d800}\"]", "has escapes in a text that are not UTF-8", 3],
    ["['a' => \"\\0\"]", "must not contain a NUL character", 3],
    ["['a' => 'b'] + ['c' => 'd']", "has + where a semicolon should be", 3],
    ["['a' => 'b']; echo 1", "has echo where the end of the file should be", 3],
    ["$a", "has $a where an array should be", 3],
    ["[ // ?>\n]", "has ?> in a comment", 3],
    [`${"[".repeat(40)}${"]".repeat(40)}`, "is nested deeper than 32 levels", 3],
    ["[".repeat(100_000), "is nested deeper than 32 levels", 3],
  ])("refuses %.40j by its line", (array, message, line) => {
    expect(() => read(file(array))).toThrow(
      expect.objectContaining({ message: expect.stringContaining(message), line }),
    );
  });

  it.each([
    "",
    "x<?php return [];",
    "<?= 'x' ?>",
    "<?php $x = 1; return [];",
    "<?php return ['a' => 'b'",
    "<?php $x = []; return $y;",
    "<?php $x = []; return $xy;",
    "<?php $x = []; return;",
    "<?php $x = []; return $x['a'];",
    "<?php $x = []; $x = [];",
    "<?php $x == [];",
    "<?php $x += [];",
    "<?php $x['a'] = 'b';",
    "<?php $x = [] return $x;",
    "<?php return $x = [];",
  ])("refuses the file %j", (code) =>
    expect(() => read(code)).toThrow(expect.objectContaining({ name: "FormatError", line: 1 })),
  );

  it("keeps comments, quotes, alignment, commas and line ends around a change", () => {
    const code =
      "<?php\r\n\r\nreturn array(\r\n    // Names\r\n    'a'    => 'A', // first\r\n    \"long\" => \"B\\n\"\r\n);\r\n";
    expect(written(code, { a: "it's", long: '$x "q"\n' })).toBe(
      code.replace("'A'", String.raw`'it\'s'`).replace(String.raw`"B\n"`, String.raw`"\$x \"q\"\n"`),
    );
  });

  it("puts a new key beside its neighbour, as this looks", () => {
    const shape = { a: "", b: "", long: "", n: { x: "", y: { z: "" } } };
    const code = "<?php\nreturn [\n\t'a'    => 'A', // first\n\n\t'long' => 'L'\n];\n";
    expect(written(code, { b: "B", "n.y.z": "Z", "n.x": "X" }, { shape })).toBe(
      "<?php\nreturn [\n\t'a'    => 'A', // first\n\t'b'    => 'B',\n\n\t'long' => 'L',\n\t'n' => [\n\t\t'x'    => 'X',\n\t\t'y'    => [\n\t\t\t'z'    => 'Z',\n\t\t],\n\t]\n];\n",
    );
  });

  it("removes a key with its comments, and gives elements their numbers where those before them go", () => {
    const code = file(
      "[\n    // A\n    'a' => 'A', // a\n\n    /* about all */\n\n    'l' => ['x', 'y', 'z'],\n]",
    );
    const removed = new Set(["a", "l.1"]);
    expect(written(code, {}, { removed })).toBe(
      file("[\n\n    /* about all */\n\n    'l' => ['x', 2 => 'z'],\n]"),
    );
    const mixed = file("['a', 'k' => 'b', 'c', 'd' => ['e']]");
    expect(written(mixed, {}, { removed: new Set(["0", "d.0"]) })).toBe(file("['k' => 'b', 1 => 'c']"));
  });

  it("is an array of the same texts to a PHP parser, whatever they are", () => {
    const entries = fc.dictionary(fc.oneof(fc.constantFrom("a", "'", "\\", "$x", "*/"), text), text, {
      maxKeys: 5,
    });
    const template = file("['first' => \"\", 'second' => '']");
    fc.assert(
      fc.property(entries, text, (texts, other) => {
        const all = { first: other, second: other, ...texts };
        const code = written(template, all, { shape: {} });
        expect(new Map(Object.entries(textsByName(readDoubleQuotes(code))))).toEqual(
          new Map(Object.entries(all)),
        );
      }),
      { numRuns: runs(75) },
    );
  });

  it.each([
    ["['a' => 'b']", "['a' => 'b', 'c' => 'd']"],
    ["['a'=>'b']", "['a'=>'b','c' => 'd']"],
    ["['a' => 'b', ]", "['a' => 'b', 'c' => 'd', ]"],
    ["['x' => '1',  'a' => 'b']", "['x' => '1',  'a' => 'b',  'c' => 'd']"],
  ])("has new keys of a line beside its others: %s", (before, after) => {
    const shape = { x: "", a: "", c: "" };
    expect(written(file(before), { c: "d" }, { shape })).toBe(file(after));
  });

  it("reads and changes a file of many lines", () => {
    const lines = Array.from(
      { length: 2_000 },
      (_, i) => `    'key${i}' => 'A text that is as long as texts are ${i}',\n`,
    );
    const code = file(`[\n${lines.join("")}]`);
    const changed = written(code, { key1000: "x", new: "y" }, { shape: {} });
    expect(changed.length).toBeLessThan(code.length);
    expect(textsOf(php.parse(bytesOf(changed), context)).get("key1000")).toBe("x");
  });
});

/** php-parser does not unescape double quotes whole; those that Skep writes are read here. */
function readDoubleQuotes(code: string): unknown {
  const single = code.replaceAll(/'(?:[^'\\]|\\[^])*'|"((?:[^"\\]|\\[^])*)"/g, (literal, inner?: string) => {
    if (inner === undefined) return literal;
    const plain = inner.replaceAll(/\\(?:u\{([0-9a-f]+)\}|([^]))/g, (_, codePoint?: string, character = "") =>
      codePoint === undefined
        ? ({ n: "\n", t: "\t", r: "\r", v: "\v", e: "\u001b", f: "\f" }[character as string] ?? character)
        : String.fromCodePoint(Number.parseInt(codePoint, 16)),
    );
    return `'${plain.replaceAll(/[\\']/g, String.raw`\$&`)}'`;
  });
  return readPhpArray(single);
}

function textsByName(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
