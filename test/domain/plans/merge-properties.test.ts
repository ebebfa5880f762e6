import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Side } from "../../../src/domain/moves/alignment.ts";
import { change, moved, staleIn, stateAfter, type Change, undoing } from "../../helpers/states.ts";
import { diffContent } from "../../../src/domain/strings/content-diff.ts";
import { listBranchChanges } from "../../../src/domain/plans/merge.ts";
import { movesOf, picks } from "../moves/random-moves.ts";
import { contentsOf, merging, textsOf } from "./merging.ts";
import { forAll } from "../../helpers/runs.ts";

const changes = (maxLength: number) => fc.array(change, { maxLength });
const winner = fc.constantFrom<Side>("ours", "theirs");

/** The changes before two sides part, and those of each side. */
const parted = fc.tuple(changes(4), changes(3), changes(3));

async function sidesAfter([before, ours, theirs]: readonly (readonly Change[])[]) {
  const base = await stateAfter(before ?? []);
  return { base, ours: await stateAfter(ours ?? [], base), theirs: await stateAfter(theirs ?? [], base) };
}

describe("merges of random histories", () => {
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
