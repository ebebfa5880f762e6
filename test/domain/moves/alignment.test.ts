import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { composeMoves, reversed, type Move } from "../../../src/domain/move.ts";
import { alignMoves } from "../../../src/domain/moves/alignment.ts";
import type { Side } from "../../../src/domain/sides.ts";
import { lastWriteWins } from "../../../src/domain/moves/moved-content.ts";
import { applyDifference } from "../../../src/domain/plans/difference.ts";
import type { HiveContent } from "../../../src/domain/strings/hive-content.ts";
import { applied, fileNamed, hiveOf } from "../../helpers/hive.ts";
import {
  change,
  followed,
  moved,
  planOf,
  staleIn,
  stateAfter,
  type Change,
  undoing as undoingStates,
  type State,
} from "../../helpers/states.ts";
import { diffContent } from "../../../src/domain/strings/content-diff.ts";
import { moveContent } from "../../helpers/domain.ts";
import { move, moveName, movesOf, picks } from "./random-moves.ts";
import { forAll } from "../../helpers/runs.ts";

const changes = fc.array(change, { minLength: 1, maxLength: 4 });

interface Past {
  readonly before: State;
  readonly after: State;
  readonly now: State;
  readonly moves?: readonly Move[];
  readonly movedSince?: readonly Move[];
}

const undoing = ({ moves = [], movedSince = [], ...states }: Past) =>
  undoingStates(states, { inOurs: movedSince, inTheirs: reversed(moves) });

const translations = change.filter(
  (one): one is Change & { kind: "translations" } => one.kind === "translations",
);

describe("the undo of a move", () => {
  it("an undo takes the last moves back: the tree is the one before them", async () => {
    await forAll(75, changes, picks, async (some, wanted) => {
      const before = await stateAfter(some);
      const moves = movesOf(before.hive, wanted);
      if (moves.length === 0) return;
      const after = await moved(before, moves);
      const { plan, undone } = await undoing({ before, after, now: after, moves });
      expect(plan.conflicts).toEqual([]);
      expect(plan.counts.moved).toBe(moves.length);
      expect(await diffContent(before.hive, undone.hive)).toEqual([]);
      expect(staleIn(undone)).toEqual(staleIn(before));
    });
  });

  it("an undo takes moves back with translations that have come since", async () => {
    await forAll(75, changes, picks, translations, async (some, wanted, one) => {
      const before = await stateAfter(some);
      const moves = movesOf(before.hive, wanted);
      const there = await moveContent(before.hive, moves);
      const back = await moveContent(there.content, reversed(moves));
      if (moves.length === 0 || there.lost.length + back.lost.length > 0) return;
      const after = await moved(before, moves);
      const now = await followed(after, await planOf(after, one));
      const again = await moveContent(now.hive, reversed(moves));
      if (again.lost.length > 0) return;
      const { plan, undone } = await undoing({ before, after, now, moves });
      expect(plan.conflicts).toEqual([]);
      expect(await diffContent(again.content, undone.hive)).toEqual([]);
    });
  });

  it("an undo of a change finds strings where they were moved to since", async () => {
    await forAll(75, changes, translations, picks, async (some, translated, wanted) => {
      const before = await stateAfter(some);
      const after = await followed(before, await planOf(before, translated));
      const movedSince = movesOf(after.hive, wanted);
      for (const { hive: one } of [before, after]) {
        const there = await moveContent(one, movedSince);
        const back = await moveContent(there.content, reversed(movedSince));
        if (there.lost.length + back.lost.length > 0) return;
      }
      if ((await diffContent(before.hive, after.hive)).length === 0) return;
      const now = await moved(after, movedSince);
      const { plan, undone } = await undoing({ before, after, now, movedSince });
      expect(plan.conflicts).toEqual([]);
      expect(await diffContent((await moveContent(before.hive, movedSince)).content, undone.hive)).toEqual(
        [],
      );
      expect(staleIn(undone)).toEqual(staleIn(await moved(before, movedSince)));
    });
  });
});

type Texts = Readonly<Record<string, string>>;
const hive = (source: Texts, french: Texts = {}): HiveContent =>
  hiveOf({ files: { "a.php": source }, translations: { fr: { "a.php": french } } });
const short = (text: string): Move => move(text.replaceAll(/\b[a-z]\b/g, "a.php: $&"));

async function difference(
  [now, from, to]: readonly [HiveContent, HiveContent, HiveContent],
  moves: { readonly inOurs?: string[]; readonly inTheirs?: string[]; readonly prefer?: Side },
) {
  const { inOurs = [], inTheirs = [], prefer } = moves;
  const made = { inOurs: inOurs.map(short), inTheirs: inTheirs.map(short) };
  const unmarked = (content: HiveContent) => ({ content, markers: new Map() });
  const contents = { ours: unmarked(now), base: unmarked(from), theirs: unmarked(to) };
  const aligned = await alignMoves(contents, made, prefer);
  const plan = await applyDifference(aligned);
  const writes = lastWriteWins(aligned.ours.writes, plan.writes);
  const after = applied(now, { ...plan, writes, counts: undefined });
  const [french] = after.translations.values();
  return {
    conflicts: plan.conflicts.map(({ locale, key }) => `${locale} ${key}`),
    source: Object.fromEntries(after.source.get(fileNamed("a.php"))?.texts ?? []),
    french: Object.fromEntries(french?.get(fileNamed("a.php")) ?? []),
  };
}

