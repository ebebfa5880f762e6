import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MemoryBudget } from "../../../src/disk/memory-budget.ts";
import { fold, foundIn } from "../../../src/domain/strings/folded-texts.ts";
import type { StaleMarkers } from "../../../src/domain/sidecars/stale.ts";
import {
  foundNeighbours,
  searchStrings,
  type StringSearch,
} from "../../../src/domain/queries/string-search.ts";
import { isSameAddress, type StringAddress } from "../../../src/domain/move.ts";
import { FoldedCache } from "../../../src/store/content/folded-cache.ts";
import { listUntranslated } from "../../../src/domain/queries/untranslated.ts";
import { fileNamed, hiveOf } from "../../helpers/hive.ts";
import { forAll, forAllSync } from "../../helpers/runs.ts";

const page = { offset: 0, limit: Infinity };

describe("texts as searches compare them", () => {
  it.each([
    ["upper and lower case", "İSTANBUL", "istanbul"],
    ["a capital with a dot", "İ", "i"],
    ["an i without a dot", "ısı", "ISI"],
    ["a sharp s", "Straße", "STRASSE"],
    ["apostrophes", "l’été d‘un ʼt ‛n", "l'ete d'un 't 'n"],
    ["quotation marks", "“so” „oder‟", '"so" "oder"'],
    ["a sigma at the end of a word", "ΟΔΟΣ", "οδος"],
    ["accents, composed or not", "Zu\u0308rich", "Zürich"],
    ["accents and none", "Zürich", "zurich"],
    ["vowel signs", "كَتَبَ", "كتب"],
    ["wide and narrow characters", "ＡＢＣ ｱｲ", "abc アイ"],
    ["kinds of blanks", "a\u00a0b\u3000c\nd", "a b c d"],
    ["several blanks", "a  \t b", "a b"],
    ["soft hyphens and joiners", "Wort\u00adende\u200b", "wortende"],
  ])("are the same but for %s", (_, one, other) => {
    expect(fold(one)).toBe(fold(other));
  });

  it.each([
    ["vowel signs that make another word", "कि", "का"],
    ["voicing marks", "が", "か"],
    ["words and no words", "a b", "ab"],
  ])("differ by %s", (_, one, other) => {
    expect(fold(one)).not.toBe(fold(other));
  });
});

describe("what a search finds in a text", () => {
  it.each([
    ["Straße STRASSE", "strasse", ["Straße", "STRASSE"]],
    ["İki\u00a0\u00a0kelime", "ikelime", []],
    ["İki\u00a0\u00a0kelime", "ki kel", ["ki\u00a0\u00a0kel"]],
    ["Zu\u0308rich", "u", ["u\u0308"]],
    ["aaa", "aa", ["aa"]],
    ["ß", "s", ["ß"]],
    ["ﬁle", "i", ["ﬁ"]],
    ["none", " ", []],
  ])("of %j for %j is %j", (text, needle, pieces) => {
    expect(foundIn(text, needle).map(([start, end]) => text.slice(start, end))).toEqual(pieces);
  });

  it("is there in each text that the search finds, and only there", () => {
    const text = fc.string({
      unit: fc.constantFrom("a", "B", "İ", "ß", "’", "'", "“", "s", " ", "\u00a0", "\u0308", "ü", "日"),
    });
    forAllSync(75, text, text, (one, needle) => {
      const wanted = fold(needle).trim();
      const found = foundIn(one, needle);
      expect(found.length > 0).toBe(wanted !== "" && fold(one).includes(wanted));
      let last = 0;
      for (const [start, end] of found) {
        expect(start).toBeGreaterThanOrEqual(last);
        expect(end).toBeGreaterThan(start);
        last = end;
      }
    });
  });
});

