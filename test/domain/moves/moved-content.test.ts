import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AddressMap, reversed, type Move, type StringAddress } from "../../../src/domain/move.ts";
import { translationAt, diffContent } from "../../../src/domain/strings/content-diff.ts";
import type { HiveContent } from "../../../src/domain/strings/hive-content.ts";
import { fileNamed, hiveOf } from "../../helpers/hive.ts";
import { change, moved as movedState, staleIn, stateAfter, type State } from "../../helpers/states.ts";
import { moveContent } from "../../helpers/domain.ts";
import { move, movesOf, picks, placesIn } from "./random-moves.ts";
import { forAll } from "../../helpers/runs.ts";

const changes = fc.array(change, { minLength: 1, maxLength: 5 });

async function moving(now: State, moves: readonly Move[]) {
  return { moved: await moveContent(now.hive, moves, now.markers), after: await movedState(now, moves) };
}

const sourceAt = (hive: HiveContent, { file, key }: StringAddress) => hive.source.get(file)?.texts.get(key);
const stale = (at: State) => new Map(Object.entries(staleIn(at)));

describe("moves", () => {
  it("take each string, its translations and their stale markers to its new place, and leave all others", async () => {
    await forAll(150, changes, picks, async (some, wanted) => {
      const now = await stateAfter(some);
      const moves = movesOf(now.hive, wanted);
      const movedTo = new AddressMap<StringAddress>();
      for (const { from, to } of moves) movedTo.set(from, to);
      const { moved, after } = await moving(now, moves);
      expect(await diffContent(moved.content, after.hive)).toEqual([]);
      const places = placesIn(now.hive);
      expect(placesIn(after.hive)).toHaveLength(places.length);
      for (const from of places) {
        const to = movedTo.get(from) ?? from;
        expect(sourceAt(after.hive, to)).toBe(sourceAt(now.hive, from));
        for (const { code } of now.hive.settings.targetLocales) {
          expect(translationAt(after.hive, code, to.file, to.key)).toBe(
            translationAt(now.hive, code, from.file, from.key),
          );
          expect(stale(after).get(`${code} ${to.file} ${to.key}`)).toBe(
            stale(now).get(`${code} ${from.file} ${from.key}`),
          );
        }
      }
    });
  });

  it("there and back change no text and no stale marker, unless they tore a plural string apart", async () => {
    await forAll(150, changes, picks, async (some, wanted) => {
      const now = await stateAfter(some);
      const moves = movesOf(now.hive, wanted);
      const there = await moving(now, moves);
      const back = await moving(there.after, reversed(moves));
      if (there.moved.lost.length + back.moved.lost.length > 0) return;
      expect(await diffContent(now.hive, back.after.hive)).toEqual([]);
      expect(staleIn(back.after)).toEqual(staleIn(now));
    });
  });

  it("a moved text is not taken for an empty group that has the same key by another nesting", async () => {
    const now = hiveOf({ files: { "a.php": { g: { a: { "b.c": "text" }, "a.b.c": {} } } } });
    const { moved } = await moving({ hive: now, markers: new Map(), blobs: new Map() }, [
      move("a.php: g.a.b.c -> a.php: x"),
    ]);
    expect(sourceAt(moved.content, { file: fileNamed("a.php"), key: "x" })).toBe("text");
  });

  it("of no string write nothing", async () => {
    const { moved } = await moving(
      { hive: hiveOf({ files: { "a.php": { a: "A" } } }), markers: new Map(), blobs: new Map() },
      [],
    );
    expect(moved.writes).toEqual([]);
  });
});

const shape = async (files: Readonly<Record<string, unknown>>, ...moves: string[]) => {
  const { content } = await moveContent(hiveOf({ files }), moves.map(move));
  return JSON.stringify(Object.fromEntries(Array.from(content.source, ([file, { group }]) => [file, group])));
};

