/** Where new texts stand in the files of all formats in which they come and go: beside their neighbours of the source file. */
import { describe, expect, it } from "vitest";
import { formats, formatNamed } from "../../../src/formats/formats.ts";
import { contextSeparator } from "../../../src/domain/text.ts";
import { bytesOf, editOf } from "../../helpers/format-properties.ts";

/** Makes a file with a text for each name. */
type FileOf = (names: readonly string[]) => string;

const lines =
  (entry: (name: string) => string, start = "", end = ""): FileOf =>
  (names) =>
    start + names.map(entry).join("") + end;
const json =
  (entry: (name: string) => string, start = "{", end = "}"): FileOf =>
  (names) =>
    `${start}\n${names.map((name) => `  ${entry(name)}`).join(",\n")}\n${end}\n`;

/** Whether a name is that of a group, where a file has texts and groups beside each other. */
const isGroup = (name: string): boolean => name === "a" || name === "d" || name === "404";

/** A format's files: at their root, and where they have groups, in one. */
interface Row {
  readonly format: string;
  readonly what?: string;
  readonly fileOf: FileOf;
}

const unit = (name: string): string =>
  `<trans-unit id="${name}"><source>x</source><target>x</target></trans-unit>\n`;
const bodyOf = (original: string, names: readonly string[], content = names.map(unit).join("")): string =>
  `<file original="${original}" source-language="en" target-language="fr"><body>\n${content}</body></file>\n`;
const xliff = (...bodies: readonly string[]): string => `<xliff version="1.2">\n${bodies.join("")}</xliff>\n`;
const unit2 = (name: string): string =>
  `<unit id="${name}">\n<segment>\n<source>x</source>\n<target>x</target>\n</segment>\n</unit>\n`;
const file2 = (id: string, content: string): string => `<file id="${id}">\n${content}</file>\n`;
const xliff2 = (...files: readonly string[]): string =>
  `<xliff version="2.0" srcLang="en" trgLang="fr">\n${files.join("")}</xliff>\n`;
const xliffGroup = (id: string, units: string): string => `<group id="${id}">\n${units}</group>\n`;
const dict = (name: string): string =>
  `<key>${name}</key>\n<dict><key>NSStringLocalizedFormatKey</key><string>Said: %#@n@</string></dict>\n`;
const qtMessage = (name: string): string =>
  `<message><source>${name}</source><translation>x</translation></message>\n`;

