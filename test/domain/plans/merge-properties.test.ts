import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Side } from "../../../src/domain/moves/alignment.ts";
import {
  change,
  emptyState,
  moved,
  staleIn,
  statesOf,
  type Change,
  undoing,
  type State,
} from "../../helpers/states.ts";
import { diffContent, listBranchChanges } from "../../helpers/at-once.ts";
import { movesOf, picks } from "../moves/random-moves.ts";
import { contentsOf, merging, textsOf } from "./merging.ts";
import { runs } from "../../helpers/runs.ts";

const changes = (maxLength: number) => fc.array(change, { maxLength });
const winner = fc.constantFrom<Side>("ours", "theirs");

/** Two sides with a common beginning. */
const parted = fc.tuple(changes(4), changes(3), changes(3)).map(([before, ours, theirs]) => {
  const last = (from: State, some: readonly Change[]) => statesOf(some, from).at(-1) ?? from;
  const base = last(emptyState, before);
  return { base, ours: last(base, ours), theirs: last(base, theirs) };
});

describe("merges of random histories", () => {
  it("a merge without conflicts gives the same texts in either order", () => {
    fc.assert(
      fc.property(parted, ({ base, ours, theirs }) => {
        const one = merging(base, ours, theirs);
        const other = merging(base, theirs, ours);
        expect(one.plan.conflicts.length === 0).toBe(other.plan.conflicts.length === 0);
        if (one.plan.conflicts.length > 0) return;
        expect(textsOf(one.merged)).toEqual(textsOf(other.merged));
        expect(Object.keys(staleIn(one.merged)).toSorted()).toEqual(
          Object.keys(staleIn(other.merged)).toSorted(),
        );
      }),
      { numRuns: runs(75) },
    );
  });

  it("a second merge of the same changes changes nothing", () => {
    fc.assert(
      fc.property(parted, winner, ({ base, ours, theirs }, side) => {
        const first = merging(base, ours, theirs, side);
        for (const from of [base, theirs]) {
          const again = merging(from, first.merged, theirs, side);
          expect(again.merged.blobs).toEqual(first.merged.blobs);
          expect(again.plan.changes).toEqual([]);
          if (from === theirs) expect(again.plan.conflicts).toEqual([]);
        }
      }),
      { numRuns: runs(75) },
    );
  });

  it("the undo of a merge restores the texts before it", () => {
    fc.assert(
      fc.property(parted, winner, ({ base, ours, theirs }, side) => {
        const { plan, merged } = merging(base, ours, theirs, side);
        if (plan.changes.length + plan.counts.confirmed === 0) return;
        expect(diffContent(ours.hive, merged.hive)).toHaveLength(plan.changes.length);
        const { plan: undo, undone } = undoing({ now: merged, before: ours, after: merged });
        expect(undo.conflicts).toEqual([]);
        expect(textsOf(undone)).toEqual(textsOf(ours));
        expect(staleIn(undone)).toEqual(staleIn(ours));
      }),
      { numRuns: runs(75) },
    );
  });

  it("a merge into an unchanged side gives the other side's tree", () => {
    fc.assert(
      fc.property(parted, ({ base, theirs }) => {
        const { plan, merged } = merging(base, base, theirs);
        expect(plan.conflicts).toEqual([]);
        expect(textsOf(merged)).toEqual(textsOf(theirs));
        expect(staleIn(merged)).toEqual(staleIn(theirs));
      }),
      { numRuns: runs(75) },
    );
  });

  it("a merge of any moves into the unchanged base gives the moved content, and changes nothing the second time", () => {
    fc.assert(
      fc.property(changes(4), picks, (before, wanted) => {
        const base = statesOf(before).at(-1) ?? emptyState;
        const inTheirs = movesOf(base.hive, wanted);
        const theirs = moved(base, inTheirs);
        const first = merging(base, base, theirs, undefined, { inOurs: [], inTheirs });
        expect(first.plan.conflicts).toEqual([]);
        expect(textsOf(first.merged)).toEqual(textsOf(theirs));
        expect(staleIn(first.merged)).toEqual(staleIn(theirs));
        const again = merging(base, first.merged, theirs, undefined, { inOurs: inTheirs, inTheirs });
        expect(again.plan.changes).toEqual([]);
        expect(textsOf(again.merged)).toEqual(textsOf(theirs));
      }),
      { numRuns: runs(75) },
    );
  });

  it("the changes of a branch are its difference, and every conflict of the merge is at one of them", () => {
    fc.assert(
      fc.property(parted, ({ base, ours, theirs }) => {
        const changed = listBranchChanges(contentsOf({ base, ours, theirs }));
        const plain = changed.filter(({ change: kind }) => kind !== "confirmed");
        const places = (some: readonly { locale: string; file: string; key: string }[]) =>
          some.map(({ locale, file: name, key }) => JSON.stringify([locale, name, key])).toSorted();
        expect(places(plain)).toEqual(places(diffContent(base.hive, theirs.hive)));
        const { conflicts } = merging(base, ours, theirs).plan;
        expect(places(changed.filter(({ conflict }) => conflict !== undefined))).toEqual([
          ...new Set(places(conflicts)),
        ]);
      }),
      { numRuns: runs(75) },
    );
  });
});
