import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MemoryBudget } from "../../../src/disk/memory-budget.ts";
import { fold } from "../../../src/domain/strings/folded-texts.ts";
import type { StaleMarkers } from "../../../src/domain/strings/stale.ts";
import { searchStrings, type StringSearch } from "../../../src/domain/strings/string-search.ts";
import { finish } from "../../../src/domain/steps.ts";
import { FoldedCache } from "../../../src/store/content/folded-cache.ts";
import { listUntranslated } from "../../helpers/at-once.ts";
import { fileNamed, hiveOf } from "../../helpers/hive.ts";
import { runs } from "../../helpers/runs.ts";

const page = { offset: 0, limit: Infinity };

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
    finish(searchStrings(hive, markers, { ...page, locale: ru.code, ...query }, folded));
  const keys = (query?: Partial<StringSearch>) => search(query).strings.map(({ key }) => key);

  it("lists all strings in order, with the forms that the locale has and the source lacks", () => {
    expect(search().strings.map(({ key, state }) => [key, state])).toEqual([
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
    expect(keys({ locale: undefined })).toEqual(["title", "y", "none", "item_one", "item_other", "w", "z"]);
  });

  it("finds words in keys, source texts and translations, in upper or lower case", () => {
    expect(keys({ text: "TITLE" })).toEqual(["title"]);
    expect(keys({ text: " zu\u0308rich " })).toEqual(["z"]);
    expect(keys({ text: "игрек" })).toEqual(["y"]);
    expect(keys({ text: "игрек", locale: undefined })).toEqual([]);
    expect(keys({ text: "title\0y" })).toEqual([]);
  });

  it("finds what has changed since an earlier content", () => {
    const since = hiveOf({
      locales: ["ru"],
      files: { "b.json": { z: "Zürich" }, "a.json": { title: "Title", y: "Y", w: "W", none: "" } },
      translations: { ru: { "a.json": { y: "ИГРЕК" } } },
    });
    expect(keys({ since })).toEqual(["title", "item_one", "item_other", "item_few", "item_many", "w"]);
  });

  it("finds plural forms, and shows what a stale translation was made for", () => {
    expect(keys({ state: "plural" })).toEqual(["item_one", "item_other", "item_few", "item_many"]);
    expect(search({ state: "stale" }).strings).toMatchObject([
      { key: "w", translation: "В", translatedFrom: "Old" },
    ]);
  });

  it("gives any page of what it finds, and counts all of it", () => {
    expect(keys({ offset: 7, limit: 5 })).toEqual(["w", "z"]);
    expect(search({ offset: 20, limit: 5 })).toEqual({ strings: [], total: 9 });
    expect(keys({ file: "b.json" })).toEqual(["z"]);
  });

  it("agrees with a plain comparison of every text, and with the list of untranslated texts", () => {
    const key = fc.constantFrom("a", "b", "n_one", "n_other", "n_few", "m.one", "m.other", "0", "AB");
    const texts = fc.dictionary(key, fc.constantFrom("", "A", "bA", "İa", "B b"), { noNullPrototype: true });
    const files = fc.dictionary(fc.constantFrom("a.json", "b.json"), texts, { noNullPrototype: true });
    // An empty text is never stored as a translation.
    const held = fc.dictionary(key, fc.constantFrom("A", "bA", "İa"), { noNullPrototype: true });
    const translations = fc.dictionary(fc.constantFrom("a.json", "b.json"), held, { noNullPrototype: true });
    const words = fc.constantFrom("a", "b", "B ", "ba", "n_", "i̇", "x");
    fc.assert(
      fc.property(files, translations, files, words, (source, translated, marked, text) => {
        const some = hiveOf({ locales: ["ru"], files: source, translations: { ru: translated } });
        const stale: StaleMarkers = new Map([
          [
            ru.code,
            new Map(
              Object.entries(marked).map(([file, own]) => [fileNamed(file), new Map(Object.entries(own))]),
            ),
          ],
        ]);
        const find = (query: Partial<StringSearch>) =>
          finish(searchStrings(some, stale, { ...page, locale: ru.code, ...query }, folded)).strings;
        const needle = fold(text.trim());
        expect(find({ text })).toEqual(
          find({}).filter((one) =>
            [one.key, one.source, one.translation ?? ""].some((said) => fold(said).includes(needle)),
          ),
        );
        for (const state of ["missing", "stale"] as const) {
          const listed = listUntranslated(some, stale, ru, { ...page, states: new Set([state]) });
          const places = listed.texts.map(({ file, key: own }) => `${file} ${own}`);
          const found = find({ state }).map(({ file, key: own }) => `${file} ${own}`);
          // A stale translation that the locale does not need is shown, but is nothing that is left to do.
          expect(state === "missing" ? found : found.filter((place) => places.includes(place))).toEqual(
            places,
          );
        }
      }),
      { numRuns: runs(75) },
    );
  });
});
