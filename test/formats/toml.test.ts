import { parse as parseToml } from "smol-toml";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { leavesOf, type Group } from "../../src/domain/strings/string-file.ts";
import { toml } from "../../src/formats/toml.ts";
import { stringFile } from "../helpers/arbitraries.ts";
import { bytesOf, describeProperties, editOf, readAndWrite, textOf } from "../helpers/format-properties.ts";
import { runs } from "../helpers/runs.ts";

const context = { locale: "fr", sourceLocale: "en" };
const { read, write } = readAndWrite(toml, context);

function written(file: string, texts: Record<string, string>, edit = {}): string {
  return textOf(write(file, texts, edit));
}

/** Tables of forms and arrays have tests of their own. */
function isPlain(group: Group): boolean {
  return (
    !Array.isArray(group) &&
    Object.entries(group).every(
      ([name, node]) => name !== "other" && (typeof node === "string" || isPlain(node)),
    )
  );
}
const content = stringFile.filter(({ group }) => isPlain(group));

const forms =
  '[a]\none = "x"\nother = "y"\n\n[b]\ndescription = "About b"\nother = "B"\n\n[c]\nother = "C"\nmore = "M"\n';

/** The texts that another reader finds, by their names. */
function textsByPackage(file: string): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const visit = (value: unknown, names: readonly string[]): void => {
    if (typeof value === "string") texts.set(names.join("."), value);
    else if (typeof value === "object" && value !== null)
      for (const [name, child] of Object.entries(value)) visit(child, [...names, name]);
  };
  visit(parseToml(file.replace("\ufeff", "")), []);
  return texts;
}

