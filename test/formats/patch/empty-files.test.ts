/** Files without any text: they are read, stay as they are, and get their first texts where these belong. */
import { describe, expect, it } from "vitest";
import type { Group } from "../../../src/domain/strings/string-file.ts";
import { formats, formatNamed } from "../../../src/formats/formats.ts";
import { bytesOf, editOf, textOf } from "../../helpers/format-properties.ts";

interface Row {
  readonly format: string;
  readonly file: string;
  /** The file with its first texts; undefined where a file of the format has no place for them. */
  readonly filled?: string;
  readonly texts?: Record<string, string>;
  readonly shape?: Group;
  readonly source?: string;
  /** What the file says besides texts. */
  readonly others?: readonly string[];
  /** Whether it names its locale, so that it is no file of the source. */
  readonly isFrench?: true;
}

const xliffFile = (content: string): string =>
  `<xliff version="1.2">\n  <file original="x" source-language="en">${content}</file>\n</xliff>\n`;
const unit = '<trans-unit id="a"><source>a</source><target>un</target></trans-unit>';
const xliffRow = (content: string, filled: string): Row => ({
  format: "xliff",
  file: xliffFile(content),
  filled: xliffFile(filled),
});
const xliff2File = (content: string): string =>
  `<xliff version="2.0" srcLang="en">\n  <file id="f"${content}\n</xliff>\n`;
const unit2 = '<unit id="a"><segment><source>a</source><target>un</target></segment></unit>';
const xliff2Row = (content: string, filled: string): Row => ({
  format: "xliff",
  file: xliff2File(content),
  filled: xliff2File(filled),
});
const xliffFiles = (...files: readonly string[]): string =>
  `<xliff version="1.2">\n${files.map((file) => `  ${file}\n`).join("")}</xliff>\n`;

const message = "<message><source>a</source><translation>un</translation></message>";
const qtTexts = { "C\u0004a": "un" };
const qtSource = "<TS><context><name>C</name>\n    <message><source>a</source></message></context></TS>";
const namelessSource = "<TS><context>\n    <message><source>a</source></message></context></TS>";
const qt = { format: "qt", texts: qtTexts, source: qtSource };

const form = "NSStringLocalizedFormatKey";
const stringsdict = {
  format: "stringsdict",
  texts: { [`a.${form}`]: "Reste : %#@n@" },
  shape: { a: { [form]: "Left: %#@n@" } },
};
const stringsdictFilled =
  '<plist version="1.0"><dict>\n  <key>a</key>\n  <dict>\n    <key>NSStringLocalizedFormatKey</key>\n    <string>Reste : %#@n@</string>\n  </dict>\n</dict></plist>\n';

const nested = { texts: { "g.a": "un" }, shape: { g: { a: "one" } } };

