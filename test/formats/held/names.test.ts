/**
 * What holds for the texts of every format: names that every object of JavaScript has are names like any other, and
 * each text has its line.
 */
import { expect, it } from "vitest";
import type { FileContext } from "../../../src/formats/format.ts";
import { readAndWrite } from "../../helpers/format-properties.ts";
import { formatsWith } from "./small-files.ts";

const names = ["__proto__", "constructor", "toString", "hasOwnProperty"];
const lines = (line: (name: string) => string, between = "\n"): string => names.map(line).join(between);
const json = (text: string): string => lines((name) => `${JSON.stringify(name)}: ${text}`, ",\n");
const unit = (text: string): string => `{ "stringUnit": { "state": "translated", "value": "${text}" } }`;

/** A file of a format with texts of these names, and the key of a name's text. */
const files: Record<string, readonly [file: string, keyOf?: (name: string) => string]> = {
  chrome: [`{ ${json('{ "message": "A", "placeholders": { "__proto__": { "content": "$1" } } }')} }`],
  docusaurus: [`{ ${json('{ "message": "A", "description": "B" }')} }`],
  "go-i18n": [`[${names.map((name) => `{ "id": "${name}", "translation": "A" }`).join(",\n")}]`],
  "laravel-json": [`{ ${json('"A"')} }`],
  json: [`{ "g": { ${json('"A"')} }, ${json('"B"')} }`],
  php: [`<?php return [${lines((name) => `'${name}' => 'A'`, ", ")}];`],
  arb: [`{ "@@locale": "fr", ${json('"A"')}, "@toString": { "placeholders": { ${json("{}")} } } }`],
  android: [`<resources>${lines((name) => `<string name="${name}">A</string>`)}</resources>`],
  xcstrings: [
    `{ "sourceLanguage": "en", "strings": { ${json(`{ "localizations": { "fr": { "substitutions": { ${json(`{ "argNum": 1, "variations": { "plural": { "other": ${unit("A")} } } }`)} }, "stringUnit": { "state": "translated", "value": "B" } } } }`)} }, "version": "1.0" }`,
  ],
  qt: [
    `<TS version="2.1" language="fr">${lines((name) => `<context><name>${name}</name><message id="${name}"><source>x</source><translation>A</translation></message></context>`)}</TS>`,
    (name) => `${name}.${name}`,
  ],
  resx: [`<root>${lines((name) => `<data name="${name}"><value>A</value></data>`)}</root>`],
  stringsdict: [
    `<plist version="1.0"><dict>${lines((name) => `<key>${name}</key><dict><key>NSStringLocalizedFormatKey</key><string>%#@${name}@</string><key>${name}</key><dict><key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string><key>NSStringFormatValueTypeKey</key><string>d</string><key>other</key><string>A</string></dict></dict>`)}</dict></plist>`,
  ],
  strings: [lines((name) => `"${name}" = "A";`)],
  po: [`msgid ""\nmsgstr ""\n\n${lines((name) => `msgid "${name}"\nmsgstr "A"\n`)}`],
  properties: [lines((name) => `${name} = A`)],
  csv: [`keys,en,fr\n${lines((name) => `${name},A,A`)}`],
  ini: [`${lines((name) => `${name}_ = A`)}\n${lines((name) => `[${name}]\n${name}=B`)}`],
  toml: [`${lines((name) => `${name} = "A"`)}\n${lines((name) => `[g.${name}]\nx = "A"`)}`],
  fluent: [lines((name) => (name.startsWith("_") ? "" : `${name} = A\n    .${name} = B`))],
  xliff: [
    `<xliff version="1.2"><file original="x" source-language="en" target-language="fr"><body>${lines((name) => `<group id="${name}"><trans-unit id="${name}"><source>X</source><target>A</target></trans-unit></group>`)}</body></file></xliff>`,
  ],
  "xliff 2": [
    `<xliff version="2.0" srcLang="en" trgLang="fr"><file id="x">${lines((name) => `<group id="${name}"><unit id="${name}_" name="${name}"><segment><source>X</source><target>A</target></segment></unit></group>`)}</file></xliff>`,
  ],
  yaml: [lines((name) => `${name}: A\ng_${name}: { ${name}: A }`)],
  rails: [`fr:\n${lines((name) => `  ${name}: A`)}`],
};

const withFiles = formatsWith(files);

it.each(withFiles)("of $what are read, and written where they stand", async ({ name, what, load }) => {
  const context: FileContext = { locale: "fr", sourceLocale: "en" };
  const [file = ""] = files[what] ?? [];
  const { read, write } = readAndWrite(await load(), context);
  const before = read(file);
  for (const one of names.filter((own) => name !== "fluent" || !own.startsWith("_")))
    expect(Object.keys(before).filter((key) => key.includes(one))).not.toEqual([]);
  for (const key of Object.keys(before)) {
    const texts = { ...before, [key]: "Changed" };
    expect(read(write(file, texts))).toEqual(texts);
  }
});

