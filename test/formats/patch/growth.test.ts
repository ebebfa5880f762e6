/**
 * Files are written in proportion to their size: each row is a file, and an edit of twice as many texts may take no more
 * than about twice the steps. Steps are counted, not timed.
 */
import { leastGrowth, runaway } from "../../security/steps.ts";
import { describe, expect, it } from "vitest";
import type { FileEdit, FileFormat } from "../../../src/formats/format.ts";
import type { ParsedFile } from "../../../src/formats/patch/tree.ts";
import { clearModuleCaches } from "../../../src/module-caches.ts";
import { formats, formatNamed } from "../../../src/formats/formats.ts";
import { bytesOf, editOf } from "../../helpers/format-properties.ts";

/** A file of many entries. */
interface Layout {
  readonly format: string;
  readonly what: string;
  readonly entry: (i: number) => string;
  readonly start?: string;
  readonly end?: string;
  /** What stands between two entries. */
  readonly between?: string;
  /** The locale of the file's texts; the source's by default. */
  readonly locale?: "fr";
  /** Whether texts can only change in it, and none comes or goes. */
  readonly isFixed?: true;
}

/** With fewer entries, what is done for each pair of them does not show. */
const entries = 400;
/** Reading and writing long entries takes so many steps that what is more than in proportion hardly shows. */
const mostGrowth = 2.15;

const xliff = '<xliff version="1.2">';
const ofXliff = '<file source-language="en" target-language="fr" original="x"><body>';
const unit = (id: string): string =>
  `<trans-unit id="${id}"><source>b</source><target>c</target></trans-unit>`;
const xliff2 = '<xliff version="2.0" srcLang="en" trgLang="fr">';
const unit2 = (id: string): string =>
  `<unit id="${id}"><notes><note>n</note></notes><segment state="initial"><source>b</source><target/></segment></unit>`;
const message = (source: string): string =>
  `<message><source>${source}</source><translation>b</translation></message>`;
const inCatalog = (value: string): string => `{"stringUnit":{"state":"translated","value":"${value}"}}`;
const bothLocales = (inner: string): string => `{"localizations":{"en":${inner},"fr":${inner}}}`;
const catalog = {
  format: "xcstrings",
  start: '{"sourceLanguage":"en","strings":{',
  between: ",",
  end: '},"version":"1.0"}',
};
const dictionary = (key: string, inner: string): string => `<key>${key}</key><dict>${inner}</dict>`;
const formatKey = "<key>NSStringLocalizedFormatKey</key><string>b %#@n@</string>";
const forms = "<key>one</key><string>a</string><key>other</key><string>b</string>";

