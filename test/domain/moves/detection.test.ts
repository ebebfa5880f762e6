import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { TextIndex } from "../../../src/domain/memory/text-index.ts";
import type { SourceFiles } from "../../../src/domain/strings/hive-content.ts";
import { hiveOf } from "../../helpers/hive.ts";
import { detectMoves } from "../../../src/domain/moves/detection.ts";
import { moveName, placeName } from "./random-moves.ts";
import { forAll } from "../../helpers/runs.ts";

type Files = Readonly<Record<string, Readonly<Record<string, string>>>>;

const sourceOf = (files: Files): SourceFiles => hiveOf({ files }).source;

async function detected(before: Files, after: Files) {
  const { moves, ambiguous } = await detectMoves(sourceOf(before), sourceOf(after));
  return {
    moves: moves.map(moveName),
    ambiguous: ambiguous.map(({ text, from, to }) => [text, from.map(placeName), to.map(placeName)]),
  };
}

const files = fc.dictionary(
  fc.constantFrom("a.php", "b.php", "c.php"),
  fc.dictionary(fc.constantFrom("a", "b", "c", "d", "e"), fc.constantFrom("1", "2", "3", "4", ""), {
    noNullPrototype: true,
  }),
  { noNullPrototype: true },
);

const places = (all: Files) =>
  Object.entries(all).flatMap(([file, texts]) =>
    Object.entries(texts).map(([key, text]) => ({ name: `${file}: ${key}`, text })),
  );

const namesOf = (some: readonly { readonly name: string }[]) => new Set(some.map(({ name }) => name));

describe("detected moves", () => {
  it("within the same files are the strings whose text has gone once and come once", async () => {
    await forAll(75, files, files, async (before, one) => {
      // The same files on both sides, so that none is renamed.
      const kept = { "stays.php": { x: "x" } };
      const names = new Set([...Object.keys(before), ...Object.keys(one)]);
      const both = (all: Files) =>
        Object.fromEntries([...names].map((name) => [name, { ...all[name], stays: "stays" }]));
      const [was, is] = [
        { ...both(before), ...kept },
        { ...both(one), ...kept },
      ];
      const [old, now] = [places(was), places(is)];
      const gone = old.filter(({ name }) => !now.some((other) => other.name === name));
      const come = now.filter(({ name }) => !old.some((other) => other.name === name));
      const expected = gone.flatMap(({ name, text }) => {
        const alike = gone.filter((other) => other.text === text);
        const found = come.filter((other) => other.text === text);
        const [to] = found;
        return text !== "" && alike.length === 1 && found.length === 1 ? [`${name} -> ${to?.name}`] : [];
      });
      const { moves, ambiguous } = await detected(was, is);
      expect(moves.toSorted()).toEqual(expected.toSorted());
      for (const [text, from, to] of ambiguous) {
        expect(new Set(from)).toEqual(namesOf(gone.filter((other) => other.text === text)));
        expect(new Set(to)).toEqual(namesOf(come.filter((other) => other.text === text)));
        expect([from?.length, to?.length]).not.toEqual([1, 1]);
      }
    });
  });

  it("never have a string twice, and always lead from what has gone to what has come", async () => {
    await forAll(75, files, files, async (before, after) => {
      const { moves } = await detectMoves(sourceOf(before), sourceOf(after));
      const [from, to] = [moves.map((one) => placeName(one.from)), moves.map((one) => placeName(one.to))];
      expect([new Set(from).size, new Set(to).size]).toEqual([moves.length, moves.length]);
      const [old, now] = [before, after].map((all) => namesOf(places(all)));
      for (const name of from) expect([old?.has(name), now?.has(name)]).toEqual([true, false]);
      for (const name of to) expect([old?.has(name), now?.has(name)]).toEqual([false, true]);
    });
  });

  it("a renamed file's keys are paired by their names first, and the others by their texts", async () => {
    expect(
      await detected(
        { "a.php": { x: "X", y: "Same", z: "Same", w: "W", gone: "Gone" }, "c.php": { c: "C" } },
        {
          "b.php": { x: "X", y: "Same", z: "Same", w: "New", come: "Gone", more: "More" },
          "c.php": { c: "C" },
        },
      ),
    ).toEqual({
      moves: [
        "a.php: x -> b.php: x",
        "a.php: y -> b.php: y",
        "a.php: z -> b.php: z",
        "a.php: w -> b.php: w",
        "a.php: gone -> b.php: come",
      ],
      ambiguous: [],
    });
  });

  it("a file is not renamed to one that has less than half of its strings, or as many as another has", async () => {
    expect(
      await detected({ "a.php": { x: "X", y: "Y", z: "Z" } }, { "b.php": { x: "X", y: "Y2", z: "Z2" } }),
    ).toEqual({
      moves: ["a.php: x -> b.php: x"],
      ambiguous: [],
    });
    const copies = { "b.php": { x: "X", y: "Y" }, "c.php": { x: "X", y: "Y" } };
    expect(await detected({ "a.php": { x: "X", y: "Y" } }, copies)).toEqual({
      moves: [],
      ambiguous: [
        ["X", ["a.php: x"], ["b.php: x", "c.php: x"]],
        ["Y", ["a.php: y"], ["b.php: y", "c.php: y"]],
      ],
    });
  });

  it("two files that were renamed are each found, whatever they have in common", async () => {
    const [one, other] = [
      { title: "Title", x: "X" },
      { title: "Title", y: "Y" },
    ];
    expect(
      (await detected({ "a.php": one, "b.php": other }, { "c.php": other, "d.php": one })).moves,
    ).toEqual([
      "a.php: title -> d.php: title",
      "a.php: x -> d.php: x",
      "b.php: title -> c.php: title",
      "b.php: y -> c.php: y",
    ]);
  });

  it.each(["_", "."])("the forms of a plural string with one text are those of another: %j", async (sign) => {
    const forms = (stem: string, ...categories: string[]) =>
      Object.fromEntries(categories.map((category) => [`${stem}${sign}${category}`, "Sheep"]));
    const stays = { stays: "stays" };
    const after = { "a.json": { ...forms("b", "one", "other"), ...stays } };
    expect(await detected({ "a.json": { ...forms("a", "one", "other"), ...stays } }, after)).toEqual({
      moves: [`a.json: a${sign}one -> a.json: b${sign}one`, `a.json: a${sign}other -> a.json: b${sign}other`],
      ambiguous: [],
    });
    for (const before of [
      forms("a", "one", "few"),
      { ...forms("a", "one"), ...forms("c", "other") },
      { ...forms("a", "one", "other"), more: "Sheep" },
    ]) {
      const { moves, ambiguous } = await detected({ "a.json": { ...before, ...stays } }, after);
      expect([moves.length, ambiguous.length]).toEqual([0, 1]);
    }
  });

  it("of very many keys that are texts none is compared with all others", async () => {
    const many = (mark: string) =>
      Object.fromEntries(
        Array.from({ length: 8_100 }, (_, i) => [
          `A text ${i} that is long ${mark}`,
          `A text ${i} that is long ${mark}`,
        ]),
      );
    const find = vi.spyOn(TextIndex.prototype, "find");
    expect((await detected({ "a.po": many(".") }, { "a.po": many("!") })).moves).toEqual([]);
    expect(find).not.toHaveBeenCalled();
  });

  it("very many files with the same strings are compared in no time", async () => {
    const many = (prefix: string) =>
      Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`${prefix}${i}.php`, { title: "Title" }]));
    expect((await detected(many("a"), many("b"))).moves).toEqual([]);
  });
});
