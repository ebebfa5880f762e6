import { describe, expect, it } from "vitest";
import { toLocale } from "../../../src/domain/hives/locale.ts";
import type { Move } from "../../../src/domain/move.ts";
import { fileNamed } from "../../helpers/hive.ts";
import { marked, staleIn, type State } from "../../helpers/states.ts";
import { listBranchChanges } from "../../../src/domain/plans/merge.ts";
import { Settlement, type Resolution } from "../../../src/domain/plans/settlement.ts";
import type { Side } from "../../../src/domain/sides.ts";
import { contentsOf, file, merging, stateOf, type Merged } from "./merging.ts";

const source = toLocale("en").code;

const conflictsOf = ({ plan }: Merged) =>
  plan.conflicts.map(({ locale, file: name, key, reason, base, ours, theirs, inTheWay }) =>
    [
      `${locale} ${name} ${key}`,
      reason,
      base,
      ours,
      theirs,
      ...(inTheWay === undefined ? [] : [inTheWay]),
    ].map((one) => one ?? "-"),
  );
const groupsOf = ({ merged }: Merged) =>
  Object.fromEntries(Array.from(merged.hive.source, ([name, { group }]) => [name, group]));
const orderOf = (state: Merged) => JSON.stringify(groupsOf(state)["a.json"]);
const frenchOf = ({ merged }: Merged) => {
  const french = merged.hive.translations.get(toLocale("fr").code)?.get(fileNamed("a.json"));
  return Object.fromEntries(french ?? []);
};
const nonZero = ({ plan }: Merged) =>
  Object.fromEntries(Object.entries(plan.counts).filter(([, n]) => n > 0));

/** The merge without a winner, with ours and with theirs. */
async function everyWay(base: State, ours: State, theirs: State) {
  return {
    plain: await merging(base, ours, theirs),
    ours: await merging(base, ours, theirs, "ours"),
    theirs: await merging(base, ours, theirs, "theirs"),
  };
}

