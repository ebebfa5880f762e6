import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findPluralForms } from "../../../src/domain/strings/plural-forms.ts";
import { LocalePlurals } from "../../../src/domain/strings/plural-rules.ts";
import { isFileName } from "../../../src/domain/names.ts";
import { translatableTexts, formatGroup } from "../../../src/domain/strings/string-file.ts";
import { stringFile } from "../../helpers/arbitraries.ts";
import { contentOf, hiveOf } from "../../helpers/hive.ts";
import { change, emptyState, followed, statesOf, type State } from "../../helpers/states.ts";
import { translationFile } from "../../../src/domain/strings/group-edit.ts";
import { diffContent } from "../../../src/domain/strings/content-diff.ts";
import { planSourceImport } from "../../../src/domain/plans/source-import.ts";
import { planTranslationImport } from "../../../src/domain/plans/translation-import.ts";
import { toSourceFiles, toTranslationFiles } from "../../../src/domain/strings/payload.ts";
import { forAll, forAllSync } from "../../helpers/runs.ts";

/** The keys that translations may have besides the source's. */
function added(value: unknown): string[] {
  const file = contentOf(value);
  return [...translatableTexts(file).keys()].filter((key) => !file.texts.has(key));
}

describe("a plural string", () => {
  it.each<[string, unknown, string[]]>([
    ["x_one and x_other", { x_one: "1", x_other: "n" }, ["x_zero", "x_two", "x_few", "x_many"]],
    ["x_other alone", { x_other: "n" }, []],
    ["x_one alone", { x_one: "1" }, []],
    [
      "ordinal numbers",
      { x_ordinal_one: "1st", x_ordinal_two: "2nd", x_ordinal_few: "3rd", x_ordinal_other: "nth" },
      ["x_ordinal_zero", "x_ordinal_many"],
    ],
    ["a group of categories", { n: { one: "1", other: "n" } }, ["n.zero", "n.two", "n.few", "n.many"]],
    ["a group with other alone", { n: { other: "n" } }, ["n.zero", "n.one", "n.two", "n.few", "n.many"]],
    ["a group by dotted names", { "n.one": "1", "n.other": "n" }, ["n.zero", "n.two", "n.few", "n.many"]],
    ["a group that has another key", { n: { one: "1", other: "n", title: "N" } }, []],
    ["a group that has a group", { n: { one: "1", other: "n", few: { x: "X" } } }, []],
    ["a group without other", { n: { one: "1", few: "n" } }, []],
    ["the file itself", { one: "1", other: "n" }, []],
    ["a name that only looks like it", { x_one: "1", xother: "n", another: "A", x_others: "n" }, []],
    [
      "a form whose name is a group's",
      { x_one: "1", x_other: "n", x_few: { a: "A" } },
      ["x_zero", "x_two", "x_many"],
    ],
    [
      "keys in groups and lists",
      { a: [{ x_one: "1", x_other: "n" }] },
      ["zero", "two", "few", "many"].map((category) => `a.0.x_${category}`),
    ],
  ])("a string is recognised as plural or not: %s", (_, value, expected) =>
    expect(added(value)).toEqual(expected),
  );

  it("has its source texts, of added forms that of other", () => {
    const file = contentOf({ x_one: "1", x_other: "n", x_zero: "none" });
    expect(Object.fromEntries(translatableTexts(file))).toEqual({
      x_one: "1",
      x_other: "n",
      x_zero: "none",
      x_two: "n",
      x_few: "n",
      x_many: "n",
    });
  });

  it("has forms behind the last of its keys, in the order of CLDR, in the nesting of the source", () => {
    const source = contentOf({
      x_one: "1",
      a: "A",
      x_other: "n",
      g: { n: { other: "n", one: "1" }, z: "Z" },
    });
    const sent = ["x_many", "g.z", "x_few", "g.n.many", "a", "g.n.few", "g.n.one", "x_other"];
    const file = translationFile(source, new Map(sent.map((key) => [key, "T"])));
    expect(JSON.stringify(file?.group)).toBe(
      '{"a":"T","x_other":"T","x_few":"T","x_many":"T","g":{"n":{"one":"T","few":"T","many":"T"},"z":"T"}}',
    );
  });

  it("is not expanded if its translations would be too long to be read back", () => {
    const strings = new Map([
      ["x_one", "1"],
      ["x_other", "n"],
    ]);
    const length = "x_one x_other x_zero x_two x_few x_many".replaceAll(" ", "").length;
    expect([length, length - 1].map((most) => findPluralForms(strings, most)?.texts.size)).toEqual([
      6,
      undefined,
    ]);
  });
});

describe("the texts of a file and its forms", () => {
  it("behave like any other map", () => {
    forAllSync(75, stringFile, (file) => {
      const texts = translatableTexts(file);
      const plain = new Map(texts);
      expect(texts.size).toBe(plain.size);
      expect([...texts.keys()]).toEqual([...plain.keys()]);
      expect([...texts.values()]).toEqual([...plain.values()]);
      for (const [key, text] of plain) {
        expect(texts.get(key)).toBe(text);
        expect(texts.has(key)).toBe(true);
      }
      for (const [key, text] of file.texts) expect(plain.get(key)).toBe(text);
      expect(texts.has("no_such_few")).toBe(false);
      const visited: [string, string][] = [];
      texts.forEach((text, key) => visited.push([key, text]));
      expect(visited).toEqual([...plain]);
    });
  });
});

