import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FormatError, type FileEdit, type FileFormat } from "../../src/formats/format.ts";
import type { Group, Node } from "../../src/domain/strings/string-file.ts";
import { idList } from "../../src/formats/id-list.ts";
import { rails, yaml } from "../../src/formats/yaml.ts";
import { stringFile } from "../helpers/arbitraries.ts";
import { bytesOf, describeProperties, editOf, textOf, textsOf } from "../helpers/format-properties.ts";
import { runs } from "../helpers/runs.ts";

/**
 * Any content without lists, as YAML cannot turn one into a mapping where its dashes stand at the column of its name,
 * and without keys that are the start of others, which cannot stand in one group.
 */
const content = stringFile
  .map((file) => ({ ...file, group: withoutLists(file.group) }))
  .filter(({ texts }) =>
    [...texts.keys()].every((key) => ![...texts.keys()].some((other) => other.startsWith(`${key}.`))),
  );

function withoutLists(group: Group): Group {
  const named: Record<string, Node> = Object.create(null);
  for (const [name, node] of Object.entries(group)) {
    named[name] = typeof node === "string" ? node : withoutLists(node);
  }
  return named;
}

describe("Rails YAML", () => {
  describeProperties("rails", rails, {
    empties: ["", "fr:\n", "de: {a: b}", "# head\r\nde:\r\n    a: b\r\nfr:\r\n", "{}", "fr: {}\n"],
    content,
  });
});

describe("YAML", () => {
  describeProperties("yaml", yaml, { empties: ["", "# head\n", "---\r\n", "{}\n", "--- {} # x"], content });

  it("holds lists of texts and groups, and keeps them when nothing changes", () => {
    fc.assert(
      fc.property(stringFile, fc.constantFrom(yaml, rails), ({ texts, group }, format) => {
        const bytes = format.write(editOf({ template: bytesOf(""), texts, shape: group }), context);
        const parsed = format.parse(bytes, context);
        // An empty text is as good as none: it holds the place of an element.
        const said = [...textsOf(parsed)].filter(([, text]) => text !== "");
        expect(new Map(said)).toEqual(new Map([...texts].filter(([, text]) => text !== "")));
        const again = editOf({ template: bytes, texts, shape: parsed.content });
        expect(textOf(format.write(again, context))).toBe(textOf(bytes));
        const source = editOf({ template: bytes, texts, shape: parsed.content, isSource: true });
        expect(textOf(format.write(source, context))).toBe(textOf(bytes));
      }),
      { numRuns: runs(75) },
    );
  });

  it("keeps the places in lists whatever leaves them", () => {
    const list = fc.array(fc.constantFrom("a", "b", "no", "x: y", ""), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(list, fc.boolean(), fc.context(), (elements, inBrackets, log) => {
        const text = inBrackets
          ? `l: [${elements.map((each) => JSON.stringify(each)).join(",")}]\n`
          : `l:\n${elements.map((each) => `- ${JSON.stringify(each)}\n`).join("")}`;
        log.log(text);
        const shape = { l: elements };
        const all = textsOf({ content: shape });
        for (const key of all.keys()) {
          const less = write(text, { removed: [key], shape });
          const left = Object.fromEntries([...all].filter(([other, value]) => other !== key && value !== ""));
          const found = Object.entries(parse(less).texts).filter(([, value]) => value !== "");
          expect(Object.fromEntries(found)).toEqual(left);
          const back = write(less, { texts: Object.fromEntries(all), shape });
          expect(Object.entries(parse(back).texts).filter(([, value]) => value !== "")).toEqual(
            [...all].filter(([, value]) => value !== ""),
          );
        }
      }),
    );
  });
});

const context = { locale: "fr", sourceLocale: "en" };

function parse(text: string, format: FileFormat = yaml, locale = "fr") {
  const { content, nonTextValues } = format.parse(bytesOf(text), { ...context, locale });
  return { texts: Object.fromEntries(textsOf({ content })), content, nonTextValues };
}

