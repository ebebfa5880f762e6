import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applied, hiveOf } from "../../helpers/hive.ts";
import { change, planOf, statesOf } from "../../helpers/states.ts";
import { diffContent, planSourceImport } from "../../helpers/at-once.ts";

const told = (changes: ReturnType<typeof diffContent>) =>
  changes.map(({ change, locale, file, key, before, after }) => [change, locale, file, key, before, after]);

describe("the difference of two contents", () => {
  it("lists source strings first, then translations, removed with or without their string", () => {
    const before = hiveOf({
      files: { "a.php": { x: "X", y: "Y", z: "Z" } },
      translations: { fr: { "a.php": { x: "FX", y: "FY", z: "FZ" } } },
    });
    const after = hiveOf({
      files: { "a.php": { x: "X", z: "Z2" }, "b.php": { n: "N" } },
      translations: { fr: { "a.php": { z: "FZ2" } }, de: { "b.php": { n: "DN" } } },
    });
    expect(told(diffContent(before, after))).toEqual([
      ["updated", "en", "a.php", "z", "Z", "Z2"],
      ["deleted", "en", "a.php", "y", "Y", undefined],
      ["created", "en", "b.php", "n", undefined, "N"],
      ["updated", "fr", "a.php", "z", "FZ", "FZ2"],
      ["cleared", "fr", "a.php", "x", "FX", undefined],
      ["deleted", "fr", "a.php", "y", "FY", undefined],
      ["created", "de", "b.php", "n", undefined, "DN"],
    ]);
  });

  it("there is no difference between contents that differ in shape alone, or in translations without a string", () => {
    const before = hiveOf({ files: { "a.php": { n: { x: "X" }, y: "Y" } } });
    const after = hiveOf({
      files: { "a.php": { y: "Y", "n.x": "X" } },
      translations: { fr: { "a.php": { gone: "?" }, "b.php": { gone: "?" } } },
    });
    expect(diffContent(before, after)).toEqual([]);
  });

  it("contains a translation that was there before its string", () => {
    const translations = { fr: { "a.php": { x: "FX" } } };
    const before = hiveOf({ files: { "a.php": { y: "Y" } }, translations });
    const after = {
      ...hiveOf({ files: { "a.php": { y: "Y", x: "X" } } }),
      translations: before.translations,
    };
    expect(told(diffContent(before, after)).slice(1)).toEqual([
      ["created", "fr", "a.php", "x", undefined, "FX"],
    ]);
  });

  it("equals the changes of the plan", () => {
    const sorted = (changes: ReturnType<typeof diffContent>) => told(changes).map(String).toSorted();
    fc.assert(
      fc.property(fc.array(change, { maxLength: 3 }), change, (changes, last) => {
        const state = statesOf(changes).at(-1);
        if (state === undefined) throw new Error("there is always a first state");
        const plan = planOf(state, last);
        expect(sorted(diffContent(state.hive, applied(state.hive, plan)))).toEqual(sorted(plan.changes));
        expect(diffContent(state.hive, state.hive)).toEqual([]);
      }),
    );
  });

  it("comparing two contents takes linear time", () => {
    const texts = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`k${i}`, `${i}`]));
    const before = hiveOf({ files: { "a.php": texts } });
    const files = before.source;
    const after = applied(
      before,
      planSourceImport(before, { files, mode: "sync", conflictStrategy: "keep" }),
    );
    const changed = hiveOf({ files: { "a.php": { ...texts, k5: "other" } } });
    // The time of the processor: other processes of the machine take none of it.
    const start = process.cpuUsage();
    expect(diffContent(before, after)).toEqual([]);
    expect(diffContent(before, changed)).toHaveLength(1);
    expect(process.cpuUsage(start).user).toBeLessThan(2_000_000);
  });
});
