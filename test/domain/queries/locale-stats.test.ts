import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toPercent, localeStats } from "../../../src/domain/queries/locale-stats.ts";
import type { Review } from "../../../src/domain/sidecars/review.ts";
import { fileInLocale, isToTranslate, visitTexts } from "../../../src/domain/queries/text-states.ts";
import { countStates, countWanted, toBits } from "../../../src/domain/work/queue.ts";
import { defaultWant } from "../../../src/domain/work/work.ts";
import { fileNamed, hiveOf } from "../../helpers/hive.ts";
import { forAllSync } from "../../helpers/runs.ts";

describe("the progress of a locale", () => {
  const hive = hiveOf({
    files: { "a.json": { a: "A", b: "B", c: "C", silent: "" }, "b.json": { d: "D" } },
    translations: { fr: { "a.json": { a: "x", b: "y", silent: "z", orphan: "?" } } },
  });
  const [fr] = hive.settings.targetLocales;
  if (fr === undefined) throw new Error("no locale");
  const marked = (texts: Record<string, string>) =>
    new Map([[fr.code, new Map([[fileNamed("a.json"), new Map(Object.entries(texts))]])]]);

  it("counts what has a source text, and nothing else", async () => {
    expect(await localeStats(hive, fr, {})).toEqual({
      translated: 2,
      approved: 2,
      waiting: 0,
      withheld: 0,
      stale: 0,
      empty: 2,
      inherited: 0,
      toTranslate: 2,
      total: 4,
    });
  });

  it("counts stale translations by themselves", async () => {
    const markers = marked({ a: "old", c: "old and not translated", b: "B", silent: "had a text" });
    expect(await localeStats(hive, fr, { markers })).toMatchObject({ translated: 1, approved: 1, stale: 1 });
  });

  it("counts what waits for a review, and of that what is stale once", async () => {
    const texts = { a: "x", b: "y", silent: "z", c: "of another text" };
    const waiting = Object.entries(texts).map(([key, text]): [string, Review] => [
      key,
      { text, approved: key === "b" ? "approved" : undefined, by: "Ann" },
    ]);
    const reviews = new Map([[fr.code, new Map([[fileNamed("a.json"), new Map(waiting)]])]]);
    const counts = {
      translated: 1,
      approved: 0,
      waiting: 3,
      withheld: 1,
      stale: 1,
      empty: 2,
      inherited: 0,
      toTranslate: 3,
      total: 4,
    };
    expect(await localeStats(hive, fr, { markers: marked({ a: "old" }), reviews })).toEqual(counts);
  });
});

describe("what is to be translated", () => {
  const files = { "a.json": { old: "A", wrong: "B", both: "C", none: "D", right: "E", kept: "F" } };
  const fr = { "a.json": { old: "a", wrong: "b", both: "c", right: "e" } };
  const hive = hiveOf({ files, translations: { fr } });
  const [locale = expect.fail()] = hive.settings.targetLocales;
  const [file] = hive.source.keys();
  const of = <T>(value: T) => new Map([[file ?? expect.fail(), value]]);
  const markers = new Map([[locale.code, of(new Map(Object.entries({ old: "A?", both: "C?" })))]]);
  const failing = of(new Set(["wrong", "both"]));
  const kept = of(new Set(["kept"]));

  it.each([
    ["what is missing", {}, 1],
    ["what is stale, too", { markers }, 3],
    ["what is failing, too", { failing }, 3],
    ["what is both once", { markers, failing }, 4],
  ])("counts %s", async (_, basis, toTranslate) => {
    expect(await localeStats(hive, locale, { kept, ...basis })).toMatchObject({ toTranslate });
  });

  it("is what the queue of work hands out", async () => {
    const basis = { kept, markers, failing };
    const states: boolean[] = [];
    await visitTexts(hive, locale.code, basis, (state) => states.push(isToTranslate(state)));
    const wanted = toBits(defaultWant);
    const queued = [...hive.source].map(([name, strings]) => {
      const inLocale = fileInLocale(hive, locale.code, basis, [name, strings]);
      return countWanted(countStates({ ...inLocale, notes: new Map() }), wanted);
    });
    expect(queued).toEqual([states.filter(Boolean).length]);
  });
});

describe("a share in percent", () => {
  it.each([
    [0, 3, 0],
    [1, 3, 33.3],
    [2, 3, 66.6],
    [999_999, 1_000_000, 99.9],
    [29, 100, 29],
    [0, 0, 100],
  ])("the share of %d in %d is %d percent", (count, total, percent) =>
    expect(toPercent(count, total)).toBe(percent),
  );

  it("a share is 100 percent only for all, and never more than there is", () => {
    const share = fc
      .nat({ max: 2_000_000 })
      .chain((total) => fc.tuple(fc.nat({ max: total }), fc.constant(total)));
    forAllSync(75, share, ([count, total]) => {
      const percent = toPercent(count, total);
      expect(percent === 100).toBe(count === total);
      expect(Math.round(percent * 10) * total).toBeLessThanOrEqual(count * 1_000);
      expect(String(percent)).toMatch(/^\d+(\.\d)?$/);
    });
  });
});
