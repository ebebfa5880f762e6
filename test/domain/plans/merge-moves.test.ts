import { describe, expect, it } from "vitest";
import type { Move } from "../../../src/domain/move.ts";
import { numbers, runs, seed } from "../../helpers/runs.ts";
import { merging } from "./merging.ts";
import { contentOf, History, mergedPlainly, modelRows, nameOf, rowsOf, type Model } from "./string-model.ts";

const hasClash = (model: Model): boolean =>
  new Set(Array.from(model.values(), ({ address }) => nameOf(address))).size < model.size;

/** The former names of strings that were moved and then deleted. */
function deletedAfterMoves({ model, moves }: { readonly model: Model; readonly moves: readonly Move[] }) {
  const names = new Set(Array.from(model.values(), ({ address }) => nameOf(address)));
  return moves.flatMap(({ from, to }) => (names.has(nameOf(to)) ? [] : [nameOf(from)]));
}

/** Whether they moved a string to where ours has another with the same text: for its key, both sides agree then. */
function agreeByKeyAlone(base: Model, ours: Model, theirs: Model): boolean {
  const sources = new Map(Array.from(ours.values(), ({ address, source }) => [nameOf(address), source]));
  return [...base].some(([id, before]) => {
    const [here, there] = [ours.get(id), theirs.get(id)];
    if (here === undefined || there === undefined) return false;
    const names = [before, here, there].map(({ address }) => nameOf(address));
    return new Set(names).size === 3 && sources.get(nameOf(there.address)) === there.source;
  });
}

describe("merges of random moves, of strings that share their texts", () => {
  it("give what each string becomes by itself, or have a conflict", async () => {
    const firstSeed = seed();
    const counts = { merged: 0, conflicts: 0 };
    for (let i = 0; i < runs(400); i++) {
      const next = numbers(firstSeed + i);
      const history = new History(next, 2);
      const { model: base } = history.changed(history.now, 8, false);
      const ours = history.changed(base, 1 + next(3), false);
      const theirs = history.changed(base, 1 + next(3), false);
      // A string that the other side has moved and then deleted is compared by its key.
      if (deletedAfterMoves(theirs).length > 0) continue;
      const bothMoved = new Set(theirs.moves.map(({ from: at }) => nameOf(at)));
      if (deletedAfterMoves(ours).some((name) => bothMoved.has(name))) continue;
      if (agreeByKeyAlone(base, ours.model, theirs.model)) continue;
      const moves = { inOurs: ours.moves, inTheirs: theirs.moves };
      const [from, here, there] = [contentOf(base), contentOf(ours.model), contentOf(theirs.model)];
      const { plan, merged } = await merging(from, here, there, undefined, moves);
      const expected = mergedPlainly(base, ours.model, theirs.model);
      const isConflict = plan.conflicts.length + plan.orphaned.length > 0;
      counts[isConflict ? "conflicts" : "merged"]++;
      const rows = isConflict ? undefined : rowsOf(merged).toSorted();
      const wanted =
        expected === undefined || hasClash(expected) ? undefined : modelRows(expected).toSorted();
      expect({ seed: firstSeed + i, rows }).toEqual({ seed: firstSeed + i, rows: wanted });
    }
    expect(counts.merged).toBeGreaterThan(counts.conflicts);
  });
});