describe("TOML", () => {
  describeProperties("toml", toml, {
    empties: ["", "# A file\n", "\ufeff", "# Head\r\n\r\n"],
    content,
  });

  it("is written so that another reader finds the same texts, whatever stands in the file", () => {
    fc.assert(
      fc.property(content, content, fc.boolean(), (file, other, isSource) => {
        const template = toml.write(
          editOf({ template: bytesOf(""), texts: file.texts, shape: file.group }),
          context,
        );
        const keys = [...file.texts.keys(), ...other.texts.keys()];
        fc.pre(keys.every((key) => !keys.some((longer) => longer.startsWith(`${key}.`)) && key !== ""));
        const edit = editOf({ template, texts: other.texts, shape: other.group, isSource });
        const texts = isSource ? other.texts : new Map([...file.texts, ...other.texts]);
        expect(textsByPackage(textOf(toml.write(edit, context)))).toEqual(texts);
      }),
      { numRuns: runs(75) },
    );
  });

  describe("tables of plural forms", () => {
    it("lose the forms that are removed where the source has one text instead", () => {
      const edit = { removed: new Set(["a.one"]), shape: { a: "A" } };
      expect(written('[a]\none = "X"\n', { a: "A" }, edit)).toBe('[a]\nother = "A"\n');
    });

    it("are plurals, or one text where other is all they have", () => {
      expect(read(forms)).toEqual({ "a.one": "x", "a.other": "y", b: "B", "c.other": "C", "c.more": "M" });
    });

    it("are in another locale what they are in the source file", () => {
      const sourceTexts = new Map(Object.entries(read(forms)));
      const target = '[a]\nhash = "h"\nother = "あ"\n\n[b]\none = "い"\nother = "う"\n';
      const parsed = toml.parse(bytesOf(target), { ...context, sourceTexts });
      expect(Object.fromEntries(parsed.texts)).toEqual({ "a.other": "あ", b: "う" });
      const alone = toml.parse(bytesOf(target), context);
      expect(Object.fromEntries(alone.texts)).toEqual({ a: "あ", "b.one": "い", "b.other": "う" });
    });

    it("get the forms of a language, with what the source says about them, and lose them all together", () => {
      const about = '[a]\ndescription = "D"\nleftDelim = "<<"\n';
      const ofB = '[b]\ndescription = "About"\n';
      const source = `${about}one = "x"\nother = "y"\n\n${ofB}other = "B"\n`;
      const edit = { source: bytesOf(source), shape: toml.parse(bytesOf(source), context).content };
      const few = { "a.few": "к", "a.one": "л", "a.other": "м", b: "н" };
      const file = `${about}few = "к"\none = "л"\nother = "м"\n\n${ofB}other = "н"\n`;
      expect(written("", few, edit)).toBe(file);
      expect(written(file, {}, { ...edit, removed: new Set(["a.few", "b"]) })).toBe(
        `${about}one = "л"\nother = "м"\n`,
      );
      const made = written(source, { "a.other": "あ", b: "う" }, { ...edit, isSource: true });
      expect(made).toBe(`${about}other = "あ"\n\n${ofB}other = "う"\n`);
    });

    it("take a text where a file has nothing but what they say about themselves", () => {
      const source = bytesOf('hello = "Hello"\n');
      const { content: shape, texts: sourceTexts } = toml.parse(source, context);
      const template = bytesOf('[hello]\nhash = "sha1-1"\n');
      const edit = editOf({ template, source, shape, texts: new Map([["hello", "Salut"]]) });
      expect(textOf(toml.write(edit, { ...context, sourceTexts }))).toBe(
        '[hello]\nother = "Salut"\nhash = "sha1-1"\n',
      );
    });
  });

  it("has comments above a key or its table, and descriptions, as notes", () => {
    const file = [
      "# The head\n\n# About a\na = 'A'\n# Apart\n\nb = 'B'\n",
      "# About both\n[c]\ndescription = 'Said'\n# Just one\none = '1'\nother = '2'\n",
      "# No text's\n[d]\nx = 'X'\n# Of all\ny = ['1', '2']",
      'z = { p = """\n# no comment""" } # behind\nq = "Q"\n',
    ].join("\n");
    expect(Object.fromEntries(toml.parse(bytesOf(file), context).notes)).toEqual({
      a: { note: "About a" },
      "c.one": { note: "Said\nAbout both\nJust one" },
      "c.other": { note: "Said\nAbout both" },
      "d.y.0": { note: "Of all" },
      "d.y.1": { note: "Of all" },
    });
  });

  it("reads every way to write a text and a key", () => {
    const file = String.raw`a = "\u00e9 \"q\" \\ \t"
b = 'C:\x'
c = """
one
  two \
     three"""
d = '''
it's
'''
"e f".'g' = "x"
h.i.j = "y"
k = { l = "z", m.n = '' }
o = ["1", '2']
[ p . "q.r" ]
s = "t"
number = 1
list = [1, "x"]
`;
    expect(read(file)).toEqual({
      a: 'é "q" \\ \t',
      b: String.raw`C:\x`,
      c: "one\n  two three",
      d: "it's\n",
      "e f.g": "x",
      "h.i.j": "y",
      "k.l": "z",
      "k.m.n": "",
      "o.0": "1",
      "o.1": "2",
      "p.q.r.s": "t",
    });
    const others = toml.parse(bytesOf("a = 1\nb = [1]\nc = 1979-05-27\n"), context);
    expect(others.nonTextValues).toEqual(["a", "b", "c"]);
  });

  it.each([
    ["'x'", "it", "'it'"],
    ["'x'", "it's", `"it's"`],
    ["'x'", "a\nb", String.raw`"a\nb"`],
    ['"x"', 'a "b" \\ \u0007\u{1f41d}', String.raw`"a \"b\" \\ \u0007🐝"`],
    ['"""\nx\n"""', 'a\n"""" b\\\t"', String.raw`"""${"\n"}a${"\n"}\"\""" b\\\t\""""`],
    ['"""x"""', "\na", '"""\n\na"""'],
    ["'''x'''", "it's\nso", "'''it's\nso'''"],
    ["'''x'''", "a\r", String.raw`"""a\r"""`],
  ])("keeps the quotes of %j where they can hold %j", (before, text, after) => {
    const file = `a = ${before} # said\nb = "B"\n`;
    const changed = written(file, { a: text });
    expect(changed).toBe(`a = ${after} # said\nb = "B"\n`);
    expect(read(changed)["a"]).toBe(text);
    expect(textsByPackage(changed).get("a")).toBe(text);
  });

  it("adds a text where its neighbours stand: in a table, in braces, by dotted keys, in a list", () => {
    const file = '\ta.b  =  "1"\nk = { x = "2" }\nl = [\n  "3", # three\n]\n\n[t]\n  y="4"\n[u]\nz = \'5\'\n';
    const added = {
      "a.b": "1",
      "a.c": "6",
      "k.x": "2",
      "k.w.v": "7",
      "l.0": "3",
      "l.2": "8",
      root: "9",
      "t.y": "4",
      "t.n": "10",
      "new.s": "11",
      "u.z": "5",
      "u.t t": "12",
    };
    const shape = {
      a: { b: "", c: "" },
      k: { x: "", w: { v: "" } },
      l: ["", "", ""],
      root: "",
      t: { y: "", n: "" },
      new: { s: "" },
      u: { z: "", "t t": "" },
    };
    const changed = written(file, added, { shape });
    expect(changed).toBe(
      '\ta.b  =  "1"\n\ta.c = "6"\nk = { x = "2", w.v = "7" }\nl = [\n  "3", "", "8", # three\n]\nroot = "9"\n\n[t]\n  y="4"\n  n="10"\n\n[new]\ns = "11"\n[u]\nz = \'5\'\n"t t" = \'12\'\n',
    );
    expect(read(changed)).toEqual({ ...added, "l.1": "" });
  });

  it.each<[string, Group, string]>([
    ['[t]\nc = "C"\n', { a: "", b: "", t: { c: "" } }, 'a = "A"\nb = "B"\n\n[t]\nc = "C"\n'],
    [
      '[t]\n\n# Of c\nc = "C"\n',
      { t: { a: "", b: "", c: "" } },
      '[t]\n\na = "A"\nb = "B"\n# Of c\nc = "C"\n',
    ],
  ])("adds the first lines to %j side by side, and beside the line below them", (file, shape, after) => {
    const texts = Object.fromEntries(leavesOf(shape).map(([key]) => [key, key.at(-1)?.toUpperCase() ?? ""]));
    expect(written(file, texts, { shape })).toBe(after);
  });

  it.each([
    ["", '[a]\nl = ["1", "", "3"]\n'],
    ["[a]\nl = []\n", '[a]\nl = ["1", "", "3"]\n'],
    ['[a.l]\n0 = "x"\n', '[a.l]\n0 = "1"\n2 = "3"\n'],
  ])("adds a list to %j as a list, or as the file has it", (file, after) => {
    const shape = { a: { l: ["x", "y", "z"] } };
    expect(written(file, { "a.l.0": "1", "a.l.2": "3" }, { shape })).toBe(after);
  });

  it("has a name with a dot beside a table where the source has both", () => {
    const texts = { "x.a.a": "1", "x.a.one": "2" };
    const file = '[x]\n"a.one" = "2"\n\n[x.a]\na = "1"\n';
    expect(read(written("", texts, { shape: { x: { a: { a: "" }, "a.one": "" } } }))).toEqual(read(file));
  });

  it("has forms that come before those of the source in their table", () => {
    const texts = { "a.few": "1", "a.one": "2", "a.other": "3" };
    const file = '[a]\nfew = "1"\none = "2"\nother = "3"\n';
    expect(written("", texts, { shape: { a: { one: "", other: "" } } })).toBe(file);
  });

  it("removes texts with their comments and tables, and leaves what belongs to none", () => {
    const file = [
      "# Head\n\n# About a\na = 'A'\nb = 'B'\n\n# Apart\n",
      "# About t\n[t]\nx = 'X'\n# About y\ny = 'Y'\n",
      "[u]\nn = 1\nk = { p = 'P', q = 'Q', r = 'R' }\nl = ['1', '2', '3']\n",
    ].join("\n");
    const without = (...removed: string[]): string => written(file, {}, { removed: new Set(removed) });
    expect(without("a")).toBe(file.replace("# About a\na = 'A'\n", ""));
    expect(without("t.x", "t.y")).toBe(file.replace(/# About t\n[^]*\n\n(?=\[u)/, ""));
    expect(without("t.y")).toBe(file.replace("# About y\ny = 'Y'\n", ""));
    expect(without("u.k.p")).toBe(file.replace("p = 'P', ", ""));
    expect(without("u.k.q", "u.k.r")).toBe(file.replace(", q = 'Q', r = 'R'", ""));
    const all = ["p", "q", "r"].map((name) => `u.k.${name}`);
    expect(without(...all, "u.l.0", "u.l.1", "u.l.2")).toBe(file.replace(/k = [^]*/, ""));
    expect(without("u.l.0", "u.l.2")).toBe(file.replace("['1', '2', '3']", `["", '2']`));
  });

  it.each<[string, string, number | undefined]>([
    ['a = "x"\na = "y"\n', "Defining a key multiple times", 2],
    ['"a.b" = "x"\n[a]\nb = "y"\n', "the key a.b is already in line 1", 3],
    ['[a]\nx = "1"\n\n[[a.b]]\ny = "2"\n', "has an array of tables, [[a.b]]", 4],
    ["a = %\n", "is not valid TOML", 1],
    ['a = "x\n', "is not valid TOML: Unterminated string", 1],
    [String.raw`a = "\ud800"`, "is not valid TOML", 1],
    [`\nb = "\\u0000"\n`, "NUL", 2],
    [`a = ${"{a = ".repeat(40)}"x"${"}".repeat(40)}\n`, "is nested deeper than 32 levels", 1],
    [`${"a.".repeat(40)}b = "x"\n`, "is nested deeper than 32 levels", 1],
    [`a = ${"[".repeat(100_000)}1${"]".repeat(100_000)}\n`, "is nested too deep", undefined],
    [`a = "${"x".repeat(9_000_000)}"\n`, "has more than 8388608 characters", undefined],
  ])("is refused with its line: %.40j", (file, message, line) => {
    const error = { name: "FormatError", message: expect.stringContaining(message), line };
    expect(() => read(file)).toThrow(expect.objectContaining(error));
  });

  it.each<[string, Group, string]>([
    ['a = "x"\n', { a: { b: "" } }, "a.b"],
    ['[a]\nx = "1"\n', { a: "" }, "a"],
    ['a = ["x"]\n', { a: { b: "" } }, "a.b"],
  ])("refuses to put a text where %j has something else", (file, shape, key) => {
    expect(() => written(file, { [key]: "x" }, { shape })).toThrow("cannot hold a text for");
  });
});