const layouts: readonly Layout[] = [
  { format: "json", what: "one line", entry: (i) => `"a${i}":"b"`, start: "{", between: ",", end: "}" },
  {
    format: "json",
    what: "lines",
    entry: (i) => `  "a${i}": "b"`,
    start: "{\n",
    between: ",\n",
    end: "\n}\n",
  },
  { format: "json", what: "groups", entry: (i) => `"a${i}":{"c":"b"}`, start: "{", between: ",", end: "}" },
  {
    format: "json",
    what: "texts and groups",
    entry: (i) => `"g${i}":{"c":{"d":"b"}},"a${i}":"b"`,
    start: "{",
    between: ",",
    end: "}",
  },
  { format: "json", what: "a list", entry: () => '"b"', start: '{"a":[', between: ",", end: "]}" },
  {
    format: "json",
    what: "keys with dots",
    entry: (i) => `"a.b.c${i}":"b"`,
    start: "{",
    between: ",",
    end: "}",
  },
  {
    format: "laravel-json",
    what: "lines",
    entry: (i) => `"A ${i}.": "b"`,
    start: "{\n",
    between: ",\n",
    end: "\n}",
  },
  {
    format: "arb",
    what: "descriptions",
    entry: (i) => `"a${i}":"b","@a${i}":{"description":"c"}`,
    start: "{",
    between: ",",
    end: "}",
  },
  {
    format: "chrome",
    what: "messages",
    entry: (i) => `"a${i}":{"message":"b"}`,
    start: "{",
    between: ",",
    end: "}",
  },
  {
    format: "docusaurus",
    what: "messages",
    entry: (i) => `"a${i}":{"message":"b","description":"c"}`,
    start: "{\n",
    between: ",\n",
    end: "\n}",
  },
  {
    format: "go-i18n",
    what: "JSON",
    entry: (i) => `{"id":"a${i}","translation":"b"}`,
    start: "[",
    between: ",",
    end: "]",
  },
  {
    format: "go-i18n",
    what: "plurals",
    entry: (i) => `{"id":"a${i}","translation":{"one":"b","other":"c"}}`,
    start: "[",
    between: ",\n",
    end: "]",
  },
  { format: "go-i18n", what: "YAML", entry: (i) => `- id: a${i}\n  translation: b\n` },
  { format: "php", what: "one line", entry: (i) => `'a${i}'=>'b',`, start: "<?php return [", end: "];" },
  {
    format: "php",
    what: "lines",
    entry: (i) => `  'a${i}' => 'b',\n`,
    start: "<?php return [\n",
    end: "];\n",
  },
  {
    format: "php",
    what: "groups",
    entry: (i) => `  'a${i}' => ['c' => 'b'],\n`,
    start: "<?php return [\n",
    end: "];\n",
  },
  { format: "strings", what: "lines", entry: (i) => `"a${i}" = "b";\n` },
  { format: "strings", what: "one line", entry: (i) => `"a${i}"="b";` },
  { format: "properties", what: "lines", entry: (i) => `a${i} = b\n` },
  { format: "properties", what: "comments", entry: (i) => `# c\na${i} = b\n\n` },
  { format: "csv", what: "rows", entry: (i) => `a${i},b,c\n`, start: "keys,en,fr\n" },
  { format: "csv", what: "a new column", entry: (i) => `a${i},b\n`, start: "keys,en\n" },
  { format: "ini", what: "lines", entry: (i) => `a${i} = b\n` },
  { format: "ini", what: "sections", entry: (i) => `[a${i}]\nc = "b"\n\n` },
  { format: "ini", what: "comments", entry: (i) => `; c\na${i} = b\n` },
  { format: "toml", what: "lines", entry: (i) => `a${i} = "b"\n` },
  { format: "toml", what: "tables", entry: (i) => `[a${i}]\nc = "b"\n\n` },
  { format: "toml", what: "plurals", entry: (i) => `[a${i}]\none = "b"\nother = "c"\n` },
  { format: "toml", what: "a list", entry: () => '"b"', start: "a = [", between: ", ", end: "]\n" },
  {
    format: "toml",
    what: "braces",
    entry: (i) => `a${i} = "b"`,
    start: "c = { ",
    between: ", ",
    end: " }\n",
  },
  { format: "fluent", what: "messages", entry: (i) => `a${i} = b\n` },
  { format: "fluent", what: "attributes", entry: (i) => `    .a${i} = b\n`, start: "m = b\n" },
  { format: "fluent", what: "comments", entry: (i) => `# c\na${i} = b\n\n` },
  { format: "po", what: "messages", entry: (i) => `msgid "a${i}"\nmsgstr "b"\n\n` },
  {
    format: "po",
    what: "plurals",
    entry: (i) => `#: c\nmsgid "a${i}"\nmsgid_plural "as"\nmsgstr[0] "b"\nmsgstr[1] "c"\n\n`,
    start: 'msgid ""\nmsgstr "Plural-Forms: nplurals=2; plural=n > 1;\\n"\n\n',
  },
  { format: "yaml", what: "lines", entry: (i) => `a${i}: b\n` },
  { format: "yaml", what: "groups", entry: (i) => `a${i}:\n  c: b\n` },
  { format: "yaml", what: "comments", entry: (i) => `# c\na${i}: "b"\n` },
  { format: "yaml", what: "a list", entry: () => "  - b\n", start: "a:\n" },
  {
    format: "yaml",
    what: "braces",
    entry: (i) => `a${i}: b`,
    start: "c: {",
    between: ", ",
    end: "}\n",
    isFixed: true,
  },
  { format: "rails", what: "lines", entry: (i) => `  a${i}: b\n`, start: "fr:\n", locale: "fr" },
  {
    format: "android",
    what: "one line",
    entry: (i) => `<string name="a${i}">b</string>`,
    start: "<resources>",
    end: "</resources>",
  },
  {
    format: "android",
    what: "lines",
    entry: (i) => `  <string name="a${i}">b</string>\n`,
    start: "<resources>\n",
    end: "</resources>\n",
  },
  {
    format: "android",
    what: "arrays",
    entry: (i) => `<string-array name="a${i}"><item>b</item><item>c</item></string-array>\n`,
    start: "<resources>",
    end: "</resources>",
  },
  {
    format: "android",
    what: "plurals",
    entry: (i) => `<plurals name="a${i}"><item quantity="other">b</item></plurals>`,
    start: "<resources>",
    end: "</resources>",
  },
  {
    format: "android",
    what: "resources that stay",
    entry: (i) => `<color name="c${i}">#fff</color><string name="a${i}">b</string>\n`,
    start: "<resources>",
    end: "</resources>",
  },
  {
    format: "resx",
    what: "what looks like comments between",
    entry: (i) => `<o><![CDATA[\n${"<!--\n".repeat(20)}]]></o>\n<data name="a${i}"><value>b</value></data>`,
    start: "<root>\n",
    between: "\n",
    end: "</root>",
  },
  {
    format: "resx",
    what: "one line",
    entry: (i) => `<data name="a${i}"><value>b</value></data>`,
    start: "<root>",
    end: "</root>",
  },
  {
    format: "resx",
    what: "lines",
    entry: (i) => `<data name="a${i}">\n<value>b</value>\n</data>\n`,
    start: "<root>\n",
    end: "</root>",
  },
  {
    format: "qt",
    what: "one line",
    entry: (i) => message(`a${i}`),
    start: "<TS><context><name>C</name>",
    end: "</context></TS>",
  },
  {
    format: "qt",
    what: "contexts",
    entry: (i) => `<context><name>C${i}</name>${message("a")}</context>\n`,
    start: "<TS>",
    end: "</TS>",
  },
  {
    format: "qt",
    what: "lines of plurals",
    entry: (i) =>
      `<message numerus="yes">\n<source>a${i}</source>\n<translation>\n<numerusform>b</numerusform>\n<numerusform>c</numerusform>\n</translation>\n</message>\n`,
    start: "<TS><context><name>C</name>",
    end: "</context></TS>",
  },
  {
    format: "qt",
    what: "messages without a translation",
    entry: (i) => `<message><source>a${i}</source></message>`,
    start: "<TS><context><name>C</name>",
    end: "</context></TS>",
  },
  {
    format: "stringsdict",
    what: "formats",
    entry: (i) => dictionary(`a${i}`, formatKey),
    start: "<plist><dict>",
    end: "</dict></plist>",
  },
  {
    format: "stringsdict",
    what: "plurals",
    entry: (i) => dictionary(`a${i}`, formatKey + dictionary("n", forms)),
    start: "<plist><dict>",
    end: "</dict></plist>",
  },
  {
    format: "stringsdict",
    what: "variables",
    entry: (i) => dictionary(`n${i}`, forms),
    start: `<plist><dict><key>a</key><dict>${formatKey}`,
    end: "</dict></dict></plist>",
  },
  { ...catalog, what: "strings", entry: (i) => `"a${i}":${bothLocales(inCatalog("b"))}` },
  {
    ...catalog,
    what: "strings of the source",
    entry: (i) => `"a${i}":{"localizations":{"en":${inCatalog("b")}}}`,
  },
  {
    ...catalog,
    what: "plurals",
    entry: (i) =>
      `"a${i}":${bothLocales(`{"variations":{"plural":{"one":${inCatalog("b")},"other":${inCatalog("c")}}}}`)}`,
  },
  {
    format: "xcstrings",
    what: "substitutions",
    start: `{"sourceLanguage":"en","version":"1.0","strings":{"a":{"localizations":{"en":{"substitutions":{`,
    entry: (i) =>
      `"n${i}":{"argNum":1,"formatSpecifier":"d","variations":{"plural":{"other":${inCatalog("b")}}}}`,
    between: ",",
    end: "}}}}}}",
  },
  {
    format: "xcstrings",
    what: "substitutions of a locale",
    locale: "fr",
    start: `{"sourceLanguage":"en","version":"1.0","strings":{"a":{"localizations":{"fr":{"substitutions":{`,
    entry: (i) =>
      `"n${i}":{"argNum":1,"formatSpecifier":"d","variations":{"plural":{"other":${inCatalog("b")}}}}`,
    between: ",",
    end: "}}}}}}",
  },
  {
    format: "xliff",
    what: "one line",
    entry: (i) => unit(`a${i}`),
    start: xliff + ofXliff,
    end: "</body></file></xliff>",
  },
  {
    format: "xliff",
    what: "lines",
    entry: (i) => `${unit(`a${i}`)}\n`,
    start: `${xliff + ofXliff}\n`,
    end: "</body></file></xliff>",
  },
  {
    format: "xliff",
    what: "files",
    entry: (i) => `${ofXliff.replace('"x"', `"f${i}"`)}${unit("a")}</body></file>`,
    start: `${xliff}<file source-language="en" original="x"/>`,
    end: "</xliff>",
  },
  {
    format: "xliff",
    what: "a group",
    entry: (i) => `${unit(`a${i}`)}\n`,
    start: `${xliff + ofXliff}<group id="g">\n`,
    end: "</group></body></file></xliff>",
  },
  {
    format: "xliff",
    what: "groups",
    entry: (i) => `<group id="g${i}"><note>n</note>${unit(`a.${i}`)}</group>\n`,
    start: `${xliff + ofXliff}\n`,
    end: "</body></file></xliff>",
  },
  {
    format: "xliff",
    what: "groups without ids",
    entry: (i) => `<group><group>${unit(`a${i}`)}</group></group>`,
    start: xliff + ofXliff,
    end: "</body></file></xliff>",
  },
  {
    format: "xliff",
    what: "version 2",
    entry: (i) => `${unit2(`a${i}`)}\n`,
    start: `${xliff2}<file id="f">\n`,
    end: "</file></xliff>",
  },
  {
    format: "xliff",
    what: "version 2 on one line",
    entry: (i) => unit2(`a${i}`),
    start: `${xliff2}<file id="f">`,
    end: "</file></xliff>",
  },
  {
    format: "xliff",
    what: "files of version 2",
    entry: (i) => `<file id="f${i}">${unit2("a")}</file>`,
    start: `${xliff2}<file id="x"/>`,
    end: "</xliff>",
  },
  {
    format: "xliff",
    what: "groups of version 2",
    entry: (i) => `<group id="g.${i}">\n${unit2(`a${i}`)}</group>\n`,
    start: `${xliff2}<file id="f">`,
    end: "</file></xliff>",
  },
  {
    format: "xliff",
    what: "names with dots",
    entry: (i) => `${ofXliff.replace('"x"', `"f.${i}.g"`)}${unit("a.b")}</body></file>\n`,
    start: `${xliff}<file source-language="en" original="x"/>`,
    end: "</xliff>",
  },
];