describe("conflicts of a merge", () => {
  it("a merge has a conflict where both sides changed a text differently, and none where they changed it alike", async () => {
    const base = file({ a: "A", b: "B" }, { a: "x" });
    const both = await everyWay(
      base,
      file({ a: "A1", b: "B9" }, { a: "x1" }),
      file({ a: "A2", b: "B9" }, { a: "x2" }),
    );
    expect(conflictsOf(both.plain)).toEqual([
      ["en a.json a", "text", "A", "A1", "A2"],
      ["fr a.json a", "text", "x", "x1", "x2"],
    ]);
    expect(nonZero(both.ours)).toEqual({ settled: 2 });
    expect(nonZero(both.theirs)).toEqual({ updated: 1, translationsUpdated: 1, settled: 2 });
    expect([groupsOf(both.theirs), frenchOf(both.theirs)]).toEqual([
      { "a.json": { a: "A2", b: "B9" } },
      { a: "x2" },
    ]);
    expect(staleIn(both.theirs.merged)).toEqual({});
  });

  it("a string that was changed on one side and deleted on the other comes with the winner's translations", async () => {
    const base = file({ a: "A", b: "B" }, { a: "x", b: "y" });
    const changed = file({ a: "A1", b: "B" }, { a: "x", b: "y" }, { a: "A" });
    const gone = file({ b: "B" }, { b: "y" });
    const deletedHere = await everyWay(base, gone, changed);
    expect(conflictsOf(deletedHere.plain)).toEqual([["en a.json a", "deleted", "A", "-", "A1"]]);
    expect(groupsOf(deletedHere.ours)).toEqual({ "a.json": { b: "B" } });
    expect([groupsOf(deletedHere.theirs), frenchOf(deletedHere.theirs)]).toEqual([
      { "a.json": { a: "A1", b: "B" } },
      { a: "x", b: "y" },
    ]);
    expect(staleIn(deletedHere.theirs.merged)).toEqual({ "fr a.json a": "A" });

    const deletedThere = await everyWay(base, changed, gone);
    expect(frenchOf(deletedThere.ours)).toEqual({ a: "x", b: "y" });
    expect(staleIn(deletedThere.ours.merged)).toEqual({ "fr a.json a": "A" });
    expect(groupsOf(deletedThere.theirs)).toEqual({ "a.json": { b: "B" } });
    expect(nonZero(deletedThere.theirs)).toEqual({ deleted: 1, translationsDeleted: 1, settled: 1 });
  });

  it("the forms of a plural string that only translations have come from the winner, too", async () => {
    const source = { i_one: "{{count}} item", i_other: "{{count}} items", z: "Z" };
    const ru = { i_one: "1", i_few: "2", i_many: "3", i_other: "4" };
    const base = file(source, ru);
    const changed = file({ ...source, i_one: "one", i_other: "many" }, ru, { i_one: source.i_one });
    const gone = file({ z: "Z" });
    expect(frenchOf((await everyWay(base, changed, gone)).ours)).toEqual(ru);
    expect(frenchOf((await everyWay(base, gone, changed)).theirs)).toEqual(ru);
  });

  it("a merge has a conflict where one side removed a translation that the other changed or confirmed", async () => {
    const base = file({ a: "A", b: "B" }, { a: "x", b: "y" }, { b: "old" });
    const removed = file({ a: "A", b: "B" });
    const changed = file({ a: "A", b: "B" }, { a: "x1", b: "y" });
    const { plain, ours, theirs } = await everyWay(base, removed, changed);
    expect(conflictsOf(plain)).toEqual([
      ["fr a.json a", "deleted", "x", "-", "x1"],
      ["fr a.json b", "confirmed", "y", "-", "y"],
    ]);
    expect([frenchOf(ours), frenchOf(theirs)]).toEqual([{}, { a: "x1", b: "y" }]);
    expect(staleIn(theirs.merged)).toEqual({});
  });

  it("a merge has a conflict where one side confirmed a translation that the other changed", async () => {
    const base = file({ a: "A" }, { a: "x" }, { a: "old" });
    const confirmed = file({ a: "A" }, { a: "x" });
    const changed = file({ a: "A" }, { a: "x1" }, { a: "old" });
    const { plain, ours, theirs } = await everyWay(base, confirmed, changed);
    expect(conflictsOf(plain)).toEqual([["fr a.json a", "confirmed", "x", "x", "x1"]]);
    expect([frenchOf(ours), staleIn(ours.merged)]).toEqual([{ a: "x" }, {}]);
    expect([frenchOf(theirs), staleIn(theirs.merged)]).toEqual([{ a: "x1" }, { "fr a.json a": "old" }]);
  });

  it("a text cannot be added where the other side has a group, or a group where it has a text", async () => {
    const base = file({ z: "Z" });
    const text = file({ z: "Z", n: "N" }, { n: "nn" });
    const group = file({ z: "Z", n: { a: "A", b: "B" } }, { "n.a": "aa" });
    const intoText = await everyWay(base, text, group);
    expect(conflictsOf(intoText.plain)).toEqual([
      ["en a.json n.a", "path", "-", "-", "A", "n"],
      ["en a.json n.b", "path", "-", "-", "B", "n"],
    ]);
    expect([groupsOf(intoText.ours), frenchOf(intoText.ours)]).toEqual([
      { "a.json": { z: "Z", n: "N" } },
      { n: "nn" },
    ]);
    expect([groupsOf(intoText.theirs), frenchOf(intoText.theirs)]).toEqual([
      { "a.json": { z: "Z", n: { a: "A", b: "B" } } },
      { "n.a": "aa" },
    ]);
    const intoGroup = await everyWay(base, group, text);
    expect(conflictsOf(intoGroup.plain)).toEqual([["en a.json n", "path", "-", "-", "N", "n.a"]]);
    expect(groupsOf(intoGroup.ours)).toEqual({ "a.json": { z: "Z", n: { a: "A", b: "B" } } });
    expect(groupsOf(intoGroup.theirs)).toEqual({ "a.json": { z: "Z", n: "N" } });
  });

  it("dotted names stand beside texts, and a group may follow a text that went", async () => {
    const dotted = await everyWay(
      file({ z: "Z" }),
      file({ Save: "Save" }),
      file({ z: "Z", "Save. Go on": "x" }),
    );
    expect(conflictsOf(dotted.plain)).toEqual([]);
    const grouped = await everyWay(
      file({ n: "N", z: "Z" }),
      file({ n: "N", z: "Z1" }),
      file({ n: { a: "A" }, z: "Z" }),
    );
    expect(conflictsOf(grouped.plain)).toEqual([]);
    expect(groupsOf(grouped.plain)).toEqual({ "a.json": { n: { a: "A" }, z: "Z1" } });
  });

  it("a file cannot be added beside one whose name clashes with its name", async () => {
    const base = stateOf({ files: { "z.json": { z: "Z" } } });
    const side = (name: string) => stateOf({ files: { "z.json": { z: "Z" }, [name]: { a: name, b: "B" } } });
    const { plain, ours, theirs } = await everyWay(base, side("menu.php"), side("Menu.php"));
    expect(conflictsOf(plain)).toEqual([
      ["en Menu.php a", "path", "-", "-", "Menu.php", "menu.php"],
      ["en Menu.php b", "path", "-", "-", "B", "menu.php"],
    ]);
    expect(Object.keys(groupsOf(ours))).toEqual(["menu.php", "z.json"]);
    expect(Object.keys(groupsOf(theirs))).toEqual(["Menu.php", "z.json"]);
    expect(nonZero(theirs)).toEqual({ created: 2, deleted: 2, settled: 2 });
  });
});

