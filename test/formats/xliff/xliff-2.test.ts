/** XLIFF 2.0 and 2.1 of apps: what differs from 1.2, which has the tests of all that both have. */
import { describe, expect, it } from "vitest";
import type { FileEdit } from "../../../src/formats/format.ts";
import { xliff } from "../../../src/formats/xliff.ts";
import { bytesOf, fixturesOf, readAndWrite, textOf } from "../../helpers/format-properties.ts";

const context = { locale: "fr", sourceLocale: "en" };
const { read, write } = readAndWrite(xliff, context);

const fileWith = (units: string, attributes = ' trgLang="fr"'): string =>
  `<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en"${attributes}>\n  <file id="f">\n${units}  </file>\n</xliff>\n`;
const unit = (id: string, inner: string, state = ""): string =>
  `    <unit id="${id}">\n      <segment${state}>\n        ${inner}\n      </segment>\n    </unit>\n`;
const lines = (...all: readonly string[]): string => all.join("\n        ");

describe("XLIFF 2 of an app", () => {
  const fixture = (project: string) => {
    const found = fixturesOf("xliff").find((one) => one.project === project);
    if (found === undefined) throw new Error(`no fixture ${project}`);
    const [target = found.source] = found.targets;
    return { source: found.source, target };
  };
  const textsOf = ({ bytes, context: own }: ReturnType<typeof fixture>["source"]) =>
    Object.fromEntries(xliff.parse(bytes, own).texts);

  it("has the texts and notes of Angular's files by the ids of units", () => {
    const { source, target } = fixture("angular-xlf2");
    expect(textsOf(source)).toMatchObject({
      "2621675099804293405":
        'Updated <ph id="0" equiv="ICU" disp="{minutes, plural, =0 {...} =1 {...} other {...}}"/>',
      "361695184271919905": "A new text",
    });
    expect(xliff.parse(source.bytes, source.context).notes.get("introductionHeader")).toEqual({
      note: "An introduction header for this sample\nUser welcome",
      where: ["src/app/app.component.html:1"],
    });
    // What is in its initial state is not translated.
    expect(Object.keys(textsOf(target))).toEqual(["introductionHeader", "2621675099804293405"]);
  });

  it("has the targets of Symfony's source file by the names of units", () => {
    const { source, target } = fixture("symfony-xliff2");
    expect(textsOf(source)).toEqual({
      "title.homepage": "Welcome to the shop",
      "cart.items": "<![CDATA[%count% items <b>in your cart</b>]]>",
      b8Lq_aE:
        "Your order has been sent, and will be with you within the next three working days from today.",
    });
    expect(textsOf(target)).toEqual({
      "title.homepage": "Bem-vindo à loja",
      b8Lq_aE: "Seu pedido foi enviado e chegará dentro de três dias úteis.",
    });
  });

  it.each([
    [
      "a target that is missing",
      lines("<source>A</source>"),
      "",
      lines("<source>A</source>", "<target>À</target>"),
      "",
    ],
    ["on the same line", "<source>A</source>", "", lines("<source>A</source>", "<target>À</target>"), ""],
    ["one that is empty", "<source>A</source><target/>", "", "<source>A</source><target>À</target>", ""],
    [
      "with the blanks of its source",
      '<source xml:space="preserve">A</source>',
      "",
      lines('<source xml:space="preserve">A</source>', '<target xml:space="preserve">À</target>'),
      "",
    ],
    [
      "the state of the segment",
      "<source>A</source><target xml:lang='fr'>x</target>",
      ' id="s" state="initial" subState="a:b"',
      "<source>A</source><target xml:lang='fr'>À</target>",
      ' id="s" state="translated"',
    ],
    [
      "the state of one without a target",
      "<source>A</source>",
      " state='initial'",
      lines("<source>A</source>", "<target>À</target>"),
      " state='translated'",
    ],
    [
      "no other state",
      "<source>A</source><target>x</target>",
      ' state="final" subState="a:b"',
      "<source>A</source><target>À</target>",
      ' state="final" subState="a:b"',
    ],
    [
      "a target whose attributes have what ends a tag",
      '<source>A</source><target order="1" a:b=">">x</target>',
      ' state="initial" a:b=">"',
      '<source>A</source><target order="1" a:b=">">À</target>',
      ' state="translated" a:b=">"',
    ],
  ])("writes %s", (_what, before, state, after, wanted) => {
    const attributes = ' trgLang="fr" xmlns:a="urn:a"';
    const file = fileWith(unit("a", before, state) + unit("z", "<source>Z</source>"), attributes);
    expect(textOf(write(file, { a: "À" }))).toBe(
      fileWith(unit("a", after, wanted) + unit("z", "<source>Z</source>"), attributes),
    );
  });

  it("makes a file of another locale of what is translated, with its language", () => {
    const { source } = fixture("angular-xlf2");
    const made = textOf(write(source.bytes, { "361695184271919905": "Nouveau" }, { isSource: true }));
    expect(made).toContain('document:2.0" srcLang="en-US" trgLang="fr">');
    expect(made.match(/<unit/g)).toHaveLength(1);
    expect(made).toContain("<source>A new text</source>\n        <target>Nouveau</target>\n      </segment>");
    const english = fixture("symfony-xliff2").source;
    expect(textOf(write(english.bytes, { "title.homepage": "x" }, { isSource: true }))).toContain(
      'srcLang="en" trgLang="fr"',
    );
  });

  const ofSource = fileWith(
    '  <unit id="a" name="a.b">\r\n    <notes>\r\n      <note>n</note>\r\n    </notes>\r\n    <segment state="initial">\r\n      <source>A</source>\r\n    </segment>\r\n  </unit>\r\n' +
      unit("z", "<source>Z</source>"),
    "",
  );
  const copying = (source: string): Partial<FileEdit> => ({
    source: bytesOf(source),
    shape: { "a.b": "", z: "" },
  });
  const z = unit("z", "<source>Z</source><target>Zé</target>");

  it("copies a new unit from the source file, laid out as its neighbours", () => {
    expect(textOf(write(fileWith(z), { "a.b": "À" }, copying(ofSource)))).toBe(
      fileWith(
        `    <unit id="a" name="a.b">\n      <notes>\n        <note>n</note>\n      </notes>\n      <segment state="translated">\n        <source>A</source>\n        <target>À</target>\n      </segment>\n    </unit>\n${z}`,
      ),
    );
  });

  it("copies nothing from a source file of another version", () => {
    const other =
      '<xliff version="1.2"><file><body><trans-unit id="a.b"><source>A</source></trans-unit></body></file></xliff>';
    expect(textOf(write(fileWith(z), { "a.b": "À" }, copying(other)))).toBe(
      fileWith(`    <unit id="a.b"><segment><source>a.b</source><target>À</target></segment></unit>\n${z}`),
    );
    expect(textOf(write(other, { z: "Zé" }, copying(ofSource)))).toContain(
      '</trans-unit><trans-unit id="z"><source>z</source><target>Zé</target></trans-unit></body>',
    );
  });

  it("has an id that is a word, and the key for a name, where nothing can be copied", () => {
    const written = write(fileWith(""), { "Not found": "x", plain: "y" });
    expect(textOf(written)).toContain(
      '<unit id="Not_x0020_found" name="Not found"><segment><source>Not found<',
    );
    expect(textOf(written)).toContain('<unit id="plain"><segment>');
    expect(read(written)).toEqual({ "Not found": "x", plain: "y" });
  });

  it("has groups with notes, and what is in other namespaces stays", () => {
    const module =
      '<m:matches xmlns:m="urn:m"><m:match><source>x</source><target>x</target></m:match><m:unit id="a"/></m:matches>';
    const group = (name: string, content: string): string =>
      `  <group id="${name}">\n    <notes>\n      <note>g</note>\n    </notes>\n${module}\n${content}  </group>\n`;
    const file = (first: string, second: string): string =>
      fileWith(
        `<skeleton/>\n<notes><note>f</note></notes>\n${module}\n${group("g", first)}${group("h", second)}`,
      );
    const [a, b, c] = ["a", "b", "c"].map((id) =>
      unit(id, "<source>S</source><target>T</target>").replace("<segment>", `${module}<segment>`),
    );
    const all = { a: "T", b: "T", c: "T" };
    const source = file(`${a}${b}`, `${c}`);
    expect(read(source)).toEqual(all);
    const edit = { source: bytesOf(source), shape: all };
    expect(textOf(write(file(`${b}`, ""), all, edit))).toBe(source);
  });

  it("has several <file> elements, told apart by their ids", () => {
    const parts = (...files: readonly (readonly [id: string, content: string])[]): string =>
      `<xliff version="2.1" srcLang="en" trgLang="fr">\n${files.map(([id, content]) => `  <file id="${id}" original="o">\n${content}  </file>\n`).join("")}</xliff>\n`;
    const source = parts(["f", unit("a", "<source>A</source>")], ["g", unit("a", "<source>B</source>")]);
    const { content: shape, texts: sourceTexts } = xliff.parse(bytesOf(source), { ...context, locale: "en" });
    expect(Object.fromEntries(sourceTexts)).toEqual({ "f.a": "A", "g.a": "B" });
    const given = {
      template: bytesOf(parts(["f", unit("a", "<source>A</source>")])),
      source: bytesOf(source),
    };
    const texts = new Map([["g.a", "Bé"]]);
    const edit = { isSource: false, removed: new Set<string>(), shape, texts, ...given };
    expect(textOf(xliff.write(edit, { ...context, sourceTexts }))).toBe(
      parts(
        ["f", unit("a", "<source>A</source>")],
        ["g", unit("a", lines("<source>B</source>", "<target>Bé</target>"))],
      ),
    );
  });

  it("has a group in a <file> that loses its last unit, as each must have one of both", () => {
    const parts = (...files: readonly (readonly [id: string, content: string])[]): string =>
      `<xliff version="2.0" srcLang="en" trgLang="fr">\n${files.map(([id, content]) => `  <file id="${id}">\n    <notes/>\n${content}  </file>\n`).join("")}</xliff>\n`;
    const [empty, own] = ['    <group id="none"/>\n', unit("b", "<source>B</source><target>Bé</target>")];
    const file = parts(["f", unit("a", "<source>A</source><target>À</target>")], ["g", own]);
    expect(textOf(write(file, {}, { removed: new Set(["f.a"]) }))).toBe(parts(["f", empty], ["g", own]));
    const made = textOf(write(file, { "g.b": "Bé" }, { isSource: true }));
    expect(made).toBe(parts(["f", empty], ["g", own]));
    const all = { "f.a": "À", "g.b": "Bé" };
    expect(read(write(made, all))).toEqual(all);
    const oneLine = (content: string) => `<xliff version="2.0"><file id="f">${content}</file></xliff>`;
    const single = oneLine('<unit id="a"><segment><source>A</source><target>x</target></segment></unit>');
    expect(textOf(write(single, {}, { removed: new Set(["a"]) }))).toBe(oneLine('<group id="none"/>'));
  });

  it("has elements with a prefix, which new ones have as well", () => {
    const file = (target: string, more = ""): string =>
      `<x:xliff xmlns:x="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en"><x:file id="f"><x:unit id="a"><x:segment><x:source>A</x:source>${target}</x:segment></x:unit>${more}</x:file></x:xliff>`;
    expect(textOf(write(file(""), { a: "À", b: "B" }))).toBe(
      file(
        "<x:target>À</x:target>",
        '<x:unit id="b"><x:segment><x:source>b</x:source><x:target>B</x:target></x:segment></x:unit>',
      ),
    );
  });

  const segment = "<segment><source>A</source></segment>";
  it.each<[string, string]>([
    ['<xliff version="2.2"/>', "is XLIFF 2.2; only 1.2, 2.0 and 2.1 can be read"],
    ["<xliff/>", "is XLIFF ; only"],
    ['<xliff version="2.0"/>', "has no <file>"],
    [
      fileWith(`<unit id="a" name="b">${segment}${segment}</unit>`),
      "the text of the unit b in several segments",
    ],
    [
      fileWith(`<unit id="a">${segment}<ignorable><source> </source></ignorable></unit>`),
      "the text of the unit a in several segments",
    ],
    [fileWith(`<unit>${segment}</unit>`), "has a unit without an id or a <source>"],
    [fileWith('<unit id="a"><source>A</source></unit>'), "has a unit without an id or a <source>"],
    [fileWith('<trans-unit id="a"><source>A</source></trans-unit>'), "has a <trans-unit> among its units"],
    [
      fileWith(`<unit id="a">${segment}</unit><group id="g"><unit id="b" name="a">${segment}</unit></group>`),
      "the key a is already in line 3",
    ],
    [
      '<xliff version="2.0"><file id="a"/><file/></xliff>',
      "has several <file> elements that cannot be told apart: one has no id",
    ],
  ])("is refused: %j", (file, message) => expect(() => read(file)).toThrow(message));
});