describe("a difference with moves", () => {
  it("what is moved on one side and translated on the other is both", async () => {
    const from = hive({ a: "A", z: "Z" }, { a: "1" });
    expect(
      await difference([hive({ a: "A", z: "Z" }, { a: "2" }), from, hive({ b: "A", z: "Z" }, { b: "1" })], {
        inTheirs: ["a -> b"],
      }),
    ).toEqual({ conflicts: [], source: { b: "A", z: "Z" }, french: { b: "2" } });
    expect(
      await difference([hive({ b: "A", z: "Z" }, { b: "1" }), from, hive({ a: "A2", z: "Z" }, { a: "2" })], {
        inOurs: ["a -> b"],
      }),
    ).toEqual({ conflicts: [], source: { b: "A2", z: "Z" }, french: { b: "2" } });
  });

  it("what is moved alike on both sides is no conflict, and other translations of it are merged", async () => {
    expect(
      await difference([hive({ b: "A" }, { b: "1" }), hive({ a: "A" }), hive({ b: "A2" })], {
        inOurs: ["a -> b"],
        inTheirs: ["a -> b"],
      }),
    ).toEqual({ conflicts: [], source: { b: "A2" }, french: { b: "1" } });
  });

  it("what is moved to different places is a conflict, unless one side is preferred", async () => {
    const contents = [hive({ b: "A" }, { b: "1" }), hive({ a: "A" }), hive({ c: "A2" })] as const;
    const both = { inOurs: ["a -> b"], inTheirs: ["a -> c"] };
    expect(await difference(contents, both)).toEqual({
      conflicts: ["en c", "en a"],
      source: { b: "A" },
      french: { b: "1" },
    });
    expect(await difference(contents, { ...both, prefer: "ours" })).toEqual({
      conflicts: [],
      source: { b: "A2" },
      french: { b: "1" },
    });
    expect(await difference(contents, { ...both, prefer: "theirs" })).toEqual({
      conflicts: [],
      source: { c: "A2" },
      french: { c: "1" },
    });
  });

  it("a move whose string is no more, or whose place is taken, is a conflict that changes nothing", async () => {
    const [from, to] = [hive({ a: "A", z: "Z" }), hive({ b: "A", z: "Z" }, { b: "1" })];
    const moves = { inTheirs: ["a -> b"] };
    expect(await difference([hive({ z: "Z" }), from, to], moves)).toEqual({
      conflicts: ["en b", "en a", "fr b"],
      source: { z: "Z" },
      french: {},
    });
    expect(await difference([hive({ a: "A", b: "B", z: "Z" }), from, to], moves)).toEqual({
      conflicts: ["en b", "en a", "fr b"],
      source: { a: "A", b: "B", z: "Z" },
      french: {},
    });
  });

  it("two strings of one text that changed places are a conflict where one of them is no more", async () => {
    const [from, to] = [hive({ a: "A", b: "A" }), hive({ b: "A", a: "A" })];
    expect(await difference([hive({ b: "A" }), from, to], { inTheirs: ["a -> b", "b -> a"] })).toEqual({
      conflicts: ["en a", "en b"],
      source: { b: "A" },
      french: {},
    });
  });

  it("moves that only some of a chain can make are all left", async () => {
    const from = hive({ a: "A", b: "B", c: "C" });
    const to = hive({ b: "A", c: "B", d: "C" });
    const moves = { inTheirs: ["a -> b", "b -> c", "c -> d"] };
    expect((await difference([hive({ a: "A", b: "B", c: "C", d: "D" }), from, to], moves)).source).toEqual({
      a: "A",
      b: "B",
      c: "C",
      d: "D",
    });
    expect((await difference([from, from, to], moves)).source).toEqual({ b: "A", c: "B", d: "C" });
  });
});

describe("composed moves", () => {
  it.each<[string[], string[], string[]]>([
    [["a -> b"], ["b -> c"], ["a -> c"]],
    [["a -> b"], ["b -> a"], []],
    [["a -> b"], ["c -> d"], ["a -> b", "c -> d"]],
    // A new string came to `a` in between.
    [["a -> b"], ["a -> c"], ["a -> b"]],
    // The string at `b` was deleted in between.
    [["a -> b"], ["c -> b"], ["c -> b"]],
    [["a -> b", "b -> a"], ["a -> c"], ["a -> b", "b -> c"]],
    [[], ["a -> b"], ["a -> b"]],
  ])("moves %j and then %j are %j", (first, later, expected) => {
    const composed = composeMoves(first.map(short), later.map(short));
    expect(composed.map(moveName)).toEqual(expected.map((one) => moveName(short(one))));
  });

  it("lead each string to where the moves lead it one after the other", async () => {
    await forAll(75, changes, picks, picks, async (some, one, other) => {
      const now = await stateAfter(some);
      const first = movesOf(now.hive, one);
      const between = (await moveContent(now.hive, first)).content;
      const later = movesOf(between, other);
      const after = (await moveContent(between, later)).content;
      const direct = (await moveContent(now.hive, composeMoves(first, later))).content;
      expect(
        await diffContent({ ...after, translations: new Map() }, { ...direct, translations: new Map() }),
      ).toEqual([]);
    });
  });
});
