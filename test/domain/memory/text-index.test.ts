/** Equal and similar texts of a file. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  leastScore,
  maxFound,
  maxKeys,
  TextIndex,
  toTextQuery,
  type FoundText,
  maxSimilarLength,
  TrigramReader,
} from "../../../src/domain/memory/text-index.ts";
import { forAll } from "../../helpers/runs.ts";

const indexOf = (texts: readonly string[]): Promise<TextIndex> =>
  TextIndex.of(new Map(texts.map((text, i) => [`k${i}`, text])));
const find = async (texts: readonly string[], text: string): Promise<readonly FoundText[]> =>
  (await indexOf(texts)).find(toTextQuery(text));
const scores = async (texts: readonly string[], text: string): Promise<Record<string, number>> =>
  Object.fromEntries((await find(texts, text)).map((one) => [one.text, one.score]));

const word = fc.constantFrom(
  "save",
  "Save",
  "the",
  "file",
  "files",
  "a",
  "naïve",
  "{count}",
  "保存",
  "x".repeat(9),
);
const anyText = fc.oneof(
  fc.array(word, { maxLength: 6 }).map((words) => words.join(" ")),
  fc.string({ maxLength: 8, unit: fc.constantFrom("a", "b", " ") }),
  fc.constantFrom("\u200b", "a".repeat(maxSimilarLength + 1), "b".repeat(maxSimilarLength)),
);

/** The score of two texts, by comparing the sets of their trigrams. */
function scoreOf(a: string, b: string): number {
  if (a === b) return 100;
  const [one, other] = [a, b].map((text) => new Set(new TrigramReader().read(text)));
  if (one === undefined || other === undefined || one.size === 0 || other.size === 0) return 0;
  const shared = [...one].filter((code) => other.has(code)).length;
  return Math.min(99, Math.floor((200 * shared) / (one.size + other.size)));
}

describe("TextIndex", () => {
  it("finds what comparing each text with the other finds", async () => {
    await forAll(200, fc.array(anyText, { maxLength: 30 }), anyText, async (texts, wanted) => {
      const expected = [...new Set(texts)]
        .filter((text) => text !== "" && scoreOf(text, wanted) >= leastScore)
        .map((text) => {
          const keys = texts.flatMap((one, i) => (one === text ? [`k${i}`] : []));
          return [text, scoreOf(text, wanted), keys.slice(0, maxKeys)] as const;
        });
      const found = (await find(texts, wanted)).map(({ text, score, keys }) => [text, score, keys] as const);
      expect(new Set(found.map((one) => JSON.stringify(one)))).toEqual(
        new Set(expected.map((one) => JSON.stringify(one))),
      );
      expect(found.map(([, score]) => score)).toEqual(
        expected.map(([, score]) => score).toSorted((a, b) => b - a),
      );
    });
  });

  it("scores texts as similar as people find them", async () => {
    const texts = [
      "Save changes",
      "Save all changes",
      "Delete file",
      "Delete files",
      "Delete folder",
      "Sign out",
    ];
    expect(await scores(texts, "Save changes")).toEqual({ "Save changes": 100, "Save all changes": 78 });
    expect(await scores(texts, "delete  FILE")).toEqual({ "Delete file": 99, "Delete files": 86 });
    expect(await scores(texts, "Sign in")).toEqual({});
  });

  it("compares texts by how often a trigram occurs, too", async () => {
    expect(await scores(["a".repeat(20), "a".repeat(21), "a".repeat(900)], "a".repeat(20))).toEqual({
      ["a".repeat(20)]: 100,
      ["a".repeat(21)]: 97,
    });
  });

  it("finds a very long text only if it is equal", async () => {
    const long = "word ".repeat(20_000);
    expect(await scores([long, `${long}.`], long)).toEqual({ [long]: 100 });
    expect(await scores([long], "word")).toEqual({});
  });

  it("limits the number of equal and similar texts that it gives", async () => {
    const equal = await find(
      Array.from({ length: 50_000 }, () => "Cancel"),
      "Cancel",
    );
    expect(equal.map(({ keys }) => keys.length)).toEqual([maxKeys]);
    const similar = Array.from({ length: 5_000 }, (_, i) => `Cancel the subscription number ${i}`);
    expect(await find(similar, "Cancel the subscription number 7")).toHaveLength(maxFound);
    expect((await find(similar, "Cancel the subscription number 7"))[0]).toMatchObject({
      score: 100,
      keys: ["k7"],
    });
  });

  it("counts the bytes of what it keeps", async () => {
    const texts = Array.from({ length: 1_000 }, (_, i) => `Text number ${i} of a thousand`);
    expect((await indexOf(texts)).bytes).toBeGreaterThan(1_000 * 25 * 2);
    expect((await indexOf(texts)).bytes).toBeLessThan(1_000 * 200);
  });
});
