/** Each format tells the line of each of its texts, however many texts are equal. */
import { expect, it } from "vitest";
import { formats } from "../../src/formats/formats.ts";

const same = ["a", "b", "c"];
const lines = (line: (name: string) => string): string => same.map(line).join("\n");
const list = (line: (name: string) => string): string => same.map(line).join(",\n");

/** A file of each format in which the texts `Same` stand in lines of their own. */
const files: Readonly<Record<string, string>> = {
  chrome: `{\n${list((name) => `"${name}": { "message": "Same" }`)}\n}`,
  docusaurus: `{\n${list((name) => `"${name}": { "message": "Same", "description": "About it." }`)}\n}`,
  json: `{\n"g": {\n${list((name) => `"${name}": "Same"`)} },\n"l": [\n"Same",\n"Same"] }`,
  php: `<?php\nreturn [\n${list((name) => `'${name}' => 'Same'`)},\n'g' => [\n'x' => 'Same'] ];`,
  arb: `{\n${list((name) => `"${name}": "Same"`)}\n}`,
  android: `<resources>\n${lines((name) => `<string name="${name}">Same</string>`)}\n<plurals name="p">\n<item quantity="one">Same</item>\n<item quantity="other">Same</item></plurals></resources>`,
  xcstrings: `{ "sourceLanguage": "en", "strings": {\n${list((name) => `"${name}": { "localizations": { "fr": { "stringUnit": { "state": "translated", "value": "Same" } } } }`)} }, "version": "1.0" }`,
  qt: `<TS version="2.1" language="fr"><context><name>C</name>\n${lines((name) => `<message><source>${name}</source><translation>Same</translation></message>`)}</context></TS>`,
  resx: `<root>\n${lines((name) => `<data name="${name}"><value>Same</value></data>`)}</root>`,
  stringsdict: `<plist version="1.0"><dict>\n${lines((name) => `<key>${name}</key><dict><key>NSStringLocalizedFormatKey</key><string>%#@v@</string><key>v</key><dict><key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string><key>NSStringFormatValueTypeKey</key><string>d</string><key>other</key>\n<string>Same</string></dict></dict>`)}</dict></plist>`,
  strings: lines((name) => `/* About it. */\n"${name}" = "Same";`),
  po: `msgid ""\nmsgstr ""\n\n${lines((name) => `# About it.\nmsgid "${name}"\nmsgstr "Same"\n`)}`,
  properties: lines((name) => `# About it.\n${name} = Same`),
  toml: lines((name) => `${name} = "Same"`),
  fluent: lines((name) => `${name} = Same\n    .title = Same`),
  xliff: `<xliff version="1.2"><file original="x" source-language="en" target-language="fr"><body>\n${lines((name) => `<trans-unit id="${name}"><source>X</source>\n<target>Same</target></trans-unit>`)}</body></file></xliff>`,
  yaml: lines((name) => `# About it.\n${name}: Same\ng_${name}:\n  x: Same`),
  rails: `fr:\n${lines((name) => `  ${name}: Same`)}`,
};

it.each(formats)("of $name", async ({ name, load }) => {
  const text = files[name] ?? "";
  const { parse } = await load();
  const { texts, lineOf } = parse(Buffer.from(text), { locale: "fr", sourceLocale: "en" });
  const found = Array.from(texts, ([key, value]) => [value, lineOf(key)]);
  const expected = text.split("\n").flatMap((line, i) => (line.includes("Same") ? [["Same", i + 1]] : []));
  expect(expected.length).toBeGreaterThan(2);
  expect(found.filter(([value]) => value === "Same")).toEqual(expected);
  expect(lineOf("no key")).toBeUndefined();
});