const rows: readonly Row[] = [
  { format: "json", fileOf: json((name) => `"${name}": "x"`) },
  { format: "json", what: "in a group", fileOf: json((name) => `"${name}": "x"`, '{ "g": {', "} }") },
  { format: "json", what: "groups", fileOf: json((name) => `"${name}": { "k": "x" }`) },
  {
    format: "json",
    what: "groups in a group",
    fileOf: (names) =>
      json((name) => `"${name}": { "k": "x" }`, '{ "first": "x", "g": {', '}, "last": "x" }')(names),
  },
  {
    format: "json",
    what: "texts and groups",
    fileOf: json((name) => (isGroup(name) ? `"${name}": { "k": "x" }` : `"${name}": "x"`)),
  },
  { format: "json", what: "dotted keys", fileOf: json((name) => `"g.${name}.k": "x"`) },
  { format: "laravel-json", fileOf: json((name) => `"${name}": "x"`) },
  { format: "arb", fileOf: json((name) => `"${name}": "x"`) },
  { format: "chrome", fileOf: json((name) => `"${name}": { "message": "x" }`) },
  { format: "docusaurus", fileOf: json((name) => `"${name}": { "message": "x" }`) },
  { format: "go-i18n", fileOf: json((name) => `{ "id": "${name}", "translation": "x" }`, "[", "]") },
  { format: "go-i18n", what: "YAML", fileOf: lines((name) => `- id: "${name}"\n  translation: x\n`) },
  { format: "php", fileOf: lines((name) => `  '${name}' => 'x',\n`, "<?php return [\n", "];\n") },
  {
    format: "php",
    what: "groups",
    fileOf: lines((name) => `  '${name}' => ['k' => 'x'],\n`, "<?php return [\n", "];\n"),
  },
  { format: "strings", fileOf: lines((name) => `"${name}" = "x";\n`) },
  { format: "properties", fileOf: lines((name) => `${name} = x\n`) },
  { format: "ini", fileOf: lines((name) => `${name} = x\n`) },
  { format: "ini", what: "in a section", fileOf: lines((name) => `${name} = x\n`, "[s]\n") },
  { format: "ini", what: "sections", fileOf: lines((name) => `[${name}]\nk = x\n`) },
  { format: "toml", fileOf: lines((name) => `${name} = "x"\n`) },
  { format: "toml", what: "in a table", fileOf: lines((name) => `${name} = "x"\n`, "[t]\n") },
  { format: "toml", what: "tables", fileOf: lines((name) => `[${name}]\nk = "x"\n`) },
  { format: "fluent", fileOf: lines((name) => `${name} = x\n`) },
  { format: "po", fileOf: lines((name) => `msgid "${name}"\nmsgstr "x"\n\n`) },
  { format: "yaml", fileOf: lines((name) => `"${name}": x\n`) },
  { format: "yaml", what: "in a group", fileOf: lines((name) => `  "${name}": x\n`, "g:\n") },
  { format: "yaml", what: "groups", fileOf: lines((name) => `"${name}":\n  k: x\n`) },
  {
    format: "yaml",
    what: "texts and groups",
    fileOf: lines((name) => (isGroup(name) ? `"${name}":\n  k: x\n` : `"${name}": x\n`)),
  },
  { format: "rails", fileOf: lines((name) => `  "${name}": x\n`, "fr:\n") },
  { format: "rails", what: "groups", fileOf: lines((name) => `  "${name}":\n    k: x\n`, "fr:\n") },
  {
    format: "android",
    fileOf: lines((name) => `  <string name="${name}">x</string>\n`, "<resources>\n", "</resources>\n"),
  },
  {
    format: "android",
    what: "plurals",
    fileOf: lines(
      (name) => `  <plurals name="${name}"><item quantity="other">x</item></plurals>\n`,
      "<resources>\n",
      "</resources>\n",
    ),
  },
  {
    format: "resx",
    fileOf: lines((name) => `  <data name="${name}"><value>x</value></data>\n`, "<root>\n", "</root>\n"),
  },
  { format: "stringsdict", fileOf: lines(dict, "<plist><dict>\n", "</dict></plist>\n") },
  { format: "qt", fileOf: lines(qtMessage, "<TS><context><name>C</name>\n", "</context></TS>\n") },
  { format: "xliff", fileOf: (names) => xliff(bodyOf("f", names)) },
  { format: "xliff", what: "in a file", fileOf: (names) => xliff(bodyOf("f", names), bodyOf("g", ["k"])) },
  {
    format: "xliff",
    what: "files",
    fileOf: (names) => xliff(...names.map((name) => bodyOf(name, ["k"]))),
  },
  {
    format: "xliff",
    what: "in a group",
    fileOf: (names) =>
      xliff(bodyOf("f", [], unit("first") + xliffGroup("g", names.map(unit).join("")) + unit("last"))),
  },
  {
    format: "xliff",
    what: "groups",
    fileOf: (names) =>
      xliff(bodyOf("f", [], names.map((name) => xliffGroup(`g.${name}`, unit(name))).join(""))),
  },
  {
    format: "xliff",
    what: "texts and groups",
    fileOf: (names) =>
      xliff(
        bodyOf(
          "f",
          [],
          names.map((name) => (isGroup(name) ? xliffGroup(name, unit(name)) : unit(name))).join(""),
        ),
      ),
  },
  {
    format: "xliff",
    what: "groups without ids in a group",
    fileOf: (names) =>
      xliff(
        bodyOf("f", [], xliffGroup("g", names.map((name) => `<group>\n${unit(name)}</group>\n`).join(""))),
      ),
  },
  { format: "xliff", what: "version 2", fileOf: (names) => xliff2(file2("f", names.map(unit2).join(""))) },
  {
    format: "xliff",
    what: "files of version 2",
    fileOf: (names) => xliff2(...names.map((name) => file2(name, unit2("k")))),
  },
  {
    format: "xliff",
    what: "in a group of version 2",
    fileOf: (names) =>
      xliff2(file2("f", unit2("first") + xliffGroup("g", names.map(unit2).join("")) + unit2("last"))),
  },
  {
    format: "xliff",
    what: "groups of version 2",
    fileOf: (names) => xliff2(file2("f", names.map((name) => xliffGroup(`g.${name}`, unit2(name))).join(""))),
  },
  {
    format: "qt",
    what: "contexts",
    fileOf: lines(
      (name) => `<context><name>${name}</name>\n${qtMessage("k")}</context>\n`,
      "<TS>\n",
      "</TS>\n",
    ),
  },
];

