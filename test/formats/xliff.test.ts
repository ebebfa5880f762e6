import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { xliff } from "../../src/formats/xliff.ts";
import { xmlText } from "../helpers/arbitraries.ts";
import {
  bytesOf,
  describeProperties,
  fileOf,
  fixturesOf,
  readAndWrite,
  textOf,
} from "../helpers/format-properties.ts";

const context = { locale: "fr", sourceLocale: "en" };
const { read, write } = readAndWrite(xliff, context);
// XML reads a carriage return beside a line feed as a part of it.
const plain = xmlText.filter((text) => !text.includes("\r"));
const markup = fc.constantFrom(
  '<x id="A"/> of <x id="B" equiv-text="{{ b }}"/>',
  "<b>x</b> & y",
  "&lt;b>x&lt;/b>",
  "&amp;lt;b>x&amp;lt;/b>",
  "a < b > c & d",
  "<![CDATA[<i>]]>",
);
const name = fc.oneof(fc.constantFrom("a", "label.title", "q\"<&>'", "__proto__"), plain);
const content = fc
  .dictionary(
    name.filter((key) => key !== ""),
    fc.oneof(plain, markup),
    { maxKeys: 6 },
  )
  .map(fileOf);

const fileWith = (units: string, attributes = ""): string =>
  `<xliff version="1.2"><file source-language="en"${attributes} datatype="plaintext" original="x">\n  <body>\n${units}  </body>\n</file></xliff>`;
const fileWith2 = (content: string): string =>
  `<xliff version="2.0" srcLang="en">\n  <file id="f">\n${content}  </file>\n</xliff>`;
const unit = (id: string, inner: string): string => `    <trans-unit id="${id}">${inner}</trans-unit>\n`;

/** A document as Xcode exports it. */
function filesWith(...files: readonly (readonly [original: string, units: string])[]): string {
  const parts = files.map(
    ([original, units]) =>
      `  <file original="${original}" source-language="en" target-language="fr" datatype="plaintext">\n    <header>\n      <tool tool-id="t"/>\n    </header>\n    <body>\n${units}    </body>\n  </file>\n`,
  );
  return `<?xml version="1.0"?>\n<xliff version="1.2">\n${parts.join("")}</xliff>\n`;
}