const rows: readonly Row[] = [
  xliffRow("<body/>", `<body>\n    ${unit}\n  </body>`),
  xliffRow("<body />", `<body>\n    ${unit}\n  </body>`),
  xliffRow("<body></body>", `<body>\n    ${unit}\n  </body>`),
  xliffRow("\n    <body>\n    </body>\n  ", `\n    <body>\n      ${unit}\n    </body>\n  `),
  xliffRow("<body><group/></body>", `<body><group/>\n    ${unit}\n  </body>`),
  xliffRow(
    '<body><group id="g"><note>n</note><group></group></group></body>',
    `<body><group id="g"><note>n</note><group></group></group>\n    ${unit}\n  </body>`,
  ),
  {
    format: "xliff",
    file: xliffFile('<body>\n    <group id="g">\n      <note>n</note>\n    </group>\n  </body>'),
    filled: xliffFile(
      `<body>\n    <group id="g">\n      <note>n</note>\n      ${unit}\n    </group>\n  </body>`,
    ),
    source: xliffFile(`<body><group id="g">${unit}</group></body>`),
  },
  {
    format: "xliff",
    file: xliffFile('<body><group id="g"/></body>'),
    filled: xliffFile(`<body><group id="g">\n    ${unit}\n  </group></body>`),
    source: xliffFile(`<body><group id="g">${unit}</group></body>`),
  },
  {
    format: "xliff",
    file: xliffFile("<body/>"),
    filled: xliffFile(
      `<body>\n    <group id="g">\n      <note>n</note>\n      ${unit}\n    </group>\n  </body>`,
    ),
    source: xliffFile(`<body>\n  <group id="g">\n    <note>n</note>\n    ${unit}\n  </group>\n</body>`),
  },
  xliffRow("", `<body>\n    ${unit}\n  </body>`),
  xliffRow("\n    <header/>\n  ", `\n    <header/>\n    <body>\n      ${unit}\n    </body>\n  `),
  {
    format: "xliff",
    file: '<xliff version="1.2"><file source-language="en" /></xliff>',
    filled: `<xliff version="1.2"><file source-language="en"><body>\n  ${unit}\n</body></file></xliff>`,
  },
  {
    format: "xliff",
    file: xliffFiles('<file original="f"/>', '<file original="g"><body/></file>', '<file original="h"/>'),
    filled: xliffFiles(
      `<file original="f"><body>\n    ${unit}\n  </body></file>`,
      `<file original="g"><body>\n    ${unit}\n  </body></file>`,
      '<file original="h"/>',
    ),
    texts: { "f.a": "un", "g.a": "un" },
  },
  xliff2Row("/>", `>\n    ${unit2}\n  </file>`),
  xliff2Row(" />", `>\n    ${unit2}\n  </file>`),
  xliff2Row("></file>", `>\n    ${unit2}\n  </file>`),
  xliff2Row(
    ">\n    <notes>\n      <note>n</note>\n    </notes>\n  </file>",
    `>\n    <notes>\n      <note>n</note>\n    </notes>\n    ${unit2}\n  </file>`,
  ),
  xliff2Row('><group id="g"/></file>', `><group id="g"/>\n    ${unit2}\n  </file>`),
  {
    ...xliff2Row(
      '>\n    <group id="g"/>\n  </file>',
      `>\n    <group id="g">\n      ${unit2}\n    </group>\n  </file>`,
    ),
    source: xliff2File(`><group id="g">${unit2}</group></file>`),
  },
  {
    format: "xliff",
    file: '<xliff version="2.1" srcLang="en"><file id="f"/><file id="g"/></xliff>',
    filled: `<xliff version="2.1" srcLang="en"><file id="f"/><file id="g">\n  ${unit2}\n</file></xliff>`,
    texts: { "g.a": "un" },
  },
  {
    format: "android",
    file: "<resources/>\n",
    filled: '<resources>\n  <string name="a">un</string>\n</resources>\n',
  },
  {
    format: "android",
    file: '<resources>\n  <plurals name="g" />\n</resources>\n',
    filled:
      '<resources>\n  <plurals name="g">\n    <item quantity="other">un</item>\n  </plurals>\n</resources>\n',
    texts: { "g.other": "un" },
    shape: { g: { other: "one" } },
  },
  {
    format: "android",
    file: '<resources>\n  <string-array name="g"/>\n</resources>\n',
    filled: '<resources>\n  <string-array name="g">\n    <item>un</item>\n  </string-array>\n</resources>\n',
    texts: { "g.0": "un" },
    shape: { g: ["one"] },
  },
  ...["<root/>", "<root></root>"].map((file) => ({
    format: "resx",
    file,
    filled: '<root>\n  <data name="a" xml:space="preserve">\n    <value>un</value>\n  </data>\n</root>',
  })),
  {
    ...qt,
    file: "<TS/>\n",
    filled: `<TS>\n<context>\n    <name>C</name>\n    ${message}\n</context>\n</TS>\n`,
  },
  {
    ...qt,
    file: '<TS version="2.1"></TS>\n',
    filled: `<TS version="2.1"><context>\n    <name>C</name>\n    ${message}\n</context>\n</TS>\n`,
  },
  {
    ...qt,
    file: "<TS><context><name>C</name></context></TS>",
    filled: `<TS><context><name>C</name>\n    ${message}</context></TS>`,
  },
  {
    ...qt,
    texts: { "\u0004a": "un" },
    source: namelessSource,
    file: "<TS><context/></TS>",
    filled: `<TS><context>\n    ${message}\n</context></TS>`,
  },
  {
    ...qt,
    texts: { "\u0004a": "un" },
    source: namelessSource,
    file: "<TS><context></context></TS>",
    filled: `<TS><context>\n    ${message}</context></TS>`,
  },
  { ...stringsdict, file: '<plist version="1.0"><dict/></plist>\n', filled: stringsdictFilled },
  { ...stringsdict, file: '<plist version="1.0"><dict></dict></plist>\n', filled: stringsdictFilled },
  {
    ...stringsdict,
    file: '<plist version="1.0"><dict>\n  <key>a</key>\n  <dict/>\n</dict></plist>\n',
    filled: stringsdictFilled,
  },
  // All that can be translated stands in the file.
  { format: "xcstrings", file: '{ "sourceLanguage": "en", "strings": {}, "version": "1.0" }' },
  { format: "csv", file: "keys,en,fr\n" },
  { format: "json", file: "{}", filled: '{\n  "a": "un"\n}' },
  { format: "json", file: '{\n  "g": {}\n}\n', filled: '{\n  "g": {\n    "a": "un"\n  }\n}\n', ...nested },
  { format: "laravel-json", file: "{}\n", filled: '{\n  "a": "un"\n}\n' },
  { format: "arb", file: "{}", filled: '{\n  "a": "un"\n}' },
  { format: "chrome", file: "{}", filled: '{\n  "a": { "message": "un" }\n}' },
  { format: "docusaurus", file: "{}", filled: '{\n  "a": { "message": "un" }\n}' },
  {
    format: "go-i18n",
    file: "[]\n",
    filled: '[\n  { "id": "a", "translation": "un" }\n]\n',
  },
  { format: "go-i18n", file: "# none\n", filled: "# none\n- id: a\n  translation: un\n" },
  { format: "php", file: "<?php return [];", filled: "<?php return [\n  'a' => 'un',\n];" },
  { format: "php", file: "<?php\nreturn array();\n", filled: "<?php\nreturn array(\n  'a' => 'un',\n);\n" },
  { format: "strings", file: "", filled: '"a" = "un";\n' },
  { format: "po", file: "", filled: 'msgid "a"\nmsgstr "un"\n' },
  { format: "properties", file: "# none\n", filled: "# none\na=un\n" },
  { format: "ini", file: "[g]\n", filled: "[g]\na=un\n", ...nested },
  { format: "toml", file: "[g]\n", filled: '[g]\na = "un"\n', ...nested },
  { format: "toml", file: "g = {}\n", filled: 'g = { a = "un" }\n', ...nested },
  { format: "fluent", file: "# none\n", filled: "# none\na = un\n" },
  { format: "yaml", file: "", filled: "a: un\n" },
  { format: "yaml", file: "{}\n", filled: "a: un\n" },
  { format: "yaml", file: "--- {}\n", filled: "---\na: un\n" },
  { format: "yaml", file: "# head\n{} # none", filled: "# head\n # none\na: un" },
  { format: "yaml", file: "{\r\n  # none\r\n}\r\n", filled: "# none\r\na: un\r\n" },
  { format: "yaml", file: "g: {}\n", filled: "g:\n  a: un\n", ...nested },
  { format: "yaml", file: "g: {} # none\n", filled: "g: # none\n  a: un\n", ...nested },
  {
    format: "yaml",
    file: "g: { # none\n}\nh: 1\n",
    filled: "g:\n  # none\n  a: un\nh: 1\n",
    ...nested,
    others: ["h"],
  },
  { format: "rails", file: "{}\n", filled: "fr:\n  a: un\n" },
  { format: "rails", file: "fr:\n", filled: "fr:\n  a: un\n", isFrench: true },
  { format: "rails", file: "fr: {}\n", filled: "fr:\n  a: un\n", isFrench: true },
  { format: "rails", file: "---\nfr: { }\nde: {}\n", filled: "---\nfr:\n  a: un\nde: {}\n", isFrench: true },
];

