/** What a file of any format holds is read as it was given; what it cannot hold leaves the file as it was. */
import fc from "fast-check";
import { FluentParser, type Resource } from "@fluent/syntax";
import { describe, expect, it } from "vitest";
import { parseDocument } from "yaml";
import { canHold, writeHeld } from "../../../src/formats/held/can-hold.ts";
import { formats } from "../../../src/formats/formats.ts";
import { bytesOf, editOf, textOf } from "../../helpers/format-properties.ts";
import { nastyText, smallFileOf, withSmallFiles } from "./small-files.ts";
import { runs } from "../../helpers/runs.ts";

/** Libraries that apps read the files with. */
const readers: Readonly<Record<string, (file: string) => unknown>> = {
  docusaurus: JSON.parse,
  "go-i18n": JSON.parse,
  json: JSON.parse,
  "laravel-json": JSON.parse,
  arb: JSON.parse,
  xcstrings: JSON.parse,
  yaml: readYaml,
  rails: readYaml,
  fluent: (file) => {
    const { body }: Resource = new FluentParser({}).parse(file);
    expect(body.filter(({ type }) => type === "Junk")).toEqual([]);
  },
};

function readYaml(file: string): void {
  expect(parseDocument(file).errors).toEqual([]);
}

describe.each(withSmallFiles)("a file of $what", ({ name, what, load }) => {
  it("holds a text exactly, and nothing else changes, or stays as it is", async () => {
    const format = await load();
    const { template, context } = smallFileOf(what);
    const before = format.parse(template, context);
    expect(before.texts.size).toBeGreaterThan(1);
    fc.assert(
      fc.property(fc.constantFrom(...before.texts.keys()), nastyText, (key, text) => {
        const reason = canHold(format, { template, key, context }, text);
        const edit = editOf({ template, texts: new Map([[key, text]]), shape: before.content });
        const { bytes, unheld } = writeHeld(format, edit, context);
        expect(unheld).toEqual(reason === undefined ? [] : [{ key, reason }]);
        if (reason !== undefined) expect(textOf(bytes)).toBe(textOf(template));
        const after = format.parse(bytes, context);
        const expected = reason === undefined ? new Map(before.texts).set(key, text) : before.texts;
        expect(after.texts).toEqual(expected);
        expect(after.nonTextValues).toEqual(before.nonTextValues);
        readers[name]?.(textOf(bytes));
      }),
      { numRuns: runs(150) },
    );
  });
});

const notInSource = /as markup, which its source text does not have/;
const notWellFormed = /would show <[\w:]+> as text/;