/** What `skep server verify` would find: files of translations with keys or in shapes that they should not have. */
function misplaced({ hive, blobs }: State): string[] {
  const found: string[] = [];
  for (const { code } of hive.settings.targetLocales) {
    const plurals = new LocalePlurals(code, hive.settings);
    for (const [path, blob] of blobs) {
      const [, name = ""] = new RegExp(`^locales/${code}/(.*)\\.json$`).exec(path) ?? [];
      const source = isFileName(name) ? hive.source.get(name) : undefined;
      if (name === "") continue;
      const { texts } = contentOf(JSON.parse(blob));
      const file = translationFile(source, texts);
      if (file === undefined || formatGroup(file.group) !== blob) found.push(path);
      for (const key of texts.keys())
        if (source === undefined || !plurals.accepts(source, key)) found.push(`${path} ${key}`);
    }
  }
  return found;
}

describe("any sequence of writes", () => {
  it("leaves only forms that the source and the language have, at their place", async () => {
    await forAll(75, fc.array(change, { maxLength: 8 }), async (changes) => {
      for (const state of await statesOf(changes)) expect(misplaced(state)).toEqual([]);
    });
  });
});

const start: State = {
  ...emptyState,
  hive: hiveOf({ locales: ["ru", "ja"], files: { "a.json": { x_one: "Item", x_other: "Items" } } }),
};

async function translating(state: State, locale: string, texts: Record<string, string>): Promise<State> {
  const { hive } = state;
  const found = hive.settings.targetLocales.find(({ code }) => code === locale);
  if (found === undefined) throw new Error("no such locale");
  const files = await toTranslationFiles({ "a.json": texts });
  return followed(
    state,
    await planTranslationImport(hive, { locale: found, files, overwriteStrategy: "overwrite" }),
  );
}

async function syncing(state: State, texts: Record<string, string>, clear = false) {
  const files = await toSourceFiles({ "a.json": texts });
  const conflictStrategy = clear ? "clear" : "keep";
  const plan = await planSourceImport(state.hive, { files, mode: "sync", conflictStrategy });
  return { counts: plan.counts, changes: plan.changes, after: await followed(state, plan) };
}

const blobOf = ({ blobs }: State, locale: string) =>
  JSON.parse(blobs.get(`locales/${locale}/a.json.json`) ?? "null");

describe("the forms of a language", async () => {
  const forms = { x_one: "штука", x_few: "штуки", x_many: "штук" };
  const russian = await translating(start, "ru", forms);

  it("stay as long as the plural string does", async () => {
    const { changes, after } = await syncing(russian, { a: "A", x_one: "Item", x_other: "Items", z: "Z" });
    expect(changes.map(({ key }) => key)).toEqual(["a", "z"]);
    expect(blobOf(after, "ru")).toEqual(forms);
  });

  it.each<[string, Record<string, string>]>([
    ["has gone", { a: "A" }],
    ["is plural no more", { x_one: "Item" }],
    ["has no `one` any more", { x_other: "Items" }],
  ])("go when the string %s", async (_, source) => {
    const { changes, after } = await syncing(russian, source);
    const kept = Object.fromEntries(Object.entries(forms).filter(([key]) => Object.hasOwn(source, key)));
    expect(blobOf(after, "ru") ?? {}).toEqual(kept);
    const gone = changes.filter(({ locale }) => locale === "ru");
    expect(gone.map(({ change: kind, key }) => [kind, key])).toEqual(
      Object.keys(forms)
        .filter((key) => !Object.hasOwn(source, key))
        .map((key) => ["deleted", key]),
    );
    expect(await diffContent(russian.hive, after.hive)).toHaveLength(changes.length);
  });

  it("are cleared with `other` when its text changes, and with no other form", async () => {
    expect(
      (await syncing(russian, { x_one: "1 item", x_other: "Items" }, true)).counts.translationsCleared,
    ).toBe(1);
    const { counts, after } = await syncing(russian, { x_one: "Item", x_other: "Things" }, true);
    expect(counts.translationsCleared).toBe(2);
    expect(blobOf(after, "ru")).toEqual({ x_one: "штука" });
  });

  it("stay when a form of the source is removed that the language has, and go otherwise", async () => {
    const withFew = (await syncing(start, { x_one: "Item", x_few: "Few", x_other: "Items" })).after;
    const both = await translating(await translating(withFew, "ru", forms), "ja", {
      x_few: "少し",
      x_other: "個",
    });
    const { changes, after } = await syncing(both, { x_one: "Item", x_other: "Items" });
    expect(changes.map(({ locale, key }) => `${locale} ${key}`)).toEqual(["en x_few", "ja x_few"]);
    expect(blobOf(after, "ru")).toEqual(forms);
    expect(blobOf(after, "ja")).toEqual({ x_other: "個" });
  });
});