/** Formats whose files have all locales have a place for each key. */
const ofAllLocales = ["csv", "xcstrings"];

/**
 * Adds texts to a file in which names of its source file have theirs.
 * @returns the names in the file afterwards, in its order.
 */
async function namesAfter(
  { format: name, fileOf }: Row,
  { source, present, texts }: Record<"source" | "present" | "texts", readonly string[]>,
): Promise<readonly string[]> {
  const format = await formatNamed(name)?.load();
  if (format === undefined) throw new Error(`no format ${name}`);
  const context = { locale: "fr", sourceLocale: "en" };
  const known = new Set([...source, ...present]);
  const nameOf = (key: string): string =>
    key
      .split(contextSeparator)
      .flatMap((part) => part.split("."))
      .find((part) => known.has(part)) ?? "";
  const bytes = bytesOf(fileOf(source));
  const { content: shape, texts: order } = format.parse(bytes, context);
  const given = new Map([...order].filter(([key]) => texts.includes(nameOf(key))));
  const edit = editOf({ template: bytesOf(fileOf(present)), source: bytes, shape, order, texts: given });
  const after = format.parse(format.write(edit, { ...context, sourceTexts: order }), {
    ...context,
    sourceTexts: order,
  });
  return [...after.texts.keys()].map(nameOf).filter((one) => one !== "");
}

const title = ({ format, what = "texts" }: Row): readonly [string, string] => [format, what];
/** Rows with their titles. */
const titled = (some: readonly Row[]) => some.map((row) => [...title(row), row] as const);

describe("where new texts stand", () => {
  it("is looked at in each format", () => {
    const looked = new Set([...rows.map(({ format }) => format), ...ofAllLocales]);
    expect(looked).toEqual(new Set(formats.map(({ name }) => name)));
  });

  it.each(titled(rows))(
    "%s, %s: what comes before all others in the source does so in the file",
    async (_format, _what, row) => {
      const source = ["c", "a", "d", "b"];
      for (const present of [["b"], ["d", "b"], ["a"], ["c", "b"]])
        expect(await namesAfter(row, { source, present, texts: source })).toEqual(source);
    },
  );

  it.each(titled(rows))("%s, %s: beside what the file alone has", async (_format, _what, row) => {
    const source = ["c", "a", "d", "b"];
    // Texts that have not been sent yet are neighbours, too.
    for (const [present, texts] of [
      [["c", "a", "b"], ["d"]],
      [
        ["c", "a", "b"],
        ["c", "d"],
      ],
      [["a", "d", "b"], ["c"]],
      [
        ["a", "b"],
        ["a", "c", "d"],
      ],
    ] as const)
      expect(await namesAfter(row, { source, present, texts })).toEqual(source);
  });

  // Qt's messages that nothing precedes stand right behind the name of their context.
  const ofAnyPlace = rows.filter(({ format, what }) => format !== "qt" || what === "contexts");

  it.each(titled(ofAnyPlace))("%s, %s: behind what the source lacks", async (_format, _what, row) => {
    const after = await namesAfter(row, {
      source: ["c", "a", "b"],
      present: ["z", "a", "b"],
      texts: ["c", "a", "b"],
    });
    expect(after).toEqual(["z", "c", "a", "b"]);
  });

  /** Names that are numbers are none in these formats. */
  const withLetters = new Set(["android", "fluent"]);

  it.each(titled(rows.filter(({ format }) => !withLetters.has(format))))(
    "%s, %s: a name that is a number is a name like any other",
    async (_format, _what, row) => {
      const source = ["b", "404", "a", "7"];
      for (const present of [["b", "a"], ["b"]])
        expect(await namesAfter(row, { source, present, texts: source })).toEqual(source);
    },
  );
});