describe("the place of a moved string", () => {
  it.each<[string, Readonly<Record<string, unknown>>, string[], Readonly<Record<string, unknown>>]>([
    [
      "stays in its group",
      { "a.php": { x: "X", old: "O", z: "Z" } },
      ["a.php: old -> a.php: new"],
      { "a.php": { x: "X", new: "O", z: "Z" } },
    ],
    [
      "stays with the name of a group",
      { "a.php": { x: "X", nav: { a: "A", b: "B" }, z: "Z" } },
      ["a.php: nav.a -> a.php: menu.a", "a.php: nav.b -> a.php: menu.b"],
      { "a.php": { x: "X", menu: { a: "A", b: "B" }, z: "Z" } },
    ],
    [
      "is the end of another group",
      { "a.php": { x: "X", nav: { a: "A", b: "B" }, z: "Z" } },
      ["a.php: x -> a.php: nav.x"],
      { "a.php": { nav: { a: "A", b: "B", x: "X" }, z: "Z" } },
    ],
    [
      "is the end of another file",
      { "a.php": { x: "X", y: "Y" }, "b.php": { a: "A" } },
      ["a.php: x -> b.php: x"],
      { "a.php": { y: "Y" }, "b.php": { a: "A", x: "X" } },
    ],
    [
      "changes with another's",
      { "a.php": { a: "A", b: "B", c: "C" } },
      ["a.php: a -> a.php: b", "a.php: b -> a.php: a"],
      { "a.php": { b: "A", a: "B", c: "C" } },
    ],
    [
      "is dotted where it was",
      { "a.php": { "nav.a": "A", "nav.b": "B" } },
      ["a.php: nav.a -> a.php: menu.a"],
      { "a.php": { "menu.a": "A", "nav.b": "B" } },
    ],
    [
      "is in a group where there is one",
      { "a.php": { "nav.a": "A", menu: { b: "B" } } },
      ["a.php: nav.a -> a.php: menu.a"],
      { "a.php": { menu: { b: "B", a: "A" } } },
    ],
    [
      "is in a list with all others of it",
      { "a.php": { list: ["A", "B"], z: "Z" } },
      ["a.php: list.0 -> a.php: items.0", "a.php: list.1 -> a.php: items.1"],
      { "a.php": { items: ["A", "B"], z: "Z" } },
    ],
    [
      "is in an element of a list that stays one",
      { "a.php": { list: [{ title: "A" }, { title: "B" }] } },
      ["a.php: list.0.title -> a.php: list.0.name"],
      { "a.php": { list: [{ name: "A" }, { title: "B" }] } },
    ],
    [
      "is beside a text that has the name of its group",
      { "a.php": { nav: "N", x: "X" } },
      ["a.php: x -> a.php: nav.x"],
      { "a.php": { nav: "N", "nav.x": "X" } },
    ],
    [
      "is that of a group whose texts it leaves dotted",
      { "a.php": { nav: { a: "A" }, x: "X" } },
      ["a.php: x -> a.php: nav"],
      { "a.php": { "nav.a": "A", nav: "X" } },
    ],
    [
      "is in a list whose elements change places",
      { "a.php": { list: ["A", "B"] }, "b.php": { z: "Z" } },
      ["a.php: list.0 -> a.php: list.1", "a.php: list.1 -> b.php: b", "b.php: z -> a.php: list.0"],
      { "a.php": { list: ["Z", "A"] }, "b.php": { b: "B" } },
    ],
    [
      "is dotted where another dotted one was",
      { "a.php": { "nav.a": "A", b: "B" } },
      ["a.php: nav.a -> a.php: c", "a.php: b -> a.php: nav.a"],
      { "a.php": { c: "A", "nav.a": "B" } },
    ],
    [
      "is in a file that is the same under another name",
      { "a.php": { 2: "two", list: ["A", []], none: {} } },
      ["a.php: 2 -> b.php: 2", "a.php: list.0 -> b.php: list.0"],
      { "b.php": { 2: "two", list: ["A", []], none: {} } },
    ],
  ])("%s", async (_, files, moves, expected) => {
    expect(await shape(files, ...moves)).toBe(JSON.stringify(expected));
  });
});

const plural = {
  files: { "a.php": { x_one: "1", x_other: "n", y: "Y" } },
  locales: ["ru"],
  translations: { ru: { "a.php": { x_one: "1r", x_few: "fr", x_many: "mr", x_other: "nr" } } },
};

const russian = async (...moves: string[]) => {
  const { content, lost } = await moveContent(hiveOf(plural), moves.map(move));
  const texts = Array.from([...content.translations.values()][0] ?? [], ([file, keys]) => [
    file,
    Object.fromEntries(keys),
  ]);
  return { texts: Object.fromEntries(texts), lost: lost.map(({ key }) => key) };
};

describe("plural forms that only translations have", () => {
  it("plural forms go with their plural string", async () => {
    const { texts, lost } = await russian("a.php: x_one -> b.php: z_one", "a.php: x_other -> b.php: z_other");
    expect(texts).toEqual({ "b.php": { z_one: "1r", z_few: "fr", z_many: "mr", z_other: "nr" } });
    expect(lost).toEqual([]);
  });

  it("plural forms go with a plural string that changes places with another", async () => {
    const swapped = await moveContent(
      hiveOf({
        files: { "a.php": { x_one: "1", x_other: "n", y_one: "1y", y_other: "ny" } },
        translations: { fr: { "a.php": { x_few: "fx", y_few: "fy" } } },
      }),
      ["one", "other"].flatMap((form) => [
        move(`a.php: x_${form} -> a.php: y_${form}`),
        move(`a.php: y_${form} -> a.php: x_${form}`),
      ]),
    );
    expect(
      [...([...swapped.content.translations.values()][0] ?? [])].map(([, keys]) => Object.fromEntries(keys)),
    ).toEqual([{ y_few: "fx", x_few: "fy" }]);
  });

  it("plural forms of a string that is torn apart are lost, and named", async () => {
    const { texts, lost } = await russian("a.php: x_other -> a.php: rest");
    expect(texts).toEqual({ "a.php": { x_one: "1r", rest: "nr" } });
    expect(lost.toSorted()).toEqual(["x_few", "x_many"]);
  });
});
