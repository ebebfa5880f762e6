import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Side } from "../../../src/domain/sides.ts";
import {
  change,
  moved,
  staleIn,
  stateAfter,
  type Change,
  undoing,
  type State,
} from "../../helpers/states.ts";
import { diffContent } from "../../../src/domain/strings/content-diff.ts";
import { listBranchChanges } from "../../../src/domain/plans/merge.ts";
import { movesOf, picks } from "../moves/random-moves.ts";
import { placeOf, Settlement, type Resolution, type Taken } from "../../../src/domain/plans/settlement.ts";
import { translatableTexts } from "../../../src/domain/strings/string-file.ts";
import type { Sides } from "../../../src/domain/sides.ts";
import { contentsOf, file, merging, textsOf } from "./merging.ts";
import { forAll } from "../../helpers/runs.ts";

/** The reasons of conflicts that a text of neither side can settle. */
const takesTexts = new Set(["text", "deleted", "confirmed", "path"]);

const changes = (maxLength: number) => fc.array(change, { maxLength });
const winner = fc.constantFrom<Side>("ours", "theirs");

/** The changes before two sides part, and those of each side. */
const parted = fc.tuple(changes(4), changes(3), changes(3));

const few = fc.constantFrom("1", "2", "3");
const some = fc.option(few, { nil: undefined });

/** A file of few strings and texts, so that sides often change the same, with texts where another side has a group. */
const smallSide = fc
  .record({ a: some, b: some, g: fc.oneof(some, fc.record({ x: few })), item_one: some, item_other: some })
  .chain((texts) =>
    fc
      .record({ a: some, b: some, "g.x": some, item_one: some, item_many: some, item_other: some })
      .map((fr) => file(withoutUndefined(texts), withoutUndefined(fr))),
  );
const smallSides = fc.record({ base: smallSide, ours: smallSide, theirs: smallSide });

function withoutUndefined<T>(members: Readonly<Record<string, T | undefined>>): Record<string, T> {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, one]) => (one === undefined ? [] : [[name, one]])),
  );
}

async function sidesAfter([before, ours, theirs]: readonly (readonly Change[])[]) {
  const base = await stateAfter(before ?? []);
  return { base, ours: await stateAfter(ours ?? [], base), theirs: await stateAfter(theirs ?? [], base) };
}

/** The conflicts that there are where none is settled. */
const openConflicts = async ({ base, ours, theirs }: Sides<State>) =>
  (await merging(base, ours, theirs)).plan.conflicts;