describe("a text", () => {
  it.each([
    // What the source has as text is no element.
    ["xliff", "a", "<b>un</b>", notInSource],
    ["xliff", "c", "<b>trois</b>", notInSource],
    ["xliff", "c", "&lt;b>trois&lt;/b>", undefined],
    ["xliff", "a", "1 < 2 & <3", undefined],
    ["xliff", "a", "<!-- x -->", notInSource],
    ["xliff", "a", "<?php x ?>", notInSource],
    // A section of characters is text for every reader of XML.
    ["xliff", "a", "<![CDATA[x]]>", undefined],
    ["xliff", "a", "<![CDATA[<b>un</b>]]>", undefined],
    ["xliff", "d", "<![CDATA[<b>x</b>]]>", undefined],
    ["xliff", "b", 'x <x id="1"/>', undefined],
    ["xliff", "b", "no element", undefined],
    ["xliff", "b", 'x <x id="2"/>', notInSource],
    ["xliff", "b", 'x <x id="1" y="z"/>', notInSource],
    ["xliff", "b", 'x <x id="1">y</x>', notInSource],
    ["xliff", "b", "x <x/>", /has <x> without an id as markup/],
    ["xliff", "b", '<r>x <x id="1"/></r>', notInSource],
    ["xliff", "b", '<x id="1"/> &amp; y', /would be read as/],
    ["xliff", "b", '<x id="1"/> & y', undefined],
    ["xliff", "b", '<x id="1"/> 1 < 2', notWellFormed],
    ["xliff", "b", '<x id="1"/>&nbsp;', notWellFormed],
    ["xliff 2", "a", "<b>un</b>", notInSource],
    ["xliff 2", "a", "1 < 2 & <3", undefined],
    ["xliff 2", "a", "<![CDATA[<b>un</b>]]>", undefined],
    ["xliff 2", "b", '<ph id="0" equiv="Y"/> x', undefined],
    ["xliff 2", "b", '<ph id="1"/>', notInSource],
    ["xliff 2", "b", '<ph id="0" canCopy="no"/>', notInSource],
    ["xliff 2", "b", "<ph/>", /has <ph> without an id as markup/],
    ["xliff 2", "b", '<pc id="0">x</pc>', notInSource],
    ["xliff 2", "c", "&lt;b>trois&lt;/b>", undefined],
    ["xliff 2", "d", '<mrk id="m" type="term">5</mrk> <pc id="1">4</pc>', undefined],
    ["xliff 2", "d", '<sc id="2"/>x<ec startRef="2"/>', undefined],
    ["xliff 2", "d", '<pc id="1">4', notWellFormed],
    ["xliff 2", "d", '<cp hex="0001"/> & y', undefined],
    ["xliff 2", "d", '<cp hex="0001"/>&nbsp;', notWellFormed],
    ["xliff 2", "d", "a\u0001b", /no spelling for: U\+0001/],
    ["android", "a", "<b>un</b>", notInSource],
    ["android", "c", "<b>trois</b>", notInSource],
    ["android", "c", "&lt;b>trois&lt;/b>", undefined],
    ["android", "a", "<![CDATA[x]]>", undefined],
    ["android", "a", "<![CDATA[<b>un</b>]]>", undefined],
    ["android", "a", "<![CDATA[un]]> <b>x</b>", notInSource],
    ["android", "a", "<!-- x -->", notInSource],
    // It marks what is not to be translated, and aapt takes it out.
    ["android", "a", '<xliff:g id="n">%d</xliff:g> un', undefined],
    ["android", "b", '<b><xliff:g id="n">%d</xliff:g></b> deux', undefined],
    ["android", "a", '<xliff:x id="n">%d</xliff:x> un', notInSource],
    ["android", "a", '<xliff:g id="n">%d un', notWellFormed],
    ["android", "a", "1 < 2 & <3", undefined],
    ["android", "b", "<b>deux</b> & plus", undefined],
    ["android", "b", "<b>deux</b>&nbsp;plus", notWellFormed],
    ["android", "b", "<b>deux</b>&#160;plus", notWellFormed],
    ["android", "b", "<b>1</b> < 2", notWellFormed],
    ["android", "b", "<b>deux", notWellFormed],
    // A plural form that the source lacks has what its forms have.
    ["android", "p.many", "<b>des</b> <i>x</i>", undefined],
    ["android", "p.many", "<u>des</u>", notInSource],
    // All of it is text there.
    ["resx", "a", "<b>un</b> &nbsp; <!-- x --> <![CDATA[x]]> <?php x ?>", undefined],
    ["qt", "C\u0004a", "<b>un</b> &nbsp; <!-- x --> <![CDATA[x]]> <?php x ?>", undefined],
    ["stringsdict", "a.n.one", "<b>un</b> &nbsp; <!-- x --> <![CDATA[x]]> <?php x ?>", undefined],
    // A format without words is a text where the source's has words.
    ["stringsdict", "a.NSStringLocalizedFormatKey", "%#@n@", undefined],
    ["stringsdict", "b.NSStringLocalizedFormatKey", "Reste : %#@n@", undefined],
    ["resx", "a", "a\u000Bb", /no spelling for: U\+000B/],
    ["qt", "C\u0004a", "a\u000Bb", undefined],
    ["json", "a", "a\uD800b", /lone surrogate/],
    ["po", "a", "un\n", /has a line feed at its end and its msgid has none/],
    ["po", "c.other", "\ndes", /has a line feed at its beginning and its msgid has none/],
    ["po", "d\n", "quatre", /has no line feed at its end and its msgid has one/],
    ["po", "d\n", "4\n", undefined],
    ["toml", "d", "\n<<<<<<< HEAD\n", /merge conflict/],
  ] as const)("in a file of %s is held or not: %s as %j", async (name, key, text, reason) => {
    const format = await withSmallFiles.find(({ what }) => what === name)?.load();
    const { template, context } = smallFileOf(name);
    const found = format && canHold(format, { template, key, context }, text);
    if (reason === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(reason);
  });
});

describe("an edit of many texts", () => {
  it.each(withSmallFiles)(
    "of $what leaves out those alone that the file cannot hold",
    async ({ what, load }) => {
      const format = await load();
      const { template, context } = smallFileOf(what);
      const before = format.parse(template, context);
      const keys = [...before.texts.keys()];
      fc.assert(
        fc.property(fc.array(nastyText, { minLength: keys.length, maxLength: keys.length }), (some) => {
          const texts = new Map(keys.map((key, i) => [key, some[i] ?? ""]));
          const edit = editOf({ template, texts, shape: before.content });
          const { bytes, unheld, texts: held, after } = writeHeld(format, edit, context);
          const bad = new Set(unheld.map(({ key }) => key));
          for (const key of keys) {
            const text = texts.get(key) ?? "";
            if (canHold(format, { template, key, context }, text) === undefined)
              expect(bad).not.toContain(key);
            expect(after.get(key)).toBe(bad.has(key) ? before.texts.get(key) : text);
          }
          expect([...held.keys()]).toEqual(keys.filter((key) => !bad.has(key)));
          expect(format.parse(bytes, context).texts).toEqual(after);
        }),
        { numRuns: runs(24) },
      );
    },
  );

  it.each([3, 400])("leaves out %d texts in whose places the file has groups", async (count) => {
    const format = await formats.find(({ name }) => name === "json")?.load();
    const groups = Array.from({ length: count }, (_, i) => [`g${i}`, { a: "x" }] as const);
    const template = bytesOf(JSON.stringify({ first: "x", ...Object.fromEntries(groups) }));
    const wrong = groups.map(([key]) => key);
    const texts = new Map([["first", "y"], ...wrong.map((key) => [key, "y"] as const)]);
    const shape = Object.fromEntries(texts);
    const held = format && writeHeld(format, editOf({ template, texts, shape }), smallFileOf("json").context);
    expect(held?.unheld.map(({ key }) => key).toSorted()).toEqual(wrong.toSorted());
    expect(held?.unheld[0]?.reason).toContain("the file cannot hold a text for g");
    expect(Object.fromEntries(held?.texts ?? [])).toEqual({ first: "y" });
    expect(textOf(held?.bytes ?? template)).toBe(textOf(template).replace('"x"', '"y"'));
  });

  it("makes no file of a source file that would have no text", async () => {
    const { template, context } = smallFileOf("resx");
    const format = await formats.find(({ name }) => name === "resx")?.load();
    const { content: shape } = format?.parse(template, context) ?? { content: {} };
    const edit = editOf({ template, isSource: true, texts: new Map([["a", "\u0001"]]), shape });
    const held = format && writeHeld(format, edit, context);
    expect(held?.texts.size).toBe(0);
    expect(held?.unheld.map(({ key }) => key)).toEqual(["a"]);
  });

  it("fails as a whole when the file is at fault", async () => {
    const { context } = smallFileOf("po");
    const format = await formats.find(({ name }) => name === "po")?.load();
    const template = bytesOf('msgid "a"\nmsgid_plural "b"\nmsgstr[0] ""\nmsgstr[1] ""\n');
    const edit = editOf({
      template,
      isSource: true,
      texts: new Map([
        ["a.one", "x"],
        ["a.other", "y"],
      ]),
    });
    expect(() => format && writeHeld(format, edit, context)).toThrow("no header");
  });
});
