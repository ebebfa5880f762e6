import { expect, it } from "vitest";
import { percentBelow, type CompletenessRules } from "../../../src/domain/export/completeness.ts";
import type { LocaleStats } from "../../../src/domain/queries/locale-stats.ts";

const none: LocaleStats = {
  translated: 0,
  approved: 0,
  waiting: 0,
  withheld: 0,
  stale: 0,
  empty: 0,
  inherited: 0,
  failing: 0,
  toTranslate: 0,
  total: 0,
};
const approved = { state: "approved" } as const;

it.each<readonly [what: string, Partial<LocaleStats>, CompletenessRules, percent: number | undefined]>([
  ["without a least percentage", { empty: 9, total: 9 }, {}, undefined],
  ["with nothing to translate", {}, { minComplete: 100 }, undefined],
  ["with just enough", { translated: 8, empty: 2, total: 10 }, { minComplete: 80 }, undefined],
  ["with a little less", { translated: 799, empty: 201, total: 1000 }, { minComplete: 80 }, 79.9],
  [
    "with all but one of very many",
    { translated: 99_999, empty: 1, total: 100_000 },
    { minComplete: 100 },
    99.9,
  ],
  ["with stale texts, which go out", { translated: 5, stale: 5, total: 10 }, { minComplete: 100 }, undefined],
  [
    "with texts that wait, and go out",
    { translated: 10, withheld: 9, total: 10 },
    { minComplete: 100 },
    undefined,
  ],
  [
    "with texts that wait, and do not",
    { translated: 10, withheld: 3, total: 10 },
    { minComplete: 71, ...approved },
    70,
  ],
  ["with errors that go out", { translated: 10, failing: 3, total: 10 }, { minComplete: 100 }, undefined],
  [
    "with errors that do not",
    { translated: 10, failing: 3, total: 10 },
    { minComplete: 71, failing: "omit" },
    70,
  ],
  [
    "with errors instead of which the source goes out",
    { stale: 10, failing: 3, total: 10 },
    { minComplete: 71, failing: "source" },
    70,
  ],
  [
    "with less than none",
    { translated: 1, withheld: 1, failing: 1, total: 10 },
    { minComplete: 1, failing: "omit", ...approved },
    0,
  ],
])("a locale %s", (_, stats, rules, percent) => {
  expect(percentBelow({ ...none, ...stats }, rules)).toBe(percent);
});