describe("merges of random histories", () => {
  it("all conflicts settled one by one for a side give what that side as the winner gives", async () => {
    await forAll(75, smallSides, winner, async ({ base, ours, theirs }, side) => {
      const open = await openConflicts({ base, ours, theirs });
      const resolutions = open.map((one) => ({ ...one, take: side }));
      const unique = [...new Map(resolutions.map((one) => [placeOf(one), one])).values()];
      const settlement = new Settlement(undefined, unique);
      const one = await merging(base, ours, theirs, settlement);
      const other = await merging(base, ours, theirs, side);
      expect(one.merged).toEqual(other.merged);
      expect(one.plan.counts).toEqual(other.plan.counts);
      expect(await settlement.problems(() => Promise.resolve(open))).toEqual([]);
    });
  });

  it("conflicts settled in any way have what was taken, and leave nothing to merge", async () => {
    const choices = fc.infiniteStream(fc.constantFrom<Taken>("ours", "theirs", { text: "Own {n}" }));
    await forAll(75, smallSides, choices, async ({ base, ours, theirs }, chosen) => {
      const open = await openConflicts({ base, ours, theirs });
      const unique = [...new Map(open.map((one) => [placeOf(one), one])).values()];
      const resolutions = unique.map(({ locale, file: name, key, member, reason }): Resolution => {
        const { value } = chosen.next();
        const take = typeof value === "object" && !takesTexts.has(reason) ? "theirs" : value;
        return { locale, file: name, key, member, take };
      });
      const settlement = new Settlement(undefined, resolutions);
      const { plan, merged } = await merging(base, ours, theirs, settlement);
      const listed = () => Promise.resolve(open);
      const problems = await settlement.problems(listed);
      // Two strings were chosen that cannot stand beside each other.
      if (problems.length > 0 && problems.every(([, problem]) => problem.startsWith("cannot stand beside")))
        return;
      expect(problems).toEqual([]);
      // Taking a string may leave no place for another one, or for its translations.
      const isLeft = (at: string) => resolutions.some((one) => placeOf(one) === at);
      expect(plan.conflicts.filter((one) => !isLeft(placeOf(one))).map(({ reason }) => reason)).toEqual(
        plan.conflicts.filter((one) => !settlement.isSettled(one)).map(() => "path"),
      );
      const texts = new Set(textsOf(merged));
      const { sourceLocale } = base.hive.settings;
      for (const { locale, file: name, key, take } of resolutions) {
        const isSource = locale === sourceLocale.code;
        // A translation may have lost its string.
        const hasPlace = isSource || translatableTexts(merged.hive.source.get(name)).has(key);
        if (typeof take !== "object" || !hasPlace) continue;
        expect(texts).toContain(JSON.stringify([isSource ? "source" : locale, name, key, take.text]));
      }
      const again = await merging(theirs, merged, theirs);
      expect([again.plan.changes, again.plan.conflicts]).toEqual([[], []]);
    });
  });

  it("a merge without conflicts gives the same texts in either order", async () => {
    await forAll(75, parted, async (some) => {
      const { base, ours, theirs } = await sidesAfter(some);
      const one = await merging(base, ours, theirs);
      const other = await merging(base, theirs, ours);
      expect(one.plan.conflicts.length === 0).toBe(other.plan.conflicts.length === 0);
      if (one.plan.conflicts.length > 0) return;
      expect(textsOf(one.merged)).toEqual(textsOf(other.merged));
      expect(Object.keys(staleIn(one.merged)).toSorted()).toEqual(
        Object.keys(staleIn(other.merged)).toSorted(),
      );
    });
  });

  it("a second merge of the same changes changes nothing", async () => {
    await forAll(75, parted, winner, async (some, side) => {
      const { base, ours, theirs } = await sidesAfter(some);
      const first = await merging(base, ours, theirs, side);
      for (const from of [base, theirs]) {
        const again = await merging(from, first.merged, theirs, side);
        expect(again.merged.blobs).toEqual(first.merged.blobs);
        expect(again.plan.changes).toEqual([]);
        if (from === theirs) expect(again.plan.conflicts).toEqual([]);
      }
    });
  });

  it("the undo of a merge restores the texts before it", async () => {
    await forAll(75, parted, winner, async (some, side) => {
      const { base, ours, theirs } = await sidesAfter(some);
      const { plan, merged } = await merging(base, ours, theirs, side);
      if (plan.changes.length + plan.counts.confirmed === 0) return;
      expect(await diffContent(ours.hive, merged.hive)).toHaveLength(plan.changes.length);
      const { plan: undo, undone } = await undoing({ now: merged, before: ours, after: merged });
      expect(undo.conflicts).toEqual([]);
      expect(textsOf(undone)).toEqual(textsOf(ours));
      expect(staleIn(undone)).toEqual(staleIn(ours));
    });
  });

  it("a merge into an unchanged side gives the other side's tree", async () => {
    await forAll(75, parted, async (some) => {
      const { base, theirs } = await sidesAfter(some);
      const { plan, merged } = await merging(base, base, theirs);
      expect(plan.conflicts).toEqual([]);
      expect(textsOf(merged)).toEqual(textsOf(theirs));
      expect(staleIn(merged)).toEqual(staleIn(theirs));
    });
  });

  it("a merge of any moves into the unchanged base gives the moved content, and changes nothing the second time", async () => {
    await forAll(75, changes(4), picks, async (before, wanted) => {
      const base = await stateAfter(before);
      const inTheirs = movesOf(base.hive, wanted);
      const theirs = await moved(base, inTheirs);
      const first = await merging(base, base, theirs, undefined, { inOurs: [], inTheirs });
      expect(first.plan.conflicts).toEqual([]);
      expect(textsOf(first.merged)).toEqual(textsOf(theirs));
      expect(staleIn(first.merged)).toEqual(staleIn(theirs));
      const again = await merging(base, first.merged, theirs, undefined, { inOurs: inTheirs, inTheirs });
      expect(again.plan.changes).toEqual([]);
      expect(textsOf(again.merged)).toEqual(textsOf(theirs));
    });
  });

  it("the changes of a branch are its difference, and every conflict of the merge is at one of them", async () => {
    await forAll(75, parted, async (some) => {
      const { base, ours, theirs } = await sidesAfter(some);
      const changed = await listBranchChanges(contentsOf({ base, ours, theirs }));
      const plain = changed.filter(({ change: kind }) => kind !== "confirmed");
      const places = (some: readonly { locale: string; file: string; key: string }[]) =>
        some.map(({ locale, file: name, key }) => JSON.stringify([locale, name, key])).toSorted();
      expect(places(plain)).toEqual(places(await diffContent(base.hive, theirs.hive)));
      const { conflicts } = (await merging(base, ours, theirs)).plan;
      expect(places(changed.filter(({ conflict }) => conflict !== undefined))).toEqual([
        ...new Set(places(conflicts)),
      ]);
    });
  });
});
