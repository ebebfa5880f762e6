import { describe, expect, it } from "vitest";
import { qt } from "../../src/formats/qt.ts";
import { qtFormsOf } from "../../src/formats/qt/qt-plurals.ts";
import { bytesOf, editOf, fixturesOf, textOf } from "../helpers/format-properties.ts";

const [pair] = fixturesOf("qt");
const source = textOf(pair?.source.bytes ?? new Uint8Array());
const russian = textOf(pair?.targets[0]?.bytes ?? new Uint8Array());
const contextOf = (locale: string) => ({ locale, sourceLocale: "en" });

function textsIn(file: string, locale: string): Record<string, string> {
  return Object.fromEntries(qt.parse(bytesOf(file), contextOf(locale)).texts);
}

function write(file: string, locale: string, texts: Record<string, string>, edit = {}): string {
  const { content: shape } = qt.parse(bytesOf(source), contextOf("en"));
  const all = {
    template: bytesOf(file),
    source: bytesOf(source),
    texts: new Map(Object.entries(texts)),
    shape,
  };
  return textOf(qt.write(editOf({ ...all, ...edit }), contextOf(locale)));
}

const open = 'MainWindow\u0004&Open "%1"';
const files = "MainWindow\u0004%n file(s)";
const adjective = "MainWindow\u0004Open\u0004adjective";
const dialog = "Dialog\u0004It's a text\non two lines";

