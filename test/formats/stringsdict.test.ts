import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toStringFile } from "../../src/domain/strings/string-file.ts";
import { Issues } from "../../src/domain/errors.ts";
import { stringsdict } from "../../src/formats/stringsdict.ts";
import { xmlText } from "../helpers/arbitraries.ts";
import { bytesOf, describeProperties, editOf, fixturesOf, textOf } from "../helpers/format-properties.ts";

const [pair] = fixturesOf("stringsdict");
const source = textOf(pair?.source.bytes ?? new Uint8Array());
const french = textOf(pair?.targets[0]?.bytes ?? new Uint8Array());
const contextOf = (locale: string) => ({ locale, sourceLocale: "en" });

const forms = fc.dictionary(fc.constantFrom("one", "few", "other"), xmlText, { minKeys: 1 });
const content = fc
  .dictionary(
    fc.constantFrom("a", "%d b", "c&<"),
    fc.dictionary(fc.constantFrom("n", "m"), forms, { minKeys: 1 }),
    {
      maxKeys: 3,
    },
  )
  .map((group) => toStringFile(group, "file", new Issues()));
const plist = (inner: string): string =>
  `<?xml version="1.0"?>\n<plist version="1.0">\n<dict>${inner}</dict>\n</plist>\n`;

function textsIn(file: string, locale: string): Record<string, string> {
  return Object.fromEntries(stringsdict.parse(bytesOf(file), contextOf(locale)).texts);
}

function write(file: string, locale: string, texts: Record<string, string>, edit = {}): string {
  const { content: shape } = stringsdict.parse(bytesOf(source), contextOf("en"));
  const all = {
    template: bytesOf(file),
    source: bytesOf(source),
    texts: new Map(Object.entries(texts)),
    shape,
  };
  return textOf(stringsdict.write(editOf({ ...all, ...edit }), contextOf(locale)));
}

describe("stringsdict", () => {
  describeProperties("stringsdict", stringsdict, {
    empties: [plist(""), plist("\n\t<!-- none -->\n"), plist("").replace(/<dict>[^]*<.dict>/, "<dict/>")],
    content,
  });

  it("has the forms of each variable, and formats with words", () => {
    expect(textsIn(source, "en")).toEqual({
      "%d files.files.one": "%d file",
      "%d files.files.other": "%d files & more",
      "both.in.NSStringLocalizedFormatKey": "%1$#@a@ in %2$#@b@",
      "both.in.a.one": "one file",
      "both.in.a.other": "%lu files",
      "both.in.b.other": "%d folders",
    });
    const { notes } = stringsdict.parse(bytesOf(source), contextOf("en"));
    expect(notes.size).toBe(0);
  });

  it("gets the forms of another language beside those that it has", () => {
    expect(
      write(french, "ru", { "%d files.files.one": "%d fichier", "%d files.files.few": "%d файла" }),
    ).toBe(french.replace("fichier</string>\n", "$&\t\t\t<key>few</key>\n\t\t\t<string>%d файла</string>\n"));
  });

  it("gets a new string whole, with the source's where nothing is translated", () => {
    const changed = write(french, "fr", { "both.in.a.other": "%lu fichiers" });
    expect(changed).toBe(
      french.replace(
        "</dict>\n</plist>",
        `	<key>both.in</key>
	<dict>
		<key>NSStringLocalizedFormatKey</key>
		<string>%1$#@a@ in %2$#@b@</string>
		<key>a</key>
		<dict>
			<key>NSStringFormatSpecTypeKey</key>
			<string>NSStringPluralRuleType</string>
			<key>NSStringFormatValueTypeKey</key>
			<string>lu</string>
			<key>other</key>
			<string>%lu fichiers</string>
		</dict>
		<key>b</key>
		<dict>
			<key>NSStringFormatSpecTypeKey</key>
			<string>NSStringPluralRuleType</string>
			<key>NSStringFormatValueTypeKey</key>
			<string>d</string>
			<key>other</key>
			<string>%d folders</string>
		</dict>
	</dict>
</dict>
</plist>`,
      ),
    );
  });

  it("makes a file of another locale without strings that have no form", () => {
    const texts = { "%d files.files.one": "%d fichier", "%d files.files.other": "%d fichiers" };
    expect(write(source, "fr", texts, { isSource: true })).toBe(french);
    const lost = write(source, "en", {}, { removed: new Set(Object.keys(texts)) });
    expect(Object.keys(textsIn(lost, "en"))).toHaveLength(4);
    expect(lost).not.toContain("%d files");
  });

  it.each<[string, string]>([
    ["<plist><array/></plist>", "is not a property list with a <dict>"],
    [plist("<string>a</string>"), "has no <key> with a value"],
    [plist("<key>a</key>"), "has no <key> with a value"],
    [`<!DOCTYPE plist [<!ENTITY a "b">]>${plist("").slice(22)}`, "has a document type"],
  ])("is refused: %j", (file, message) => expect(() => textsIn(file, "en")).toThrow(message));
});
