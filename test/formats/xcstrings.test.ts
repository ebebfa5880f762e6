import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { xcstrings } from "../../src/formats/xcstrings.ts";
import { text } from "../helpers/arbitraries.ts";
import { bytesOf, editOf, textOf } from "../helpers/format-properties.ts";
import { runs } from "../helpers/runs.ts";

const sourceLocale = "en";
const contextOf = (locale: string) => ({ locale, sourceLocale });
const source = contextOf(sourceLocale);

/** As Xcode writes a catalog. */
function written(value: unknown, indent = ""): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const members = Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, one]) => `${inner}${JSON.stringify(name)} : ${written(one, inner)}`);
  return `{\n${members.join(",\n")}\n${indent}}`;
}

const unit = (value: string, state = "translated") => ({ stringUnit: { state, value } });
const plural = (forms: object) => ({ variations: { plural: forms } });

function catalogOf(strings: object): string {
  return written({ sourceLanguage: "en", strings, version: "1.0" });
}

function textsOf(file: string | Uint8Array, locale: string): Record<string, string> {
  const bytes = typeof file === "string" ? bytesOf(file) : file;
  return Object.fromEntries(xcstrings.parse(bytes, contextOf(locale)).texts);
}

function write(file: string, locale: string, texts: Record<string, string>, removed: string[] = []): string {
  const template = bytesOf(file);
  const { content: shape } = xcstrings.parse(template, source);
  const edit = { template, texts: new Map(Object.entries(texts)), removed: new Set(removed), shape };
  return textOf(xcstrings.write(editOf(edit), contextOf(locale)));
}

const file = catalogOf({
  "%lld files": {
    comment: "How many",
    localizations: {
      en: plural({ one: unit("%lld file"), other: unit("%lld files") }),
      fr: plural({ one: unit("%lld fichier"), other: unit("%lld fichiers") }),
    },
  },
  "Hello %@": {
    localizations: { de: unit("Hallo %@"), fr: unit("Bonjour %@", "needs_review") },
  },
  Tap: {
    extractionState: "manual",
    localizations: {
      en: {
        variations: {
          device: { ipad: plural({ one: unit("Tap once"), other: unit("Tap") }), mac: unit("Click") },
        },
      },
    },
  },
  posts: {
    localizations: {
      en: {
        ...unit("%#@posts@ by %@"),
        substitutions: {
          posts: {
            argNum: 1,
            formatSpecifier: "lld",
            ...plural({ one: unit("%arg post"), other: unit("%arg posts") }),
          },
        },
      },
    },
  },
  SKEP: { comment: "No comment provided by engineer.", shouldTranslate: false },
});