describe("XLIFF of an app", () => {
  it.each([' xml:space="preserve"', " xml:space='preserve'", ' id="s" xml:space="preserve"', "", ' id="s"'])(
    "copies xml:space of a <source> to its new <target>: <source%s>",
    (attributes) => {
      const [space = ""] = /\sxml:space=\S+/.exec(attributes) ?? [];
      const source = `<source${attributes}> Hi </source>`;
      expect(textOf(write(fileWith(unit("a", source)), { a: " Salut " }))).toBe(
        fileWith(unit("a", `${source}<target${space}> Salut </target>`)),
      );
    },
  );

  describeProperties("xliff", xliff, {
    empties: [
      fileWith(""),
      fileWith("    <!-- none -->\n", ' target-language="fr"'),
      fileWith("").replace(/<body>[^]*<.body>/, "<body/>"),
      fileWith("").replace(/<body>[^]*<.body>/, ""),
      fileWith('    <group id="g">\n      <note>n</note>\n    </group>\n'),
      fileWith2(""),
      fileWith2("    <notes>\n      <note>n</note>\n    </notes>\n"),
      fileWith2('    <group id="g">\n      <notes>\n      </notes>\n    </group>\n'),
      fileWith2("").replace(/>\s*<.file>/, "/>"),
    ],
    content,
    // A text of the source file may get a target, on a line of its own.
    wrapsLines: true,
  });

  const angular = fixturesOf("xliff").find(({ project }) => project === "angular");
  const source = textOf(angular?.source.bytes ?? new Uint8Array());
  const french = textOf(angular?.targets[0]?.bytes ?? new Uint8Array());

  it("has the sources of a source file, and the finished targets of others", () => {
    const texts = (file: string, locale: string) =>
      Object.fromEntries(xliff.parse(bytesOf(file), { locale, sourceLocale: "en-US" }).texts);
    expect(texts(source, "en-US")).toMatchObject({
      introductionHeader: 'Hello <x id="INTERPOLATION" equiv-text="{{ name }}"/> & friends!',
      less: "1 < 2 and <b>bold</b>",
      new: "A new text",
    });
    expect(texts(french, "fr")).toEqual({
      introductionHeader: 'Bonjour <x id="INTERPOLATION" equiv-text="{{ name }}"/> et les amis !',
    });
  });

  it("has the targets of Symfony's source file, by their names", () => {
    const units = '<trans-unit id="1" resname="a.b"><source>a.b</source><target>Text</target></trans-unit>';
    const { texts } = xliff.parse(bytesOf(fileWith(units)), { locale: "en", sourceLocale: "en" });
    expect(Object.fromEntries(texts)).toEqual({ "a.b": "Text" });
  });

  it("has notes, places and limits", () => {
    const { notes } = xliff.parse(bytesOf(source), { locale: "en-US", sourceLocale: "en-US" });
    expect(Object.fromEntries(notes)).toEqual({
      introductionHeader: {
        note: "An introduction header for this sample\nUser welcome",
        where: ["src/app/app.component.html:3,5"],
      },
      less: { max_length: 20 },
    });
  });

  it("puts a target behind the source, as that stands", () => {
    const file = fileWith(
      `${unit("a", "\n      <source>A</source>\n    ")}${unit("b", "<source>B</source>")}`,
    );
    expect(textOf(write(file, { a: "À", b: "<b>" }))).toBe(
      fileWith(
        `${unit("a", "\n      <source>A</source>\n      <target>À</target>\n    ")}${unit("b", "<source>B</source><target>&lt;b&gt;</target>")}`,
      ),
    );
  });

  it("finishes a draft, and fills an empty target", () => {
    const file = fileWith(
      `${unit("a", '<source>A</source><target state="needs-review-translation" xml:lang="fr">À</target>')}${unit("b", '<source>B</source><target state="new" />')}`,
    );
    expect(read(file)).toEqual({ b: "" });
    expect(textOf(write(file, { a: "À", b: "Bé" }))).toBe(
      file
        .replace("needs-review-translation", "translated")
        .replace('<target state="new" />', '<target state="translated">Bé</target>'),
    );
  });

  it("makes a file of another locale of what is translated, with its language", () => {
    const made = textOf(write(source, { new: "Nouveau" }, { isSource: true }));
    expect(made).toContain('<file source-language="en-US" target-language="fr" datatype');
    expect(made.match(/<trans-unit/g)).toHaveLength(1);
    expect(made).toContain("<source>A new text</source><target>Nouveau</target></trans-unit>");
  });

  it("copies a new unit from the source file", () => {
    const file = fileWith(unit("z", "<source>Z</source><target>Zé</target>"));
    const ofSource = fileWith(
      `${unit("a", '\n      <source>A</source>\n      <target state="new">A</target>\n      <note>n</note>\n    ')}${unit("z", "<source>Z</source>")}`,
    );
    expect(textOf(write(file, { a: "À" }, { source: bytesOf(ofSource), shape: { a: "", z: "" } }))).toBe(
      fileWith(
        `${unit("a", '\n      <source>A</source>\n      <target state="translated">À</target>\n      <note>n</note>\n    ')}${unit("z", "<source>Z</source><target>Zé</target>")}`,
      ),
    );
  });

  it.each<[string, string]>([
    ['<xliff version="1.1"/>', "is XLIFF 1.1; only 1.2, 2.0 and 2.1 can be read"],
    ["<TS/>", "whose root is <xliff>"],
    ['<xliff version="1.2"/>', "has no <file>"],
    [
      filesWith(["a", ""], ["", ""]),
      "has several <file> elements that cannot be told apart: one has no original",
    ],
    [filesWith(["a", ""], ["a", ""]), "cannot be told apart: two have the original a"],
    [filesWith(["a.b", ""], ["a", ""]), "cannot be told apart: a.b begins with a"],
    [fileWith("<bin-unit/>"), "has a <bin-unit> among its units"],
    [fileWith("<trans-unit><source>A</source></trans-unit>"), "without an id"],
    [fileWith(unit("a", "<target>A</target>")), "without an id or a <source>"],
    [fileWith(unit("a", "<source/>") + unit("a", "<source/>")), "the key a is already"],
    [`<!DOCTYPE xliff [<!ENTITY a "b">]>${fileWith("")}`, "has a document type"],
  ])("is refused: %j", (file, message) => expect(() => read(file)).toThrow(message));

  it("makes a file of translated units alone, also of a source file whose targets are unfinished", () => {
    const draft = (id: string, text: string, state: string): string =>
      unit(id, `<source>${text}</source><target state="${state}">${text}</target>`);
    const file = fileWith(
      draft("a", "A", "needs-translation") + draft("b", "B", "new") + draft("c", "C", "final"),
    );
    const made = write(file, { a: "A" }, { isSource: true });
    expect(textOf(made)).toBe(fileWith(draft("a", "A", "translated"), ' target-language="fr"'));
    expect(read(made)).toEqual({ a: "A" });
  });

  it("names the text that has a character for which XML has no spelling", () => {
    const file = fileWith(unit("a", "<source>A</source><target>Á</target>"));
    expect(() => write(file, { a: "be\u0001ll" })).toThrow(
      'cannot hold "be\\u0001ll", as XML has no spelling for U+0001',
    );
  });

  describe("with several <file> elements", () => {
    const [main, plist] = ["App/en.lproj/Main.strings", "App/en.lproj/InfoPlist.strings"];
    const own = (id: string, text: string, target?: string): string =>
      `      <trans-unit id="${id}">\n        <source>${text}</source>\n${target === undefined ? "" : `        <target>${target}</target>\n`}        <note>About ${text}</note>\n      </trans-unit>\n`;
    const ofSource = filesWith(
      [main, own("a.text", "A") + own("b", "B")],
      ["empty", ""],
      [plist, own("b", "Bundle") + own("c", "C")],
    );
    const english = xliff.parse(bytesOf(ofSource), { locale: "en", sourceLocale: "en" });
    const edit = { source: bytesOf(ofSource), shape: english.content };
    const { texts: sourceTexts } = english;
    const texts = (file: string | Uint8Array) =>
      Object.fromEntries(
        xliff.parse(typeof file === "string" ? bytesOf(file) : file, { ...context, sourceTexts }).texts,
      );
    const said = (file: string | Uint8Array) =>
      Object.fromEntries(Object.entries(texts(file)).filter(([, text]) => text !== ""));

    it("has the keys of each below its original, with their notes", () => {
      expect(Object.fromEntries(english.texts)).toEqual({
        [`${main}.a.text`]: "A",
        [`${main}.b`]: "B",
        [`${plist}.b`]: "Bundle",
        [`${plist}.c`]: "C",
      });
      expect(english.notes.get(`${plist}.b`)).toEqual({ note: "About Bundle" });
      expect(english.content).toMatchObject({ [main]: { "a.text": "A" }, [plist]: { b: "Bundle" } });
    });

    it("keeps everything around the texts that change", () => {
      const before = filesWith(
        [main, own("a.text", "A", "À") + own("b", "B")],
        ["empty", ""],
        [plist, own("b", "Bundle", "Lot") + own("c", "C")],
      );
      expect(textOf(write(before, texts(before), edit))).toBe(before);
      const changed = write(
        before,
        { ...texts(before), [`${main}.b`]: "Bé", [`${plist}.b`]: "Paquet" },
        edit,
      );
      expect(textOf(changed)).toBe(
        filesWith(
          [main, own("a.text", "A", "À") + own("b", "B", "Bé")],
          ["empty", ""],
          [plist, own("b", "Bundle", "Paquet") + own("c", "C")],
        ),
      );
    });

    it("gives new units to the <file> that has them in the source file", () => {
      const before = filesWith(
        [main, own("a.text", "A", "À")],
        ["empty", ""],
        [plist, own("b", "Bundle", "Lot")],
      );
      const all = { ...texts(before), [`${main}.b`]: "Bé", [`${plist}.c`]: "Cé" };
      expect(textOf(write(before, all, edit))).toBe(
        filesWith(
          [main, own("a.text", "A", "À") + own("b", "B", "Bé")],
          ["empty", ""],
          [plist, own("b", "Bundle", "Lot") + own("c", "C", "Cé")],
        ),
      );
    });

    it.each([main, plist])("gives a file of %s alone the other <file>", (first) => {
      const other = first === main ? plist : main;
      const before = filesWith([first, own("b", "B", "Bé")]);
      expect(texts(before)).toEqual({ [`${first}.b`]: "Bé" });
      const changed = write(before, { [`${first}.b`]: "Bé", [`${other}.b`]: "Autre" }, edit);
      const [known, added] = [own("b", "B", "Bé"), own("b", other === main ? "B" : "Bundle", "Autre")];
      // They stand as in the source file.
      expect(textOf(changed)).toBe(
        first === main ? filesWith([main, known], [plist, added]) : filesWith([main, added], [plist, known]),
      );
    });

    const target = "<target>y</target>";
    const oneLine = (name: string, inner = "") =>
      `<file original="${name}" source-language="en" target-language="fr"><body><trans-unit id="k"><source>x</source>${inner}</trans-unit></body></file>`;
    const [a, b, c] = [oneLine("a", target), oneLine("b", target), oneLine("c", target)];
    it.each([
      [
        "comments stay beside the <file> that they are about",
        `\n  <!-- About b -->\n  ${b} <!-- b's end -->\n`,
        `\n  ${a}\n  <!-- About b -->\n  ${b} <!-- b's end -->\n  ${c}\n`,
      ],
      ["all on one line", b, `${a}\n${b}\n${c}`],
      ["what the source lacks", `\n${oneLine("z")}\n${b}\n`, `\n${oneLine("z")}\n${a}\n${b}\n${c}\n`],
      ["in another order", `\n${c}\n${a}\n`, `\n${c}\n${a}\n${b}\n`],
      [
        "none that the source has",
        `\n${oneLine("y")}\n${oneLine("z")}\n`,
        `\n${oneLine("y")}\n${oneLine("z")}\n${a}\n${b}\n${c}\n`,
      ],
    ])("adds a <file> beside its neighbours: %s", (_what, before, after) => {
      const document = (files: string) => `<xliff version="1.2">${files}</xliff>`;
      const sourceFile = bytesOf(document(["a", "b", "c"].map((one) => oneLine(one)).join("\n")));
      const { content: shape } = xliff.parse(sourceFile, { locale: "en", sourceLocale: "en" });
      const all = { "a.k": "y", "b.k": "y", "c.k": "y" };
      expect(textOf(write(document(before), all, { source: sourceFile, shape }))).toBe(document(after));
    });

    it.each([
      [{ [`${plist}.c`]: "Cé" }],
      [{ [`${main}.a.text`]: "À", [`${main}.b`]: "Bé", [`${plist}.b`]: "Lot", [`${plist}.c`]: "Cé" }],
      [{}],
    ])("makes a file of another locale that gives the same back: %j", (all) => {
      const made = write(ofSource, all, { ...edit, isSource: true });
      expect(said(made)).toEqual(all);
      expect(textOf(made).match(/ target-language="fr"/g)).toHaveLength(3);
      expect(textOf(made).match(/<trans-unit/g)?.length ?? 0).toBe(Object.keys(all).length);
      const again = write(made, { ...all, [`${plist}.b`]: "Lots" }, edit);
      expect(said(again)).toEqual({ ...all, [`${plist}.b`]: "Lots" });
    });

    it("refuses a text that no <file> has", () => {
      expect(() => write(ofSource, { other: "x" }, edit)).toThrow(
        "cannot hold a text for other, which is in none of its <file>s",
      );
    });
  });
});