describe("the search for strings", () => {
  const hive = hiveOf({
    locales: ["ru"],
    files: {
      "b.json": { z: "Zürich" },
      "a.json": {
        title: "The Title",
        y: "Y",
        none: "",
        item_one: "one",
        item_other: "{{count}} items",
        w: "W",
      },
    },
    translations: { ru: { "a.json": { y: "ИГРЕК", w: "В", item_few: "штуки" } } },
  });
  const [ru = expect.fail()] = hive.settings.targetLocales;
  const markers: StaleMarkers = new Map([
    [ru.code, new Map([[fileNamed("a.json"), new Map(Object.entries({ w: "Old", y: "Y" }))]])],
  ]);
  const folded = new FoldedCache(new MemoryBudget(Infinity));
  const search = (query: Partial<StringSearch> = {}) =>
    searchStrings(hive, markers, { ...page, locales: [ru.code], ...query }, folded);
  const keys = async (query?: Partial<StringSearch>) => (await search(query)).strings.map(({ key }) => key);

  it("takes what is to be kept as it is for neither missing nor stale, and counts it as not needed", async () => {
    const kept = new Map([[fileNamed("a.json"), new Set(["title", "w"])]]);
    expect((await search({ kept })).unneeded).toBe((await search()).unneeded + 1);
    for (const state of ["missing", "stale"] as const)
      expect(await keys({ kept, state })).toEqual(
        (await keys({ state })).filter((key) => key !== "title" && key !== "w"),
      );
    const states = (await search({ kept })).strings.map(({ key, translations: [one] }) => [key, one?.state]);
    expect(states).toContainEqual(["title", "none"]);
    expect(states).toContainEqual(["w", "translated"]);
  });

  it("lists all strings in order, with the forms that the locale has and the source lacks", async () => {
    expect((await search()).strings.map(({ key, translations: [one] }) => [key, one?.state])).toEqual([
      ["title", "missing"],
      ["y", "translated"],
      ["none", "none"],
      ["item_one", "missing"],
      ["item_other", "none"],
      ["item_few", "translated"],
      ["item_many", "missing"],
      ["w", "stale"],
      ["z", "missing"],
    ]);
    expect(await keys({ locales: [] })).toEqual(["title", "y", "none", "item_one", "item_other", "w", "z"]);
  });

  it("finds words in keys, source texts and translations, in upper or lower case", async () => {
    expect(await keys({ text: "TITLE" })).toEqual(["title"]);
    expect(await keys({ text: " zu\u0308rich " })).toEqual(["z"]);
    expect(await keys({ text: "игрек" })).toEqual(["y"]);
    expect(await keys({ text: "игрек", locales: [] })).toEqual([]);
    expect(await keys({ text: "title\0y" })).toEqual([]);
  });

  it("compares texts as they are where that is asked for", async () => {
    expect(await keys({ text: "Title", isExact: true })).toEqual(["title"]);
    expect(await keys({ text: "title", isExact: true })).toEqual(["title"]);
    expect(await keys({ text: "TITLE", isExact: true })).toEqual([]);
    expect(await keys({ text: "ИГРЕК", isExact: true })).toEqual(["y"]);
    expect(await keys({ text: "Zurich", isExact: true })).toEqual([]);
  });

  it("finds strings of the file with a name, or else of files whose names contain it", async () => {
    expect(await keys({ file: "b.json" })).toEqual(["z"]);
    expect(await keys({ file: "B.JS" })).toEqual(["z"]);
    expect((await search({ file: "json" })).total).toBe(9);
    expect(await keys({ file: "c.json" })).toEqual([]);
  });

  it("finds what has changed since an earlier content", async () => {
    const since = hiveOf({
      locales: ["ru"],
      files: { "b.json": { z: "Zürich" }, "a.json": { title: "Title", y: "Y", w: "W", none: "" } },
      translations: { ru: { "a.json": { y: "ИГРЕК" } } },
    });
    expect(await keys({ since })).toEqual(["title", "item_one", "item_other", "item_few", "item_many", "w"]);
  });

  it("finds plural forms, and shows what a stale translation was made for", async () => {
    expect(await keys({ state: "plural" })).toEqual(["item_one", "item_other", "item_few", "item_many"]);
    expect((await search({ state: "stale" })).strings).toMatchObject([
      { key: "w", translations: [{ text: "В", translatedFrom: "Old" }] },
    ]);
  });

  it("gives any page of what it finds, and counts all of it", async () => {
    expect(await keys({ offset: 7, limit: 5 })).toEqual(["w", "z"]);
    expect(await search({ offset: 20, limit: 5 })).toEqual({ strings: [], total: 9, unneeded: 2 });
  });

  it("agrees with a plain comparison of every text, and with the list of untranslated texts", async () => {
    const key = fc.constantFrom("a", "b", "n_one", "n_other", "n_few", "m.one", "m.other", "0", "AB");
    const texts = fc.dictionary(key, fc.constantFrom("", "A", "bA", "İa", "B b"), { noNullPrototype: true });
    const files = fc.dictionary(fc.constantFrom("a.json", "b.json"), texts, { noNullPrototype: true });
    // An empty text is never stored as a translation.
    const held = fc.dictionary(key, fc.constantFrom("A", "bA", "İa", "\u200b"), { noNullPrototype: true });
    const translations = fc.dictionary(fc.constantFrom("a.json", "b.json"), held, { noNullPrototype: true });
    const words = fc.constantFrom("a", "b", "B ", "ba", "n_", "i̇", "x");
    await forAll(75, files, translations, files, words, async (source, translated, marked, text) => {
      const some = hiveOf({ locales: ["ru"], files: source, translations: { ru: translated } });
      const stale: StaleMarkers = new Map([
        [
          ru.code,
          new Map(
            Object.entries(marked).map(([file, own]) => [fileNamed(file), new Map(Object.entries(own))]),
          ),
        ],
      ]);
      const find = async (query: Partial<StringSearch>) =>
        (await searchStrings(some, stale, { ...page, locales: [ru.code], ...query }, folded)).strings;
      const needle = fold(text.trim());
      expect(await find({ text })).toEqual(
        (await find({})).filter((one) =>
          [one.key, one.source, one.translations[0]?.text ?? ""].some((said) => fold(said).includes(needle)),
        ),
      );
      const all = (await find({})).map(({ file, key: own }) => ({ file, key: own }));
      const hits = (await find({ text })).map(({ file, key: own }) => ({ file, key: own }));
      const placeOf = (at: StringAddress) => all.findIndex((one) => isSameAddress(one, at));
      for (const [i, at] of all.entries()) {
        const stringOf = ({ file, key: own }: StringAddress) =>
          some.source.get(file)?.plurals?.formOf(own)?.string;
        const others = hits.filter(
          (one) => one.file !== at.file || stringOf(one) === undefined || stringOf(one) !== stringOf(at),
        );
        const beside = await foundNeighbours(some, stale, { locales: [ru.code], text }, folded, at);
        expect([at, beside]).toEqual([
          at,
          {
            previous: others.findLast((one) => placeOf(one) < i),
            next: others.find((one) => placeOf(one) > i),
          },
        ]);
      }
      for (const state of ["missing", "stale"] as const) {
        const listed = await listUntranslated(
          some,
          ru,
          { markers: stale },
          { ...page, states: new Set([state]) },
        );
        const places = listed.entries.map(({ file, key: own }) => `${file} ${own}`);
        const found = (await find({ state })).map(({ file, key: own }) => `${file} ${own}`);
        // A stale translation that the locale does not need is shown, but is nothing that is left to do.
        expect(state === "missing" ? found : found.filter((place) => places.includes(place))).toEqual(places);
      }
    });
  });

  it("goes over several locales, and shows of each string those translations that it is about", async () => {
    const some = hiveOf({
      locales: ["ru", "fr", "de"],
      files: { "a.json": { x: "Exit", y: "Yes", z: "Zero" } },
      translations: {
        ru: { "a.json": { x: "Да" } },
        fr: { "a.json": { x: "Sortie", y: "Oui" } },
        de: { "a.json": { y: "Ja, Sortie" } },
      },
    });
    const codes = some.settings.targetLocales.map(({ code }) => code);
    const [, fr = expect.fail()] = codes;
    const stale: StaleMarkers = new Map([[fr, new Map([[fileNamed("a.json"), new Map([["x", "Leave"]])]])]]);
    const found = async (query: Partial<StringSearch>) =>
      (await searchStrings(some, stale, { ...page, locales: codes, ...query }, folded)).strings.map(
        ({ key, translations }) =>
          [key].concat(translations.map(({ locale, text }) => `${locale} ${text ?? ""}`)),
      );
    expect(await found({})).toEqual([["x"], ["y"], ["z"]]);
    expect(await found({ text: "sortie" })).toEqual([
      ["x", "fr Sortie"],
      ["y", "de Ja, Sortie"],
    ]);
    expect(await found({ text: "exit" })).toEqual([["x"]]);
    expect(await found({ state: "stale" })).toEqual([["x", "fr Sortie"]]);
    expect(await found({ state: "missing" })).toEqual([
      ["x", "de "],
      ["y", "ru "],
      ["z", "ru ", "fr ", "de "],
    ]);
    const since = hiveOf({
      locales: ["ru", "fr", "de"],
      files: { "a.json": { x: "Exit", y: "Yes", z: "Zero" } },
      translations: { fr: { "a.json": { x: "Sortie", y: "Oui" } }, de: { "a.json": { y: "Ja, Sortie" } } },
    });
    expect(await found({ since })).toEqual([["x", "ru Да"]]);
  });

  it("reads a text again only where it is shown, whatever state is searched", async () => {
    const count = 500;
    const named = (text: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, `${text} ${i}`]));
    const file = fileNamed("a.json");
    let reads = 0;
    class Counted extends Map<string, string> {
      override get(key: string): string | undefined {
        reads++;
        return super.get(key);
      }
      override has(key: string): boolean {
        reads++;
        return super.has(key);
      }
    }
    const { [`k${count - 1}`]: last, ...most } = named("Texte");
    expect(last).toBeDefined();
    const large = hiveOf({ files: { "a.json": named("Text") } });
    const [fr = expect.fail()] = large.settings.targetLocales;
    const counted = new Map([[fr.code, new Map([[file, new Counted(Object.entries(most))]])]]);
    const marked: StaleMarkers = new Map([[fr.code, new Map([[file, new Map([["k7", "Old"]])]])]]);
    const found = async (query: Partial<StringSearch>) => {
      const all = { offset: 0, limit: 5, locales: [fr.code], ...query };
      return searchStrings({ ...large, translations: counted }, marked, all, folded);
    };
    await found({});
    for (const [state, total] of [
      [undefined, count],
      ["translated", count - 2],
      ["missing", 1],
      ["stale", 1],
    ] as const) {
      reads = 0;
      expect((await found({ state })).total).toBe(total);
      expect([state, reads <= 4 * 5]).toEqual([state, true]);
    }
  });
});