describe("Qt's .ts", () => {
  it("has the source texts where the source file has no others, and none that has left the app", () => {
    expect(textsIn(source, "en")).toEqual({
      [open]: '&Open "%1"',
      [adjective]: "Open",
      "MainWindow\u0004Open": "Open",
      [`${files}.one`]: "%n file",
      [`${files}.other`]: "%n files",
      [dialog]: "It's a text\non two lines",
      "by-id": "A text with an id",
    });
  });

  it("has what is finished in a locale, in Qt's own plural forms", () => {
    const { texts, nonTextValues } = qt.parse(bytesOf(russian), contextOf("ru"));
    expect(Object.fromEntries(texts)).toEqual({
      [open]: '&Открыть "%1"',
      [`${files}.one`]: "%n файл",
      [`${files}.few`]: "%n файла",
      [`${files}.many`]: "%n файлов",
      [dialog]: "Текст\nв две строки",
    });
    expect(nonTextValues).toEqual([`${files}.numerusform[3]`]);
    const draft = russian.replace("<translation>&amp;", '<translation type="unfinished">&amp;');
    expect(textsIn(draft, "ru")).not.toHaveProperty([open]);
  });

  it("has comments and places in the code as notes", () => {
    const notes = Object.fromEntries(qt.parse(bytesOf(source), contextOf("en")).notes);
    expect(notes).toEqual({
      [open]: { note: "%1 is a file name", where: ["../src/mainwindow.cpp:12", "../src/mainwindow.ui:40"] },
      [adjective]: { note: "adjective", where: ["../src/mainwindow.cpp:20"] },
      "MainWindow\u0004Open": { where: ["../src/mainwindow.cpp:21"] },
    });
  });

  it("stays byte by byte when nothing changes", () => {
    for (const [file, locale] of [
      [source, "en"],
      [russian, "ru"],
    ] as const) {
      expect(write(file, locale, {})).toBe(file);
      expect(write(file, locale, textsIn(file, locale))).toBe(file);
    }
  });

  it("changes one text, and what says that it is finished", () => {
    expect(write(russian, "ru", { [open]: `"It's" <b> & %1` })).toBe(
      russian.replace(
        "&amp;Открыть &quot;%1&quot;</translation>",
        "&quot;It&apos;s&quot; &lt;b&gt; &amp; %1</translation>",
      ),
    );
    expect(write(russian, "ru", { [`${files}.few`]: "x" })).toBe(russian.replace("%n файла<", "x<"));
    const draft = russian.replace("<translation>&amp;", '<translation type="unfinished">&amp;');
    expect(write(draft, "ru", { [open]: '&Открыть "%1"' })).toBe(russian);
  });

  it("adds messages where the source file has them, with their places and comments", () => {
    const changed = write(russian, "ru", { [adjective]: "Открытый", "by-id": "С id" });
    expect(changed).toBe(
      russian
        .replace(
          "&quot;%1&quot;</translation>\n    </message>\n",
          `$&    <message>
        <location filename="../src/mainwindow.cpp" line="20"/>
        <source>Open</source>
        <comment>adjective</comment>
        <translation>Открытый</translation>
    </message>
`,
        )
        .replace(
          "</TS>",
          `<context>
    <name></name>
    <message id="by-id">
        <source>A text with an id</source>
        <translation>С id</translation>
    </message>
</context>
</TS>`,
        ),
    );
    const crlf = russian.replaceAll("\n", "\r\n");
    expect(write(crlf, "ru", { [adjective]: "x\ny" })).not.toMatch(/[^\r]\n/);
  });

  it("makes a file of another locale in which all else is unfinished", () => {
    const made = write(
      source,
      "cs",
      { [`${files}.one`]: "%n soubor", [dialog]: "Dva\nřádky" },
      { isSource: true },
    );
    expect(textsIn(made, "cs")).toMatchObject({ [`${files}.one`]: "%n soubor", [dialog]: "Dva\nřádky" });
    expect(made).toContain('<TS version="2.1" language="cs">');
    expect(made).toContain(
      `<translation type="unfinished">
            <numerusform>%n soubor</numerusform>
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>`,
    );
    expect(made).not.toContain("Gone");
    expect(made.match(/type="unfinished"/g)).toHaveLength(5);
  });

  it("empties what is removed, and keeps its message", () => {
    const changed = write(russian, "ru", {}, { removed: new Set([open, `${files}.many`]) });
    expect(textsIn(changed, "ru")[open]).toBe("");
    expect(changed).toContain('<translation type="unfinished"></translation>');
    expect(changed.match(/<message/g)).toHaveLength(3);
  });

  it("names the forms that Qt does not have", () => {
    const texts = new Map(Object.entries({ [`${files}.one`]: "a", [`${files}.other`]: "b" }));
    const edit = editOf({ template: bytesOf(source), isSource: true, texts });
    expect(qt.unplaced?.(edit, contextOf("ja"))).toEqual([`${files}.one`]);
    expect(qt.unplaced?.(edit, contextOf("de"))).toEqual([]);
  });

  it("holds characters that XML does not have", () => {
    const changed = write(russian, "ru", { [open]: "a\u001bb" });
    expect(changed).toContain('a<byte value="x1b"/>b');
    expect(textsIn(changed, "ru")[open]).toBe("a\u001bb");
  });

  it.each<[string, string]>([
    ["export default { a: 'b' };", "is not a file of Qt's translations, which is XML"],
    ["<resources/>", "whose root is <TS>"],
    ['<!DOCTYPE TS [<!ENTITY a "b">]><TS/>', "has a document type"],
    ['<!DOCTYPE TS SYSTEM "file:///etc/passwd" [<!ENTITY % x "y">]><TS/>', "has a document type"],
    ["<TS><context><name>&a;</name></context></TS>", "is not well-formed XML"],
  ])("is refused: %j", (file, message) => expect(() => textsIn(file, "en")).toThrow(message));

  it.each([
    ["ru", "one few many"],
    ["cs", "one few other"],
    ["pl", "one few many"],
    ["ar", "zero one two few many other"],
    ["tr", "other"],
    ["ja", "other"],
    ["fr", "one other"],
    ["pt_BR", "one other"],
    ["pt", "one other"],
    ["lv", "one other zero"],
    ["lt", "one few other"],
    ["sl", "one two few other"],
    ["ro", "one few other"],
    ["de", "one other"],
    ["xx", "one other"],
  ])("has the plural forms of %s in Qt's order", (locale, forms) => {
    expect(
      qtFormsOf(locale)
        .map(({ category }) => category)
        .join(" "),
    ).toBe(forms);
  });
});
