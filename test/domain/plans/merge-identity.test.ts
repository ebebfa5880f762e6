import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { reversed } from "../../../src/domain/move.ts";
import type { Settlement } from "../../../src/domain/plans/settlement.ts";
import type { Side } from "../../../src/domain/sides.ts";
import { numbers, runs, seed } from "../../helpers/runs.ts";
import { undoing, type State } from "../../helpers/states.ts";
import { merging, settledAtRandom, type Merged } from "./merging.ts";
import { contentOf, History, mergedPlainly, modelRows, nameOf, rowsOf, type Model } from "./string-model.ts";

type Changed = ReturnType<History["changed"]>;

/**
 * A random base with few places, and what two sides have made of it: each text is of one string alone. Undefined where it
 * cannot be told which strings are the same.
 */
function sidesOf(seedOfRun: number) {
  const next = numbers(seedOfRun);
  const history = new History(next, { keys: 2 });
  const { model: base } = history.changed(history.now, 6, false);
  const [here, there] = [1, 2].map(() => history.changed(base, 1 + next(4), false));
  if (here === undefined || there === undefined) return undefined;
  const [ours, theirs] = [asFollowed(base, here), asFollowed(base, there)];
  if (ours === undefined || theirs === undefined) return undefined;
  // What both have added for one key is one string with two texts.
  const added = new Map(
    Array.from(ours, ([id, { address }]) => [nameOf(address), base.has(id) ? undefined : id]),
  );
  const joined = new Map(
    Array.from(theirs, ([id, one]) => [base.has(id) ? id : (added.get(nameOf(one.address)) ?? id), one]),
  );
  const moves = { inOurs: here.moves, inTheirs: there.moves };
  return { next, base, ours, theirs: joined, moves };
}

/**
 * A model whose strings are those that keys and moves tell apart: a new one at the key of a deleted one counts as that one.
 * Undefined where a string was moved that is not in the base, or is no more: such moves are of no use to the other side.
 */
function asFollowed(base: Model, { model, moves }: Changed): Model | undefined {
  const present = new Set(Array.from(model.values(), ({ address }) => nameOf(address)));
  const known = new Map(Array.from(base, ([id, { address }]) => [nameOf(address), id]));
  const origins = new Map(moves.map(({ from, to }) => [nameOf(to), nameOf(from)]));
  const left = new Set(origins.values());
  if ([...origins].some(([to, from]) => !known.has(from) || !present.has(to))) return undefined;
  return new Map(
    Array.from(model, ([id, one]) => {
      const name = nameOf(one.address);
      const same = known.get(origins.get(name) ?? (left.has(name) ? "" : name));
      return [same ?? (base.has(id) ? -id : id), one];
    }),
  );
}

/** The strings of which each source text and each translation is. */
function ownersOf(...models: readonly Model[]): ReadonlyMap<string, number> {
  return new Map(
    models.flatMap((model) =>
      [...model].flatMap(([id, { source, french }]) =>
        [source, ...(french === undefined ? [] : [french.text])].map((text) => [text, id] as const),
      ),
    ),
  );
}

/** The strings that a state holds, by their texts; each has to have its own translation. */
function stringsIn({ hive, markers }: State, owners: ReadonlyMap<string, number>) {
  const foreign: string[] = [];
  const ids = rowsOf({ hive, markers }).map((row) => {
    const [, , source = "", french = ""] = row.split(" ");
    const id = owners.get(source);
    // A text of neither side is of whatever string it settles.
    if (french !== "" && id !== undefined && owners.get(french) !== id) foreign.push(row);
    return id;
  });
  return { ids, foreign };
}

type RandomSides = NonNullable<ReturnType<typeof sidesOf>>;