describe("what a merge brings", () => {
  it.each<[string, unknown, unknown, unknown, unknown]>([
    [
      "behind the one before it",
      { a: 1, c: 1 },
      { a: 1, x: 1, c: 1 },
      { a: 1, b: 1, c: 1 },
      { a: 1, b: 1, x: 1, c: 1 },
    ],
    ["first where none is before it", { b: 1 }, { b: 1, x: 1 }, { a: 1, b: 1 }, { a: 1, b: 1, x: 1 }],
    [
      "in its group, first there too",
      { z: 1, n: { b: 1 } },
      { n: { b: 1, x: 1 }, z: 1 },
      { z: 1, n: { a: 1, b: 1, c: 1 } },
      { n: { a: 1, b: 1, c: 1, x: 1 }, z: 1 },
    ],
    ["in the order of our side", { a: 1, b: 1 }, { b: 1, a: 1 }, { a: 1, b: 1, c: 1 }, { b: 1, c: 1, a: 1 }],
  ])("a new key stands %s", async (_, base, ours, theirs, expected) => {
    const texts = (shape: unknown): unknown => JSON.parse(JSON.stringify(shape).replaceAll("1", '"1"'));
    const merged = await merging(file(texts(base)), file(texts(ours)), file(texts(theirs)));
    expect(merged.plan.conflicts).toEqual([]);
    expect(orderOf(merged)).toBe(JSON.stringify(texts(expected)));
  });

  it("a merge takes the order of a file that only the other side changed", async () => {
    const merged = await merging(
      file({ a: "A", b: "B" }),
      file({ a: "A", b: "B" }),
      file({ b: "B", a: "A" }),
    );
    expect(orderOf(merged)).toBe('{"b":"B","a":"A"}');
    expect(merged.plan.writes.length).toBe(1);
  });

  it("translations go with a deleted string and are counted, also those that came since", async () => {
    const base = file({ a: "A", b: "B" }, { b: "y" });
    const merged = await merging(
      base,
      file({ a: "A", b: "B" }, { a: "x", b: "y" }),
      file({ b: "B" }, { b: "y" }),
    );
    expect(merged.plan.conflicts).toEqual([]);
    expect(nonZero(merged)).toEqual({ deleted: 1, translationsDeleted: 1 });
    expect(frenchOf(merged)).toEqual({ b: "y" });
  });

  it("translations without a string or a locale are dropped and counted", async () => {
    const translated = (locales: readonly string[], texts: Readonly<Record<string, string>>) =>
      stateOf({
        files: { "a.json": { a: "A", b: "B" } },
        locales,
        translations: Object.fromEntries(locales.map((code) => [code, { "a.json": texts }])),
      });
    const base = translated(["fr", "de"], { b: "y" });
    const ours = stateOf({ files: { "a.json": { b: "B" } }, translations: { fr: { "a.json": { b: "y" } } } });
    const merged = await merging(base, ours, translated(["fr", "de"], { a: "x", b: "y1" }));
    expect(nonZero(merged)).toEqual({ translationsUpdated: 1, dropped: 3 });
    expect(frenchOf(merged)).toEqual({ b: "y1" });
  });

  it("a translation becomes stale if its source text changes by the merge, and not if it was made for it", async () => {
    const base = file({ a: "A", b: "B", c: "C" }, { a: "x", b: "y", c: "z" });
    const ours = file({ a: "A", b: "B", c: "C" }, { a: "x1", b: "y", c: "z" });
    const theirs = file({ a: "A2", b: "B2", c: "C2" }, { a: "x", b: "y2", c: "z" }, { a: "A" });
    const merged = await merging(base, ours, theirs);
    expect(merged.plan.conflicts).toEqual([]);
    expect(frenchOf(merged)).toEqual({ a: "x1", b: "y2", c: "z" });
    expect(staleIn(merged.merged)).toEqual({ "fr a.json a": "A" });
  });

  it("a merge brings confirmations, which change no text", async () => {
    const base = file({ a: "A" }, { a: "x" }, { a: "old" });
    const merged = await merging(base, base, file({ a: "A" }, { a: "x" }));
    expect(nonZero(merged)).toEqual({ confirmed: 1 });
    expect(staleIn(merged.merged)).toEqual({});
    expect(merged.plan.writes).toEqual([]);
  });

  it("contents with different source locales cannot be merged", async () => {
    const other = stateOf({ source: "de", files: { "a.json": { a: "A" } } });
    await expect(merging(other, file({ a: "A" }), other)).rejects.toThrow("source locale");
  });
});