const same = ["a", "b", "c"];
const sameLines = (line: (name: string) => string): string => same.map(line).join("\n");
const sameList = (line: (name: string) => string): string => same.map(line).join(",\n");

/** A file of each format in which the texts `Same` stand in lines of their own. */
const sameFiles: Readonly<Record<string, string>> = {
  chrome: `{\n${sameList((name) => `"${name}": { "message": "Same" }`)}\n}`,
  docusaurus: `{\n${sameList((name) => `"${name}": { "message": "Same", "description": "About it." }`)}\n}`,
  "go-i18n": `[\n${sameList((name) => `{ "id": "${name}",\n"translation": "Same" }`)}\n]`,
  "laravel-json": `{\n${sameList((name) => `"${name}": "Same"`)}\n}`,
  json: `{\n"g": {\n${sameList((name) => `"${name}": "Same"`)} },\n"l": [\n"Same",\n"Same"] }`,
  php: `<?php\nreturn [\n${sameList((name) => `'${name}' => 'Same'`)},\n'g' => [\n'x' => 'Same'] ];`,
  arb: `{\n${sameList((name) => `"${name}": "Same"`)}\n}`,
  android: `<resources>\n${sameLines((name) => `<string name="${name}">Same</string>`)}\n<plurals name="p">\n<item quantity="one">Same</item>\n<item quantity="other">Same</item></plurals></resources>`,
  xcstrings: `{ "sourceLanguage": "en", "strings": {\n${sameList((name) => `"${name}": { "localizations": { "fr": { "stringUnit": { "state": "translated", "value": "Same" } } } }`)} }, "version": "1.0" }`,
  qt: `<TS version="2.1" language="fr"><context><name>C</name>\n${sameLines((name) => `<message><source>${name}</source><translation>Same</translation></message>`)}</context></TS>`,
  resx: `<root>\n${sameLines((name) => `<data name="${name}"><value>Same</value></data>`)}</root>`,
  stringsdict: `<plist version="1.0"><dict>\n${sameLines((name) => `<key>${name}</key><dict><key>NSStringLocalizedFormatKey</key><string>%#@v@</string><key>v</key><dict><key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string><key>NSStringFormatValueTypeKey</key><string>d</string><key>other</key>\n<string>Same</string></dict></dict>`)}</dict></plist>`,
  strings: sameLines((name) => `/* About it. */\n"${name}" = "Same";`),
  po: `msgid ""\nmsgstr ""\n\n${sameLines((name) => `# About it.\nmsgid "${name}"\nmsgstr "Same"\n`)}`,
  properties: sameLines((name) => `# About it.\n${name} = Same`),
  csv: `keys,en,fr\n${sameLines((name) => `${name},Other,Same`)}`,
  ini: `[s]\n${sameLines((name) => `; About it.\n${name} = "Same" ; beside`)}`,
  toml: sameLines((name) => `${name} = "Same"`),
  fluent: sameLines((name) => `${name} = Same\n    .title = Same`),
  xliff: `<xliff version="1.2"><file original="x" source-language="en" target-language="fr"><body>\n${sameLines((name) => `<trans-unit id="${name}"><source>X</source>\n<target>Same</target></trans-unit>`)}</body></file></xliff>`,
  "xliff 2": `<xliff version="2.0" srcLang="en" trgLang="fr"><file id="x">\n${sameLines((name) => `<unit id="${name}"><segment><source>X</source>\n<target>Same</target></segment></unit>`)}</file></xliff>`,
  yaml: sameLines((name) => `# About it.\n${name}: Same\ng_${name}:\n  x: Same`),
  rails: `fr:\n${sameLines((name) => `  ${name}: Same`)}`,
};

it.each(withFiles)(
  "texts of $what have their lines, however many texts are equal",
  async ({ what, load }) => {
    const text = sameFiles[what] ?? "";
    const { parse } = await load();
    const { texts, lineOf } = parse(Buffer.from(text), { locale: "fr", sourceLocale: "en" });
    const found = Array.from(texts, ([key, value]) => [value, lineOf(key)]);
    const expected = text.split("\n").flatMap((line, i) => (line.includes("Same") ? [["Same", i + 1]] : []));
    expect(expected.length).toBeGreaterThan(2);
    expect(found.filter(([value]) => value === "Same")).toEqual(expected);
    expect(lineOf("no key")).toBeUndefined();
  },
);