interface Change {
  readonly texts?: Readonly<Record<string, string>>;
  readonly removed?: readonly string[];
  readonly shape?: FileEdit["shape"];
  readonly isSource?: boolean;
  readonly format?: FileFormat;
  readonly locale?: string;
}

/** The text of a file after a change; new keys are placed as in the file itself unless told otherwise. */
function write(text: string, change: Change): string {
  const { texts = {}, removed = [], shape, isSource = false, format = yaml, locale = "fr" } = change;
  const template = bytesOf(text);
  const edit = editOf({
    template,
    isSource,
    texts: new Map(Object.entries(texts)),
    removed: new Set(removed),
    shape: shape ?? {},
  });
  return textOf(format.write(edit, { ...context, locale }));
}

/** The line and message of the error that reading gives. */
function failure(text: string, format: FileFormat = yaml): string {
  try {
    format.parse(bytesOf(text), { locale: "en", sourceLocale: "en" });
  } catch (error) {
    if (error instanceof FormatError) return `${error.line}: ${error.message}`;
    throw error;
  }
  throw new Error("The file was read.");
}

describe("reading YAML", () => {
  it("takes words, quotes and blocks for texts, and names what is none", () => {
    const { texts, nonTextValues } = parse(`# head
plain: Hello:no, "x"
folded: one
  two
single: 'it''s'
double: "a\\tb\\u00e9 \\
  c"
literal: |
  one
   two

stripped: >-
  one
  two
number: 1
float: -1.5e3
truth: true
nothing: ~
blank:
word: no
tagged: !!str 12
binary: !!binary aGk=
list: [a, ~, 2, "3"]
`);
    expect(texts).toEqual({
      plain: 'Hello:no, "x"',
      folded: "one two",
      single: "it's",
      double: "a\tbé c",
      literal: "one\n two\n",
      stripped: "one two",
      word: "no",
      tagged: "12",
      "list.0": "a",
      "list.1": "",
      "list.2": "",
      "list.3": "3",
    });
    expect(nonTextValues).toEqual([
      "number",
      "float",
      "truth",
      "nothing",
      "blank",
      "binary",
      "list.1",
      "list.2",
    ]);
  });

  it("reads words as Ruby does where the locale is the root", () => {
    const words =
      "no Off yes on NULL ~ :sym :'quoted' 12:30 1_000 1,000 017 0x1f 0b1 .5 1. 2020-01-01 .inf -.INF .NaN +1 !ruby/symbol&x";
    const lines = words.split(" ").map((word, i) => `  k${i}: ${word.replace("&", " ")}\n`);
    expect(parse(`en:\n${lines.join("")}`, rails, "en").texts).toEqual({});
    const texts = "y n Nope 08 0o7 1e3 1:99 1.2.3 +".split(" ").map((word, i) => [`k${i}`, word]);
    const file = `en:\n${texts.map(([key, word]) => `  ${key}: ${word}\n`).join("")}`;
    expect(parse(file, rails, "en").texts).toEqual(Object.fromEntries(texts));
  });

  it("reads the texts of its locale alone, and keys by what is written", () => {
    const text = "en:\n  a: x\n'no':\n  on: nei\n  1: en\nno-NO:\n  a: z\n";
    expect(parse(text, rails, "no").texts).toEqual({ on: "nei", 1: "en" });
    expect(parse("no:\n  a: b\n", rails, "no").texts).toEqual({ a: "b" });
    expect(parse(text, rails, "sv").texts).toEqual({});
    expect(parse("fr:\n", rails).texts).toEqual({});
    expect(parse("# nothing\n", rails).texts).toEqual({});
  });

  it("takes a question mark that ends a folded text for a part of it", () => {
    const text = "fr:\n  warning: Voulez-vous vraiment\n    afficher\n    ?\n  error: Non ?\n";
    expect(parse(text, rails).texts).toEqual({ warning: "Voulez-vous vraiment afficher ?", error: "Non ?" });
  });

  it("reads and keeps explicit keys, as writers have them for long names", () => {
    const long = "Are you sure? ".repeat(12).trim();
    const text = `a: b\n# about it\n? ${long}\n: 'Sûr ?'\n? "${long}!"\n: |\n  x\nz: y\n`;
    const texts = { a: "b", [long]: "Sûr ?", [`${long}!`]: "x\n", z: "y" };
    expect(parse(text).texts).toEqual(texts);
    expect(write(text, { texts: { [long]: "Certain ?" } })).toBe(text.replace("Sûr ?", "Certain ?"));
    expect(write(text, { removed: [long] })).toBe(text.replace(`# about it\n? ${long}\n: 'Sûr ?'\n`, ""));
  });

  it("leaves aliases as they are, so that none can multiply", () => {
    const bomb = Array.from({ length: 60 }, (_, i) => `  l${i + 1}: &l${i + 1} [*l${i}, *l${i}]\n`);
    const text = `en:\n  l0: &l0 text\n  m: &m {a: b}\n  n:\n    <<: *m\n    c: d\n${bomb.join("")}`;
    const { texts, nonTextValues } = parse(text, rails, "en");
    expect(texts).toEqual({ l0: "text", "m.a": "b", "n.c": "d" });
    expect(nonTextValues).toContain("n.<<");
    expect(nonTextValues).toContain("l60.1");
  });

  it.each([
    ["a: b\na: c\n", "2: the key a is already in line 1"],
    ["a: {b: c}\nd: e\na: {f: g}\n", "3: the key a is already in line 1"],
    ["a:\n  b: c\na.b: d\n", "3: the key a.b is already in line 2"],
    ["a: b\n c: d\n", "1: is not valid YAML"],
    ["a: b\n\tc: d\n", "is not valid YAML"],
    ['a: "b\n', "is not valid YAML"],
    ["a: [b\n", "is not valid YAML"],
    ["a: b\n---\nc: d\n", "2: is not valid YAML"],
    ["- a\n", "1: must be a mapping of names to texts"],
    ["text\n", "1: must be a mapping of names to texts"],
    ["a: *b\n", "1: has no anchor for *b before it"],
    ["a: b\n? c\n", "2: has an explicit key (?) without a text, c"],
    ["a: {? b : c}\n", "1: has an explicit key (?) in brackets, b"],
    ["x: &a y\n*a : b\n", "2: has a key that is neither a plain nor a quoted word"],
    ["[a, b]: c\n", "1: has a key that is neither a plain nor a quoted word"],
    ['a: "\\uD800"\n', "1: a key or text must not contain a lone surrogate"],
    ['a: "\\0"\n', "1: a key or text must not contain a NUL character"],
    [`a: ${"[".repeat(20_000)}`, "1: is nested too deep"],
    [`a: ${"{a: ".repeat(40)}b${"}".repeat(40)}\n`, "is nested deeper than 32 levels"],
  ])("file %# is refused with its line", (text, message) => {
    expect(failure(text)).toContain(message);
  });

  it.each([
    ["fr:\n  a: b\n", "1: has no en at its root, but fr"],
    ["en: text\n", "1: must have names and texts below en"],
    ["en: [a]\n", "1: must have names and texts below en"],
    ["x: &x {a: b}\nen: *x\n", "2: must have names and texts below en"],
  ])("Rails: %j is refused with its line", (text, message) => {
    expect(failure(text, rails)).toContain(message);
  });

  describe("quotes that go on below their name, no further in", () => {
    const around: Readonly<
      Record<string, readonly [FileFormat, (quoted: string, indent: string) => string]>
    > = {
      yaml: [yaml, (quoted, indent) => `${indent}a: ${quoted}\n${indent}b: Below # c: d\n`],
      rails: [
        rails,
        (quoted, indent) => `fr:\n${indent}  a: ${quoted} # why\n\n${indent}  b: Below\n# end\n`,
      ],
      "go-i18n": [
        idList,
        (quoted, indent) =>
          `${indent}- id: a\n${indent}  translation: ${quoted}\n${indent}- id: b\n${indent}  translation: Below\n`,
      ],
      "a mark of a document": [yaml, (quoted) => `---\na: &x ${quoted}\nb: Below`],
      "a group before it": [yaml, (quoted) => `x: {y: "z",\n  w: [v]}\na: ${quoted}\nb: Below\n`],
    };
    const quotes: readonly (readonly [quoted: string, text: string])[] = [
      ['"One\n{}two"', "One two"],
      ["'It''s\n{}\n{}two'", "It's\ntwo"],
      ['"One \\"\n{}c: d\\\n{}e"', 'One " c: de'],
      ['"\n{}- one\n"', " - one "],
    ];
    const cases = Object.entries(around).flatMap(([name, [format, file]]) =>
      ["", "  "].flatMap((indent) =>
        ["\n", "\r\n"].flatMap((lineEnd) =>
          quotes.map(([quoted, text]) => {
            const whole = file(quoted.replaceAll("{}", indent), indent).replaceAll("\n", lineEnd);
            return [name, whole, text, format] as const;
          }),
        ),
      ),
    );

    it.each(cases)("are read and kept: %s, %j", (_, file, text, format) => {
      const { texts } = parse(file, format);
      expect(texts).toMatchObject({ a: text, b: "Below" });
      const shape = { a: "", b: "" };
      expect(write(file, { texts, shape: parse(file, format).content, format })).toBe(file);
      const changed = write(file, {
        texts: { ...texts, b: "Dessous", c: "New" },
        shape: { ...shape, c: "" },
        format,
      });
      expect(changed).toContain(file.slice(0, file.indexOf("Below")));
      const { a: before, ...others } = { ...texts, a: "Court", b: "Below" };
      expect(parse(changed, format).texts).toEqual({ ...texts, b: "Dessous", c: "New" });
      const short = write(file, { texts: { ...others, a: before }, shape, format });
      expect(parse(short, format).texts).toEqual({ ...texts, a: "Court" });
    });

    it.each([
      'a:\n  b: "one\n  c: "two"\n',
      'a:\n  b: "one\n  c: two\n',
      "a:\n  b: 'one\n  c' d: two\n",
      'a: "one\n---\ntwo"\n',
      'a:\n  "one\n  two": three\n',
      'a:\n  b: ["one\n  two"\n  , three]\n',
      "a:\n  b: one\n  two\n",
      'a:\n  b: "one\n  two"\n%YAML 1.2\n',
    ])("are not taken for one where a quote may be missing: %j", (file) => {
      expect(failure(file)).toContain("is not valid YAML");
    });
  });

  it("refuses bytes that are no UTF-8 with their line", () => {
    const bytes = Buffer.from("a: b\nc: é\n", "latin1");
    expect(() => yaml.parse(bytes, context)).toThrow(new FormatError("is not valid UTF-8", 2));
  });

  it("text of any kind is read or refused with a FormatError", () => {
    const pieces =
      "a|b|: |- |? |\n|\n  |\n    |[|]|{|}|, |'|\"|&x |*x|| |!t |#| #|~|>-|%|@|\t|---|\r\n|<<|\\";
    const token = fc.constantFrom(...pieces.split("|"), "|");
    fc.assert(
      fc.property(fc.array(token, { maxLength: 25 }), (tokens) => {
        try {
          const bytes = bytesOf(tokens.join(""));
          const { content } = yaml.parse(bytes, context);
          const texts = textsOf({ content });
          expect(textOf(yaml.write(editOf({ template: bytes, texts, shape: content }), context))).toBe(
            tokens.join(""),
          );
          for (const [key, text] of texts) {
            const changed = write(tokens.join(""), { texts: { [key]: `${text}!` }, shape: content });
            expect(parse(changed).texts).toEqual({ ...Object.fromEntries(texts), [key]: `${text}!` });
          }
        } catch (error) {
          expect(error).toBeInstanceOf(FormatError);
        }
      }),
      { numRuns: runs(150) },
    );
  });
});