describe("the changes of a branch", () => {
  it("are listed with what conflicts", async () => {
    const base = file({ a: "A", b: "B", c: "C" }, { a: "x", b: "y" }, { b: "old" });
    const ours = file({ a: "A1", b: "B", c: "C" }, { a: "x", b: "y1" }, { a: "A", b: "old" });
    const theirs = file({ a: "A2", b: "B", d: "D" }, { b: "y" });
    expect(
      (await listBranchChanges(contentsOf({ base, ours, theirs }))).map(
        ({ locale, key, change, before, after, conflict }) =>
          [locale, key, change, before, after, conflict?.reason, conflict?.ours].map((one) => one ?? "-"),
      ),
    ).toEqual([
      ["en", "a", "updated", "A", "A2", "text", "A1"],
      ["en", "d", "created", "-", "D", "-", "-"],
      ["en", "c", "deleted", "C", "-", "-", "-"],
      ["fr", "a", "cleared", "x", "-", "-", "-"],
      ["fr", "b", "confirmed", "y", "y", "confirmed", "y1"],
    ]);
  });
});

describe("merges of moves", () => {
  const move = (from: string, to: string): Move => ({
    from: { file: fileNamed("a.json"), key: from },
    to: { file: fileNamed("a.json"), key: to },
  });

  it("a string that was moved on one side and changed or translated on the other is both", async () => {
    const base = file({ a: "A", z: "Z" });
    const ours = file({ a: "A1", z: "Z" }, { a: "x" });
    const theirs = file({ n: { a: "A" }, z: "Z" });
    const moves = { inOurs: [], inTheirs: [move("a", "n.a")] };
    const merged = await merging(base, ours, theirs, undefined, moves);
    expect(conflictsOf(merged)).toEqual([]);
    expect([groupsOf(merged), frenchOf(merged)]).toEqual([
      { "a.json": { n: { a: "A1" }, z: "Z" } },
      { "n.a": "x" },
    ]);
    expect(nonZero(merged)).toEqual({ moved: 1 });
    const other = await merging(base, theirs, ours, undefined, { inOurs: moves.inTheirs, inTheirs: [] });
    expect([groupsOf(other), frenchOf(other)]).toEqual([groupsOf(merged), frenchOf(merged)]);
    expect(nonZero(other)).toEqual({ updated: 1, translationsCreated: 1 });
  });

  it("a string that both sides moved to different places is a conflict, and has the winner's place", async () => {
    const [base, ours, theirs] = [
      file({ a: "A" }, { a: "x" }),
      file({ b: "A" }, { b: "x" }),
      file({ c: "A" }, { c: "y" }),
    ];
    const moves = { inOurs: [move("a", "b")], inTheirs: [move("a", "c")] };
    expect(
      conflictsOf(await merging(base, ours, theirs, undefined, moves)).map(([at, reason]) => [at, reason]),
    ).toEqual([
      ["en a.json c", "moved"],
      ["en a.json b", "moved"],
    ]);
    const forOurs = await merging(base, ours, theirs, "ours", moves);
    expect([groupsOf(forOurs), frenchOf(forOurs)]).toEqual([{ "a.json": { b: "A" } }, { b: "y" }]);
    const forTheirs = await merging(base, ours, theirs, "theirs", moves);
    expect([groupsOf(forTheirs), frenchOf(forTheirs)]).toEqual([{ "a.json": { c: "A" } }, { c: "y" }]);
    expect([forOurs, forTheirs].map(({ plan }) => plan.counts.settled)).toEqual([2, 2]);
  });

  it("a string that both sides moved is settled at both places by one answer, and stays", async () => {
    const [base, ours, theirs] = [file({ a: "A" }), file({ b: "A" }), file({ c: "A" })];
    const moves = { inOurs: [move("a", "b")], inTheirs: [move("a", "c")] };
    const at = (key: string, take: Side): Resolution => ({
      locale: source,
      file: fileNamed("a.json"),
      key,
      take,
    });
    const settled = async (winner: Side | undefined, ...given: Resolution[]) => {
      const settlement = new Settlement(winner, given);
      const merge = await merging(base, ours, theirs, settlement, moves);
      const problems = await settlement.problems(() => Promise.resolve(merge.plan.conflicts));
      const open = merge.plan.conflicts.filter((one) => !settlement.isSettled(one)).length;
      return [Object.keys(groupsOf(merge)["a.json"] ?? {}), open, problems];
    };
    for (const winner of [undefined, "ours", "theirs"] as const) {
      for (const key of ["b", "c"]) {
        expect(await settled(winner, at(key, "ours"))).toEqual([["b"], 0, []]);
        expect(await settled(winner, at(key, "theirs"))).toEqual([["c"], 0, []]);
      }
    }
    expect(await settled(undefined, at("c", "theirs"), at("b", "theirs"))).toEqual([["c"], 0, []]);
    const [, , problems] = await settled(undefined, at("c", "theirs"), at("b", "ours"));
    expect(problems).toEqual([[1, expect.stringContaining("from the same side")]]);
  });

  it("a string that was moved and then deleted is in the way of no other", async () => {
    const base = file({ b: "B", z: "Z" });
    const inOurs = [move("b", "c")];
    const none = await merging(base, file({ z: "Z" }), file({ b: "B", c: "New", z: "Z" }), undefined, {
      inOurs,
      inTheirs: [],
    });
    expect([conflictsOf(none), groupsOf(none)]).toEqual([[], { "a.json": { z: "Z", c: "New" } }]);
    const both = file({ a: "A", b: "B" });
    const moved = await merging(both, file({ a: "A" }), file({ b: "B", c: "A" }), undefined, {
      inOurs,
      inTheirs: [move("a", "c")],
    });
    expect([conflictsOf(moved), groupsOf(moved)]).toEqual([[], { "a.json": { c: "A" } }]);
  });

  it("a move that the other side has made without a record of it is the same move", async () => {
    const base = file({ a: "A", z: "Z" }, { a: "x" });
    const ours = file({ b: "A", z: "Z" }, { b: "x" });
    const theirs = file({ b: "A", z: "Z" }, { b: "y" });
    const merge = await merging(base, ours, theirs, undefined, { inOurs: [move("a", "b")], inTheirs: [] });
    expect([conflictsOf(merge), frenchOf(merge)]).toEqual([[], { b: "y" }]);
  });

  it("a string that was moved to where the other side has a new one is a conflict that loses neither", async () => {
    const base = file({ a: "A" }, { a: "x" });
    const moved = file({ b: "A" }, { b: "x" });
    const added = file({ a: "A", b: "B" }, { a: "x", b: "y" });
    const moves = [move("a", "b")];
    const [withMoved, withAdded] = [{ b: "x" }, { a: "x", b: "y" }];
    for (const side of ["ours", "theirs"] as const) {
      const here = await merging(base, moved, added, side, { inOurs: moves, inTheirs: [] });
      const there = await merging(base, added, moved, side, { inOurs: [], inTheirs: moves });
      expect(conflictsOf(here).map(([at, reason]) => [at, reason])).toEqual([
        ["en a.json b", "moved"],
        ["en a.json a", "moved"],
      ]);
      expect([frenchOf(here), frenchOf(there)]).toEqual(
        side === "ours" ? [withMoved, withAdded] : [withAdded, withMoved],
      );
    }
  });

  it("a string that was moved to where another was deleted is a conflict only if the other side changed either", async () => {
    const base = file({ a: "A", b: "B" }, { a: "x", b: "y" });
    const ours = file({ b: "A" }, { b: "x" });
    const moves = { inOurs: [move("a", "b")], inTheirs: [] };
    const unchanged = await merging(base, ours, base, undefined, moves);
    expect([conflictsOf(unchanged), nonZero(unchanged)]).toEqual([[], {}]);
    for (const theirs of [
      file({ a: "A", b: "B" }, { a: "x1", b: "y" }),
      file({ a: "A", b: "B" }, { a: "x", b: "y1" }),
    ]) {
      const { plan } = await merging(base, ours, theirs, undefined, moves);
      expect(plan.conflicts.map(({ key, reason }) => [key, reason])).toEqual([
        ["a", "moved"],
        ["b", "moved"],
      ]);
      expect(frenchOf(await merging(base, ours, theirs, "ours", moves))).toEqual({ b: "x" });
      const other = await merging(base, ours, theirs, "theirs", moves);
      expect(other.merged.hive.translations).toEqual(theirs.hive.translations);
    }
  });

  it.each([
    [
      "renamed their file",
      { renamed: { a: "A", b: "A" } },
      ["a", "b"],
      Array.from({ length: 4 }, () => "moved"),
    ],
    ["deleted one of them", { "a.json": { b: "A" } }, [], ["moved", "moved"]],
  ])(
    "two strings of one text that changed places are a conflict where the other side has %s",
    async (_, files, renamed, reasons) => {
      const base = file({ a: "A", b: "A" }, { a: "x", b: "y" });
      const theirs = file({ b: "A", a: "A" }, { a: "y", b: "x" });
      const ours = stateOf({ files });
      const inOurs = renamed.map((key) => ({
        from: { file: fileNamed("a.json"), key },
        to: { file: fileNamed("renamed"), key },
      }));
      const merged = await merging(base, ours, theirs, undefined, {
        inOurs,
        inTheirs: [move("a", "b"), move("b", "a")],
      });
      expect(conflictsOf(merged).map(([, reason]) => reason)).toEqual(reasons);
      expect(merged.plan.counts.dropped).toBe(0);
    },
  );

  it("a translated plural form that the moves of either side leave without a string is named, and dropped if it is theirs", async () => {
    const base = file({ x_one: "1", x_other: "n" }, { x_few: "few" });
    const translated = file({ x_one: "1", x_other: "n" }, { x_few: "few!" });
    const moved = file({ x_one: "1", rest: "n" });
    const moves = [move("x_other", "rest")];
    const orphanedIn = async (ours: State, theirs: State, inOurs: Move[], inTheirs: Move[]) => {
      const { plan } = await merging(base, ours, theirs, undefined, { inOurs, inTheirs });
      expect(plan.conflicts).toEqual([]);
      return [
        plan.counts.dropped,
        ...plan.orphaned.map((one) => [one.key, one.base, one.ours, one.theirs].map((text) => text ?? "-")),
      ];
    };
    expect(await orphanedIn(translated, moved, [], moves)).toEqual([0, ["x_few", "few", "few!", "-"]]);
    expect(await orphanedIn(moved, translated, moves, [])).toEqual([1, ["x_few", "few", "-", "few!"]]);
    expect(await orphanedIn(moved, base, moves, [])).toEqual([0]);
  });

  it("the changes of a branch list its moves with both places", async () => {
    const base = marked(file({ a: "A", z: "Z" }, { a: "x" }));
    const theirs = marked(file({ b: "A", z: "Z1" }, { b: "x1" }));
    const contents = { base, ours: base, theirs, moves: { inOurs: [], inTheirs: [move("a", "b")] } };
    expect(
      (await listBranchChanges(contents)).map(({ change: kind, key, from, after }) => [
        kind,
        key,
        from?.key ?? after,
      ]),
    ).toEqual([
      ["moved", "b", "a"],
      ["updated", "z", "Z1"],
      ["updated", "b", "x1"],
    ]);
  });
});