describe("a file without texts", () => {
  it("has a row for each format", () => {
    expect(new Set(rows.map(({ format }) => format))).toEqual(new Set(formats.map(({ name }) => name)));
  });

  it.each(rows)("of $format gets its first texts: $file", async (row) => {
    const { file, filled, texts = { a: "un" }, shape = { a: "one" }, others = [] } = row;
    const format = await formatNamed(row.format)?.load();
    if (format === undefined) throw new Error("no such format");
    const source = row.source === undefined ? undefined : bytesOf(row.source);
    for (const locale of row.isFrench === true ? ["fr"] : ["en", "fr"]) {
      const parsed = format.parse(bytesOf(file), { locale, sourceLocale: "en" });
      expect(Object.fromEntries(parsed.texts)).toEqual({});
      expect(parsed.nonTextValues).toEqual(others);
    }
    const context = { locale: "fr", sourceLocale: "en" };
    const edit = editOf({ template: bytesOf(file), shape, source });
    expect(textOf(format.write(edit, context))).toBe(file);
    expect(textOf(format.write({ ...edit, removed: new Set(["a", "b.c"]) }, context))).toBe(file);
    const written = format.write({ ...edit, texts: new Map(Object.entries(texts)) }, context);
    expect(textOf(written)).toBe(filled ?? file);
    const read = Object.fromEntries(format.parse(written, context).texts);
    expect(read).toEqual(filled === undefined ? {} : texts);
  });
});
