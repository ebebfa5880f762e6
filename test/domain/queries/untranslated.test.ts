import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { StaleMarkers } from "../../../src/domain/sidecars/stale.ts";
import {
  openStates,
  listUntranslated,
  type UntranslatedQuery,
} from "../../../src/domain/queries/untranslated.ts";
import { localeStats } from "../../../src/domain/queries/locale-stats.ts";
import { fileNamed, hiveOf } from "../../helpers/hive.ts";
import { forAll } from "../../helpers/runs.ts";

const whole: UntranslatedQuery = { offset: 0, limit: Infinity, states: new Set(openStates) };

describe("what is left to translate", () => {
  const hive = hiveOf({
    locales: ["ru"],
    files: {
      "b.json": { z: "Z" },
      "a.json": { x: "X", y: "Y", none: "", item_one: "one", item_other: "{{count}} items", w: "W" },
    },
    translations: { ru: { "a.json": { y: "ИГРЕК", w: "В", item_few: "штуки" } } },
  });
  const [ru = expect.fail()] = hive.settings.targetLocales;
  const markers: StaleMarkers = new Map([
    [ru.code, new Map([[fileNamed("a.json"), new Map(Object.entries({ w: "Old", x: "Gone", y: "Y" }))]])],
  ]);
  const list = (query: Partial<UntranslatedQuery> = {}) =>
    listUntranslated(hive, ru, { markers }, { ...whole, ...query });
  const keys = async (query?: Partial<UntranslatedQuery>) =>
    (await list(query)).entries.map(({ file, key }) => `${file} ${key}`);

  it("is in the order of the source, with the plural forms that the language needs", async () => {
    expect((await list()).entries.map(({ key, source, state }) => [key, source, state])).toEqual([
      ["x", "X", "missing"],
      ["item_one", "one", "missing"],
      ["item_many", "{{count}} items", "missing"],
      ["w", "W", "stale"],
      ["z", "Z", "missing"],
    ]);
  });

  it("shows a stale translation, and what it was made for", async () => {
    expect(await list({ states: new Set(["stale"]) })).toEqual({
      entries: [
        { file: "a.json", key: "w", source: "W", state: "stale", translation: "В", translatedFrom: "Old" },
      ],
      total: 1,
    });
  });

  it("can be asked for by file and page by page, and counts what the query finds", async () => {
    expect(await keys({ file: "b.json" })).toEqual(["b.json z"]);
    expect((await list({ file: "b.json" })).total).toBe(1);
    for (const file of ["nope.json", "", "../b.json"])
      expect(await list({ file })).toEqual({ entries: [], total: 0 });
    expect(await keys({ offset: 1, limit: 2 })).toEqual(["a.json item_one", "a.json item_many"]);
    expect(await list({ offset: 9, limit: 2 })).toEqual({ entries: [], total: 5 });
  });

  it("is what the progress of the locale counts as empty and as stale", async () => {
    const key = fc.constantFrom("a", "b", "n_one", "n_other", "n_few", "m.one", "m.other", "m.zero", "0");
    const text = fc.constantFrom("", "A", "B");
    const texts = fc.dictionary(key, text, { noNullPrototype: true });
    const files = fc.dictionary(fc.constantFrom("a.json", "b.json"), texts, { noNullPrototype: true });
    await forAll(
      75,
      files,
      files,
      files,
      fc.constantFrom("fr", "ru", "ja", "xx"),
      async (source, own, marked, code) => {
        const filled = Object.entries(source).filter(([, one]) => Object.keys(one).length > 0);
        const present = Object.entries(own).map(([file, one]): [string, Record<string, string>] => [
          file,
          Object.fromEntries(Object.entries(one).filter(([, value]) => value !== "")),
        ]);
        const any = hiveOf({
          locales: [code],
          files: Object.fromEntries(filled),
          translations: { [code]: Object.fromEntries(present) },
        });
        const [locale = expect.fail()] = any.settings.targetLocales;
        const stale = Object.entries(marked).map(
          ([file, one]) => [fileNamed(file), new Map(Object.entries(one))] as const,
        );
        const found = new Map([[locale.code, new Map(stale)]]);
        const stats = await localeStats(any, locale, { markers: found });
        const totals = await Promise.all(
          openStates.map(
            async (state) =>
              (
                await listUntranslated(
                  any,
                  locale,
                  { markers: found },
                  { ...whole, states: new Set([state]) },
                )
              ).total,
          ),
        );
        expect(totals).toEqual([stats.empty, stats.stale]);
        const both = await listUntranslated(any, locale, { markers: found }, whole);
        expect(both.total).toBe(stats.empty + stats.stale);
        expect(both.entries).toHaveLength(both.total);
      },
    );
  });
});