type Edit = Partial<FileEdit> & Pick<FileEdit, "template">;
/** What is done to a file. @param file makes it of the numbers of its entries. */
type MakeEdit = (
  file: (numbers: readonly number[]) => Uint8Array,
  numbers: readonly number[],
  parse: (file: Uint8Array) => ReadonlyMap<string, string>,
) => Edit;

const changed = (texts: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
  new Map(Array.from(texts, ([key, text]) => [key, `${text} & "x"`]));
const even = (numbers: readonly number[]): readonly number[] => numbers.filter((i) => i % 2 === 0);

const edits: Readonly<Record<string, MakeEdit>> = {
  "changes all texts": (file, numbers, parse) => {
    const template = file(numbers);
    return { template, texts: changed(parse(template)) };
  },
  "adds every other text": (file, numbers, parse) => {
    return { template: file(even(numbers)), texts: changed(parse(file(numbers))) };
  },
  "adds all texts": (file, numbers, parse) => ({ template: file([]), texts: changed(parse(file(numbers))) }),
  "removes every other text": (file, numbers, parse) => {
    const left = parse(file(even(numbers)));
    const template = file(numbers);
    return { template, removed: new Set([...parse(template).keys()].filter((key) => !left.has(key))) };
  },
  "removes all texts but one": (file, numbers, parse) => {
    const template = file(numbers);
    return { template, removed: new Set([...parse(template).keys()].slice(1)) };
  },
  "is made of its source": (file, numbers, parse) => {
    const template = file(numbers);
    return { template, texts: changed(parse(template)), isSource: true };
  },
  "is made of its source, of which every other text is translated": (file, numbers, parse) => {
    return { template: file(numbers), texts: changed(parse(file(even(numbers)))), isSource: true };
  },
};

describe("a file is written in proportion to its size", async () => {
  it("in each format", () => {
    expect(new Set(layouts.map(({ format }) => format))).toEqual(new Set(formats.map(({ name }) => name)));
  });

  for (const layout of layouts) {
    const format = await formatNamed(layout.format)?.load();
    if (format === undefined) continue;
    describe(`${layout.format}: ${layout.what}`, () => {
      const own = Object.entries(edits).slice(0, layout.isFixed === true ? 1 : undefined);
      it.each(own)("%s", { timeout: runaway }, (_, makeEdit) => {
        const work = (count: number) => workOf(format, layout, makeEdit, count);
        const growth = leastGrowth(work, entries, mostGrowth);
        expect(growth).toBeLessThan(mostGrowth);
      });
    });
  }
});

/** What was read of the files of one layout: its edits and both of its sizes have most of their files in common. */
let read: { readonly layout: Layout; readonly files: Map<string, ParsedFile> } | undefined;

/** Reads a file of a layout, once. */
function readOnce(format: FileFormat, layout: Layout, file: Uint8Array): ParsedFile {
  if (read?.layout !== layout) read = { layout, files: new Map() };
  const text = Buffer.from(file).toString();
  const known = read.files.get(text);
  if (known !== undefined) return known;
  const made = format.parse(file, { locale: layout.locale ?? "en", sourceLocale: "en" });
  read.files.set(text, made);
  return made;
}

function workOf(format: FileFormat, layout: Layout, makeEdit: MakeEdit, count: number): () => unknown {
  const { entry, start = "", end = "", between = "" } = layout;
  const numbers = Array.from({ length: count }, (_, i) => i);
  const file = (some: readonly number[]): Uint8Array => bytesOf(start + some.map(entry).join(between) + end);
  const source = file(numbers);
  const shape = readOnce(format, layout, source);
  const context = { locale: "fr", sourceLocale: "en", sourceTexts: shape.texts };
  const parse = (bytes: Uint8Array) => readOnce(format, layout, bytes).texts;
  const edit = editOf({ source, shape: shape.content, ...makeEdit(file, numbers, parse) });
  return () => {
    clearModuleCaches();
    return [format.write(edit, context), format.unplaced?.(edit, context)];
  };
}