describe("a string catalog", () => {
  it("has the source's texts, or the keys where it has none", () => {
    expect(textsOf(file, "en")).toEqual({
      "%lld files.one": "%lld file",
      "%lld files.other": "%lld files",
      "Hello %@": "Hello %@",
      SKEP: "SKEP",
      "Tap.ipad.one": "Tap once",
      "Tap.ipad.other": "Tap",
      "Tap.mac": "Click",
      posts: "%#@posts@ by %@",
      "posts.posts.one": "%arg post",
      "posts.posts.other": "%arg posts",
    });
  });

  it("has the translations of a locale, but none that is new or to be reviewed", () => {
    expect(textsOf(file, "fr")).toEqual({
      "%lld files.one": "%lld fichier",
      "%lld files.other": "%lld fichiers",
    });
    expect(textsOf(file, "de")).toEqual({ "Hello %@": "Hallo %@" });
    expect(textsOf(file, "it")).toEqual({});
    expect(xcstrings.locales?.(bytesOf(file))).toEqual(["en", "fr", "de"]);
  });

  it("has comments, and what is not to be translated, as notes", () => {
    const { notes } = xcstrings.parse(bytesOf(file), source);
    expect(Object.fromEntries(notes)).toEqual({
      "%lld files.one": { note: "How many" },
      "%lld files.other": { note: "How many" },
      SKEP: { keep: true },
    });
  });

  it("gets the texts of a locale that it does not have, with all their forms", () => {
    const texts = {
      "%lld files.one": "%lld файл",
      "%lld files.few": "%lld файла",
      "%lld files.many": "%lld файлов",
      "Tap.mac": "Щёлкните",
      "Tap.ipad.few": "Нажмите",
      posts: "%#@posts@ от %@",
      "posts.posts.other": "%arg записей",
      "Hello %@": "Привет, %@",
    };
    const changed = write(file, "ru", texts);
    expect(textsOf(changed, "ru")).toEqual(texts);
    const parsed: unknown = JSON.parse(changed);
    expect(written(parsed)).toBe(changed);
    expect(parsed).toMatchObject({
      strings: {
        posts: {
          localizations: { ru: { substitutions: { posts: { argNum: 1, formatSpecifier: "lld" } } } },
        },
      },
    });
    for (const locale of ["en", "fr", "de"]) expect(textsOf(changed, locale)).toEqual(textsOf(file, locale));
  });

  it("changes the one text, and marks it as translated", () => {
    expect(write(file, "fr", { "Hello %@": "Bonjour %@" })).toBe(file.replace("needs_review", "translated"));
    expect(write(file, "fr", { "%lld files.one": "%lld document" })).toBe(
      file.replace('fichier"', 'document"'),
    );
    expect(write(file, "de", { "Hello %@": "Hallo %@" })).toBe(file);
  });

  it("puts a text in the place of variations that the source does not have, and the reverse", () => {
    const other = file.replace('"de"', '"en"');
    const varied = write(write(other, "it", { "Hello %@": "Ciao" }), "it", { "%lld files.other": "%lld" });
    expect(textsOf(varied, "it")).toEqual({ "Hello %@": "Ciao", "%lld files.other": "%lld" });
    const plain = catalogOf({ a: { localizations: { fr: plural({ other: unit("x") }) } } });
    expect(write(plain, "fr", { a: "y" })).toBe(catalogOf({ a: { localizations: { fr: unit("y") } } }));
  });

  it("has one text for all forms of the source as that of other, until there is one of another form", () => {
    const localizations = {
      en: plural({ one: unit("%lld file"), other: unit("%lld files") }),
      ja: unit("%lld個"),
    };
    const one = catalogOf({ files: { localizations } });
    expect(textsOf(one, "ja")).toEqual({ "files.other": "%lld個" });
    expect(write(one, "ja", { "files.other": "%lld個" })).toBe(one);
    expect(write(one, "ja", { "files.other": "%lld件" })).toBe(one.replace("%lld個", "%lld件"));
    const both = { "files.one": "%lld個", "files.other": "%lld件" };
    const ja = plural({ one: unit("%lld個"), other: unit("%lld件") });
    expect(write(one, "ja", both)).toBe(catalogOf({ files: { localizations: { ...localizations, ja } } }));
    expect(textsOf(write(one, "ja", {}, ["files.other"]), "ja")).toEqual({});
    const device = { variations: { device: { iphone: unit("Tap"), other: unit("Click") } } };
    const tap = catalogOf({ tap: { localizations: { en: device, fr: unit("Appuyez") } } });
    expect(textsOf(tap, "fr")).toEqual({ "tap.other": "Appuyez" });
  });

  it("loses a text with all that holds nothing else, but never a string", () => {
    const one = catalogOf({
      a: { localizations: { fr: unit("x") } },
      b: { comment: "c", localizations: { fr: unit("y") } },
    });
    expect(write(one, "fr", {}, ["a", "b"])).toBe(
      catalogOf({ a: {}, b: { comment: "c" } }).replace('"a" : {\n\n', '"a" : {\n\n'),
    );
    expect(textsOf(write(file, "fr", {}, ["%lld files.one"]), "fr")).toEqual({
      "%lld files.other": "%lld fichiers",
    });
  });

  it.each<[string, string]>([
    ["{}", "is not a string catalog"],
    ['{"sourceLanguage": "en", "strings": []}', "is not a string catalog"],
    ['{"sourceLanguage": "de", "strings": {}}', "has de as its sourceLanguage, not en"],
    ["<plist/>", "where an object should be"],
  ])("is refused as another file: %s", (given, message) => {
    expect(() => textsOf(given, "en")).toThrow(message);
  });

  it.each(["", "[]", '{"stringUnit": []}', '{"stringUnit": {"value": 1}}', '{"variations": {"plural": 3}}'])(
    "has no text where there is none: %s",
    (localization) => {
      const odd = `{"sourceLanguage": "en", "strings": {"a": {"localizations": {"fr": ${localization || "1"}}}, "b": 1, "": {}}}`;
      expect(textsOf(odd, "fr")).toEqual({});
      expect(textsOf(odd, "en")).toEqual({ a: "a" });
    },
  );
});

describe("any catalog", () => {
  const forms = fc.dictionary(
    fc.constantFrom("one", "few", "other"),
    text.map((value) => unit(value)),
    { minKeys: 1 },
  );
  const localization = fc.oneof(
    text.map((value) => unit(value)),
    forms.map(plural),
    fc
      .dictionary(
        fc.constantFrom("mac", "ipad", "other"),
        fc.oneof(
          text.map((value) => unit(value)),
          forms.map(plural),
        ),
        {
          minKeys: 1,
        },
      )
      .map((device) => ({ variations: { device } })),
  );
  const strings = fc.dictionary(
    fc.constantFrom("a", "b.c", "%lld", 'Hello, "you"', "é", "__proto__x"),
    fc.record(
      { localizations: fc.dictionary(fc.constantFrom("en", "fr", "de"), localization), comment: text },
      { requiredKeys: [] },
    ),
  );

  it("holds what it is given, changes nothing else, and stays as Xcode would write it", () => {
    fc.assert(
      fc.property(
        strings,
        fc.constantFrom("fr", "it"),
        fc.array(text),
        fc.infiniteStream(fc.boolean()),
        (given, locale, values, chance) => {
          const before = catalogOf(given);
          const keys = Object.keys(textsOf(before, "en"));
          const local = textsOf(before, locale);
          const removed = Object.keys(local).filter(() => chance.next().value);
          const texts: Record<string, string> = {};
          for (const [i, value] of values.entries()) {
            const key = keys[i];
            if (key !== undefined) texts[key] = value;
          }
          const after = write(before, locale, texts, removed);
          expect(textsOf(after, locale)).toMatchObject(texts);
          for (const other of ["en", "fr", "de"].filter((one) => one !== locale))
            expect(textsOf(after, other)).toEqual(textsOf(before, other));
          const parsed: unknown = JSON.parse(after);
          // Xcode writes an object without members over three lines.
          expect(after.replaceAll(/\{\n\n *\}/g, "{}")).toBe(written(parsed).replaceAll(/\{\n\n *\}/g, "{}"));
          expect(write(after, locale, texts)).toBe(after);
        },
      ),
      { numRuns: runs(75) },
    );
  });
});
