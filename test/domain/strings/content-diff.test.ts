import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CountingMap, type Steps } from "../../helpers/limits/counting-map.ts";
import { applied, hiveOf } from "../../helpers/hive.ts";
import { change, planOf, stateAfter } from "../../helpers/states.ts";
import type { HiveContent, KeyChange } from "../../../src/domain/strings/hive-content.ts";
import { diffContent } from "../../../src/domain/strings/content-diff.ts";
import type { Texts } from "../../../src/domain/strings/string-file.ts";
import { forAll } from "../../helpers/runs.ts";

function mapValues<K, V, R>(map: ReadonlyMap<K, V>, toValue: (value: V) => R): ReadonlyMap<K, R> {
  return new Map(Array.from(map, ([key, value]) => [key, toValue(value)]));
}

const told = (changes: readonly KeyChange[]) =>
  changes.map(({ change, locale, file, key, before, after }) => [change, locale, file, key, before, after]);

describe("the difference of two contents", () => {
  it("lists source strings first, then translations, removed with or without their string", async () => {
    const before = hiveOf({
      files: { "a.php": { x: "X", y: "Y", z: "Z" } },
      translations: { fr: { "a.php": { x: "FX", y: "FY", z: "FZ" } } },
    });
    const after = hiveOf({
      files: { "a.php": { x: "X", z: "Z2" }, "b.php": { n: "N" } },
      translations: { fr: { "a.php": { z: "FZ2" } }, de: { "b.php": { n: "DN" } } },
    });
    expect(told(await diffContent(before, after))).toEqual([
      ["updated", "en", "a.php", "z", "Z", "Z2"],
      ["deleted", "en", "a.php", "y", "Y", undefined],
      ["created", "en", "b.php", "n", undefined, "N"],
      ["updated", "fr", "a.php", "z", "FZ", "FZ2"],
      ["cleared", "fr", "a.php", "x", "FX", undefined],
      ["deleted", "fr", "a.php", "y", "FY", undefined],
      ["created", "de", "b.php", "n", undefined, "DN"],
    ]);
  });

  it("there is no difference between contents that differ in shape alone, or in translations without a string", async () => {
    const before = hiveOf({ files: { "a.php": { n: { x: "X" }, y: "Y" } } });
    const after = hiveOf({
      files: { "a.php": { y: "Y", "n.x": "X" } },
      translations: { fr: { "a.php": { gone: "?" }, "b.php": { gone: "?" } } },
    });
    expect(await diffContent(before, after)).toEqual([]);
  });

  it("contains a translation that was there before its string", async () => {
    const translations = { fr: { "a.php": { x: "FX" } } };
    const before = hiveOf({ files: { "a.php": { y: "Y" } }, translations });
    const after = {
      ...hiveOf({ files: { "a.php": { y: "Y", x: "X" } } }),
      translations: before.translations,
    };
    expect(told(await diffContent(before, after)).slice(1)).toEqual([
      ["created", "fr", "a.php", "x", undefined, "FX"],
    ]);
  });

  it("equals the changes of the plan", async () => {
    const sorted = (changes: readonly KeyChange[]) => told(changes).map(String).toSorted();
    await forAll(75, fc.array(change, { maxLength: 3 }), change, async (changes, last) => {
      const state = await stateAfter(changes);
      const plan = await planOf(state, last);
      expect(sorted(await diffContent(state.hive, applied(state.hive, plan)))).toEqual(sorted(plan.changes));
      expect(await diffContent(state.hive, state.hive)).toEqual([]);
    });
  });

  it("comparing two contents takes linear time", async () => {
    const stepsFor = async (length: number): Promise<number> => {
      const steps: Steps = { count: 0 };
      const counted = (texts: Texts): Texts => new CountingMap(texts, steps);
      const contentOf = (more: object): HiveContent => {
        const numbers = Object.fromEntries(Array.from({ length }, (_, i) => [`k${i}`, `${i}`]));
        const texts = { ...numbers, ...more };
        const hive = hiveOf({ files: { "a.php": texts }, translations: { fr: { "a.php": texts } } });
        const source = mapValues(hive.source, (file) => ({ ...file, texts: counted(file.texts) }));
        return {
          ...hive,
          source,
          translations: mapValues(hive.translations, (of) => mapValues(of, counted)),
        };
      };
      const [before, after, changed] = [contentOf({}), contentOf({}), contentOf({ k5: "other" })];
      expect(await diffContent(before, after)).toEqual([]);
      expect(await diffContent(before, changed)).toHaveLength(2);
      return steps.count;
    };
    const [some, twice] = [await stepsFor(1_000), await stepsFor(2_000)];
    // Each text is looked at, at least.
    expect(some).toBeGreaterThan(8 * 1_000);
    expect(twice).toBeLessThan(2.1 * some);
  });
});