/** Merges random sides, and expects that none has a fault. @returns how many had a conflict, and how many none. */
async function expectNoFaults(
  settle: (sides: RandomSides) => Side | Settlement | undefined,
  faultsOf: (sides: RandomSides, merged: Merged) => object | undefined,
) {
  const [firstSeed, faults] = [seed(), [] as object[]];
  const counts = { plain: 0, conflicts: 0 };
  for (let i = 0; i < runs(400); i++) {
    const sides = sidesOf(firstSeed + i);
    if (sides === undefined) continue;
    const { base, ours, theirs, moves } = sides;
    const merge = await merging(contentOf(base), contentOf(ours), contentOf(theirs), settle(sides), moves);
    counts[merge.plan.conflicts.length + merge.plan.orphaned.length > 0 ? "conflicts" : "plain"]++;
    const fault = faultsOf(sides, merge);
    if (fault !== undefined) faults.push({ seed: firstSeed + i, ...fault });
  }
  expect(faults).toEqual([]);
  return counts;
}

describe("merges of strings that come to each other's places", () => {
  it("without a conflict, give what each string becomes by itself", async () => {
    const { plain } = await expectNoFaults(
      () => undefined,
      ({ base, ours, theirs }, { plan, merged }) => {
        if (plan.conflicts.length + plan.orphaned.length > 0) return undefined;
        const expected = mergedPlainly(base, ours, theirs);
        const [rows, wanted] = [rowsOf(merged).toSorted(), expected && modelRows(expected).toSorted()];
        return isDeepStrictEqual(rows, wanted) ? undefined : { rows, wanted };
      },
    );
    expect(plain).toBeGreaterThan(0);
  });

  it.each(["ours", "theirs"] as const)(
    "settled for %s, leave each string there once, with its own translation",
    async (winner) => {
      const { conflicts } = await expectNoFaults(
        () => winner,
        ({ base, ...sides }, { merged }) => {
          const { ids, foreign } = stringsIn(merged, ownersOf(base, sides.ours, sides.theirs));
          const loser = winner === "ours" ? sides.theirs : sides.ours;
          // What the other side has deleted stays where it was changed.
          const lost = Array.from(sides[winner], ([id, { source }]) => {
            const isToStay = loser.has(id) || source !== base.get(id)?.source;
            return isToStay && !ids.includes(id) ? id : undefined;
          }).filter((id) => id !== undefined);
          const twice = ids.filter((id, at) => ids.indexOf(id) !== at);
          return lost.length + twice.length + foreign.length > 0 ? { lost, twice, foreign } : undefined;
        },
      );
      expect(conflicts).toBeGreaterThan(0);
    },
  );

  it("settled place by place, leave each translation to its own string", async () => {
    const settle = ({ next, theirs }: RandomSides): Settlement =>
      settledAtRandom(next, next(2) === 0 ? "ours" : "theirs", contentOf(theirs).hive);
    const { conflicts } = await expectNoFaults(settle, ({ base, ours, theirs }, { merged }) => {
      const { foreign } = stringsIn(merged, ownersOf(base, ours, theirs));
      return foreign.length > 0 ? { foreign } : undefined;
    });
    expect(conflicts).toBeGreaterThan(0);
  });
});

describe("undos after strings have come to each other's places", () => {
  it("leave each string there once, with its own translation, if the commit has not made it", async () => {
    const [firstSeed, faults] = [seed(), [] as object[]];
    let undone = 0;
    for (let i = 0; i < runs(400); i++) {
      const next = numbers(firstSeed + i);
      const history = new History(next, { keys: 2 });
      const { model: before } = history.changed(history.now, 6, false);
      const commit = history.changed(before, 1 + next(3), false);
      const after = asFollowed(before, commit);
      const since = history.changed(after ?? before, next(4), false);
      const now = after && asFollowed(after, since);
      if (after === undefined || now === undefined) continue;
      const moves = { inOurs: since.moves, inTheirs: reversed(commit.moves) };
      const states = { before: contentOf(before), after: contentOf(after), now: contentOf(now) };
      const undo = await undoing(states, moves).catch((error: unknown) => error as Error);
      if (undo instanceof Error) continue;
      undone++;
      const { ids, foreign } = stringsIn(undo.undone, ownersOf(before, after, now));
      const lost = [...now.keys()].filter((id) => (before.has(id) || !after.has(id)) && !ids.includes(id));
      const twice = ids.filter((id, at) => ids.indexOf(id) !== at);
      if (lost.length + twice.length + foreign.length > 0)
        faults.push({ seed: firstSeed + i, lost, twice, foreign });
    }
    expect(faults).toEqual([]);
    expect(undone).toBeGreaterThan(0);
  });
});