describe("writing YAML", () => {
  it("keeps quotes, comments, anchors and line ends around the text that changes", () => {
    const text = `\u{FEFF}---\r\n# head\r\na: 'x' # c\r\nb:   &anchor   y   # d\r\nc: {d: "z", e: [1, w]}\r\nf: *anchor\r\n`;
    const texts = { a: "l'été", b: "b: c", "c.d": "ü", "c.e.1": "a, b" };
    expect(write(text, { texts })).toBe(
      `\u{FEFF}---\r\n# head\r\na: 'l''été' # c\r\nb:   &anchor   "b: c"   # d\r\nc: {d: "ü", e: [1, "a, b"]}\r\nf: *anchor\r\n`,
    );
  });

  it("keeps blocks, and writes what they cannot hold in quotes", () => {
    const text = "a: |\n    one\n    two\n\n# c\nb: >-\n  one\n  two\nc: |+\n  x\n\nd: |2\n   x\n";
    const texts = { a: "un\n\n deux", b: "un\ndeux", c: "trois", d: "quatre\n" };
    const changed = write(text, { texts });
    expect(changed).toBe(
      "a: |-\n    un\n\n     deux\n\n# c\nb: >-\n  un\n\n  deux\nc: |-\n  trois\nd: |\n  quatre\n",
    );
    expect(parse(changed).texts).toEqual(texts);
    expect(write("a: |\n  b\n", { texts: { a: " c" } })).toBe('a: " c"\n');
  });

  it.each([
    ["a: x\n", "a", "x\uFFFFy", 'a: "x\\uFFFFy"\n'],
    ["a: 'x'\n", "a", "x\uFFFEy", 'a: "x\\uFFFEy"\n'],
    ["a: |\n  x\n", "a", "x\uFFFFy\n", 'a: "x\\uFFFFy\\n"\n'],
    ["a: [x, 'y']\n", "a.0", "x?y", "a: [\"x?y\", 'y']\n"],
    ["a: x\n", "a", "x?y", "a: x?y\n"],
  ])("writes %j so that readers of YAML 1.1 take it: %s as %j", (file, key, text, changed) => {
    expect(write(file, { texts: { [key]: text } })).toBe(changed);
  });

  it("quotes whatever some reader would take for something else", () => {
    const words =
      "no Yes on y null ~ true 1 1.5 0x1f 12:30 2020-01-01 1e3 .5 :sym #a &a *a !a | > %a @a `a [a] {a}";
    const signs = "'a' \"a\" a: --- ... = << 😀 é a\\b </script> - {{x}} \u{E000} \u{10FFFF}";
    const spaced = [
      "x, y",
      "x]",
      "x}",
      "- a",
      "? b",
      "a: b",
      "a #b",
      " a",
      "a ",
      "a\nb",
      "\t",
      "",
      "%{count} €",
      "\u{1B}[0m",
    ];
    const breaks = ["\u{85}", "\u{2028}", "\u{FEFF}a", "\u{A0}a"];
    const hostile = [...words.split(" "), ...signs.split(" "), ...spaced, ...breaks];
    const keys = hostile.map((_, i) => `k${i}`);
    const lines = (style: string): string => keys.map((key) => `${key}: ${style}\n`).join("");
    const files = ["x", "'x'", '"x"', "|\n  x\n"].map(lines);
    files.push(`a: [${keys.join(", ")}]\n`, `a: {${keys.map((key) => `${key}: x`).join(", ")}}\n`);
    for (const format of [yaml, rails]) {
      for (const file of files) {
        const text = format === rails ? `fr:\n${file.replaceAll(/^(?=.)/gm, "  ")}` : file;
        const texts = Object.fromEntries(
          Object.keys(parse(text, format).texts).map((key, i) => [key, hostile[i] ?? ""]),
        );
        expect(Object.keys(texts)).toHaveLength(hostile.length);
        expect(parse(write(text, { texts, format }), format).texts).toEqual(texts);
      }
    }
  });

  it("places new keys beside their neighbours, and quotes names that are words of YAML", () => {
    const shape = { a: "A", on: "B", g: { h: "C", i: "D", j: ["E", "F"] }, k: "G" };
    const texts = { on: "b", "g.h": "c", "g.j.0": "e", "g.j.1": "f", k: "g" };
    expect(write("a: 'x'\n# about g\ng:\n    i: \"y\"\n", { texts, shape })).toBe(
      "a: 'x'\n\"on\": 'b'\n# about g\ng:\n    h: \"c\"\n    i: \"y\"\n    j:\n        - 'e'\n        - 'f'\nk: 'g'\n",
    );
  });

  it("removes entries with their lines and the comments above them", () => {
    const text = "# file\n\n# about a\na: x\nb:\n  # about c\n  c: y\n  d: |\n    z\n\n  # about e\n  e: w\n";
    expect(write(text, { removed: ["a", "b.c"] })).toBe(
      "# file\n\nb:\n  d: |\n    z\n\n  # about e\n  e: w\n",
    );
    expect(write(text, { removed: ["b.d", "b.e"] })).toBe(
      "# file\n\n# about a\na: x\nb:\n  # about c\n  c: y\n\n",
    );
    expect(write("# file\na: x\nb: y\n", { removed: ["a"] })).toBe("# file\nb: y\n");
    expect(write("a: x\nb: y", { removed: ["b"] })).toBe("a: x\n");
  });

  it("keeps the places of a list's elements, in blocks and in brackets", () => {
    const block = "l:\n- a\n- b\n- c\n- d\n";
    expect(write(block, { removed: ["l.1", "l.3"] })).toBe("l:\n- a\n- ~\n- c\n");
    const shape = { l: ["a", "b", "c", "d", "e"] };
    expect(write(block, { texts: { "l.4": "e" }, shape })).toBe(`${block}- e\n`);
    const flow = "l: [a, b, # two\n  c, d]\n";
    expect(write(flow, { removed: ["l.0", "l.3"] })).toBe("l: [~, b, # two\n  c, ~]\n");
    expect(write("l: [a, ~]\n", { texts: { "l.1": "b" }, shape })).toBe("l: [a, b]\n");
    expect(() => write(`k: v\n${flow}`, { texts: { "l.4": "e" }, shape })).toThrow(
      new FormatError("has a list in brackets, to which elements cannot be added", 2),
    );
    expect(() => write("l:\n- a\n", { texts: { "l.99999999": "c" }, shape })).toThrow(
      "99999998 elements are missing",
    );
  });

  it("edits groups in lists", () => {
    const list = "l:\n  - q: a\n    r: b\n  - q: c\n";
    expect(write(list, { removed: ["l.0.q"] })).toBe("l:\n  - r: b\n  - q: c\n");
    const shape: Group = {
      l: [
        { p: "", q: "", r: "" },
        { q: "", r: "" },
      ],
    };
    const texts = { "l.0.p": "p", "l.1.r": "d" };
    expect(parse(write(list, { texts, shape })).texts).toEqual({
      "l.0.p": "p",
      "l.0.q": "a",
      "l.0.r": "b",
      "l.1.q": "c",
      "l.1.r": "d",
    });
  });

  it.each([
    ["an entry that leaves", "m: {a: x, b: y}\n", { removed: ["m.a"] }],
    ["a new entry", "m: {a: x}\n", { texts: { "m.c": "z" }, shape: { m: { a: "", c: "" } } }],
    ["a new group", "m: {a: {}}\n", { texts: { "m.a.b": "z" }, shape: { m: { a: { b: "" } } } }],
    ["a group as an element", "m: [~, x]\n", { texts: { "m.0.b": "z" }, shape: { m: [{ b: "" }, ""] } }],
  ] as const)("refuses %s in brackets, with the line", (_, text, change) => {
    expect(() => write(`k: v\n${text}`, change)).toThrow(
      new FormatError(
        "has entries in brackets, where none can come or go; write them on lines of their own",
        2,
      ),
    );
  });

  it("takes away a group in brackets as a whole", () => {
    expect(write("k: v\nm: {a: x, b: y}\n", { removed: ["m.a", "m.b"] })).toBe("k: v\n");
  });

  it("fills names that have nothing behind them", () => {
    const shape = { a: { b: "x" }, c: { d: "y" }, e: { f: "z" }, g: "w" };
    const texts = { "a.b": "1st", "c.d": "2nd", "e.f": "3rd", g: "4th" };
    expect(write("a:\nc: {} # c\ne: ~\ng:\n", { texts, shape })).toBe(
      "a:\n  b: 1st\nc: # c\n  d: 2nd\ne:\n  f: 3rd\ng: 4th\n",
    );
  });

  it("makes a file of another locale from the source file", () => {
    const source = `# Greetings\nen:\n  hello: Hello # short\n  # Never said\n  bye: Bye\n  date:\n    order: [ :day, :month ]\n    names: [~, January, February]\nde:\n  hello: Hallo\n`;
    const shape = parse(source, rails, "en").content;
    const texts = { hello: "Hei", "date.names.2": "februar" };
    const change = { texts, shape, isSource: true, format: rails };
    expect(write(source, { ...change, locale: "no" })).toBe(
      `# Greetings\n"no":\n  hello: Hei # short\n  date:\n    order: [ :day, :month ]\n    names: [~, ~, februar]\n`,
    );
    expect(write(source.replace("en:", "'en':"), { ...change, locale: "fr" })).toContain("\n'fr':\n");
  });

  it("leaves other locales in a file alone, and adds one that is not there yet", () => {
    const shape = { a: "x", b: { c: "y" } };
    const texts = { a: "un", "b.c": "deux" };
    const file = "en:\n    a: x\nde:\n    a: y";
    expect(write(file, { texts, shape, format: rails })).toBe(
      `${file}\nfr:\n    a: un\n    b:\n        c: deux\n`.trimEnd(),
    );
    expect(write("fr:\n  a: z\nen:\n  a: x\n", { texts, shape, format: rails })).toBe(
      "fr:\n  a: un\n  b:\n    c: deux\nen:\n  a: x\n",
    );
    expect(write("fr: # later\nde:\n  a: y\n", { texts, shape, format: rails })).toBe(
      "fr: # later\n  a: un\n  b:\n    c: deux\nde:\n  a: y\n",
    );
  });

  it("takes an alias away with its anchor in a copy of the source, and refuses to elsewhere", () => {
    const source = "en:\n  a: &a Alpha\n  b: &b Beta\n  c: *a\n  d: *b\n";
    const shape = parse(source, rails, "en").content;
    const texts = { b: "bêta" };
    expect(write(source, { texts, shape, isSource: true, format: rails })).toBe(
      "fr:\n  b: &b bêta\n  d: *b\n",
    );
    const removed = ["a"];
    expect(() => write(source, { removed, shape, format: rails, locale: "en" })).toThrow(
      new FormatError("refers to *a with c, which would leave the file", 4),
    );
    const shared = "x: &x\n  a: b\nen:\n  t: T\n  <<: *x\nde:\n  t: U\n";
    expect(write(shared, { texts: { t: "V" }, shape: { t: "T" }, isSource: true, format: rails })).toBe(
      "x: &x\n  a: b\nfr:\n  t: V\n  <<: *x\n",
    );
  });

  it("gives a text of its own in the place of an alias, but none below one", () => {
    const text = "a: &a {x: y}\nb: *a\n";
    expect(write(text, { texts: { b: "own" }, shape: { b: "own" } })).toBe("a: &a {x: y}\nb: own\n");
    expect(() => write(text, { texts: { "b.x": "z" }, shape: { b: { x: "z" } } })).toThrow(
      new FormatError("cannot hold a text for b.x, because it has an alias there", 2),
    );
  });

  it("refuses what it would have to lose", () => {
    expect(() => write("a: !t 1\n", { texts: { a: "b" } })).toThrow("has a value with a tag or an anchor");
    expect(() => write("{en: {a: b}, de: {a: b}}\n", { isSource: true, format: rails })).toThrow(
      "in brackets",
    );
    const key = "k".repeat(1025);
    expect(() => write("", { texts: { [key]: "x" } })).toThrow("which is too long for YAML");
  });
});
