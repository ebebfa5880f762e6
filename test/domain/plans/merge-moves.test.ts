import { describe, expect, it } from "vitest";
import { reversed, type Move } from "../../../src/domain/move.ts";
import { moveContent } from "../../../src/domain/moves/moved-content.ts";
import type { Settlement } from "../../../src/domain/plans/settlement.ts";
import type { Side } from "../../../src/domain/sides.ts";
import type { HiveContent, KeyChange } from "../../../src/domain/strings/hive-content.ts";
import { diffContent } from "../../../src/domain/strings/content-diff.ts";
import { numbers, runs, seed } from "../../helpers/runs.ts";
import { marked, undoing, type State } from "../../helpers/states.ts";
import { merging, settledAtRandom } from "./merging.ts";
import { contentOf, History, mergedPlainly, modelRows, nameOf, rowsOf, type Model } from "./string-model.ts";

type Next = ReturnType<typeof numbers>;

/** What texts become, in one order. Plans and comparisons have different words for a translation that goes. */
const textsOf = (changes: readonly KeyChange[]): readonly string[] =>
  changes
    .map(({ locale, file, key, before, after }) => JSON.stringify([locale, file, key, before, after]))
    .toSorted();

/** A random base, and what two sides have made of it. */
function sidesOf(seedOfRun: number) {
  const next = numbers(seedOfRun);
  const history = new History(next, { texts: 2 });
  const { model: base } = history.changed(history.now, 8, false);
  const ours = history.changed(base, 1 + next(3), false);
  const theirs = history.changed(base, 1 + next(3), false);
  return { next, base, ours, theirs };
}

/** Expects that a plan says of the texts of a state what it has made of them, after its moves. */
async function expectSaid(
  seedOfRun: number,
  start: State,
  plan: { readonly moves: readonly Move[] | undefined; readonly changes: readonly KeyChange[] },
  end: State,
): Promise<void> {
  const { content: moved } = await moveContent(marked(start), plan.moves ?? []);
  const made = textsOf(await diffContent(moved, end.hive));
  expect({ seed: seedOfRun, made }).toEqual({ seed: seedOfRun, made: textsOf(plan.changes) });
}

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
      const { base, ours, theirs } = sidesOf(firstSeed + i);
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

describe.each(["ours", "theirs"] as const)("merges of random moves that are settled: %s", (winner) => {
  it.each<[string, (next: Next, theirs: HiveContent) => Side | Settlement]>([
    ["all for a side", () => winner],
    ["some by themselves", (next, theirs) => settledAtRandom(next, winner, theirs)],
  ])("change what they say, and nothing else: %s", async (_, settle) => {
    const firstSeed = seed();
    let settled = 0;
    for (let i = 0; i < runs(400); i++) {
      const { next, base, ours, theirs } = sidesOf(firstSeed + i);
      const moves = { inOurs: ours.moves, inTheirs: theirs.moves };
      const [from, here, there] = [contentOf(base), contentOf(ours.model), contentOf(theirs.model)];
      const { plan, merged } = await merging(from, here, there, settle(next, there.hive), moves);
      if (plan.conflicts.length > 0) settled++;
      await expectSaid(firstSeed + i, here, plan, merged);
    }
    expect(settled).toBeGreaterThan(0);
  });
});

describe("undos of random moves, after further ones", () => {
  it("change what they say, and nothing else", async () => {
    const firstSeed = seed();
    let conflicts = 0;
    const refusals = new Set<string>();
    for (let i = 0; i < runs(400); i++) {
      const next = numbers(firstSeed + i);
      const history = new History(next, { texts: 2 });
      const { model: before } = history.changed(history.now, 8, false);
      const after = history.changed(before, 1 + next(3), false);
      const now = history.changed(after.model, next(4), false);
      const states = { before: contentOf(before), after: contentOf(after.model), now: contentOf(now.model) };
      const moves = { inOurs: now.moves, inTheirs: reversed(after.moves) };
      const undo = await undoing(states, moves).catch((error: unknown) => error as Error);
      if (undo instanceof Error) {
        refusals.add(undo.message);
        continue;
      }
      const { plan, undone } = undo;
      if (plan.conflicts.length > 0) conflicts++;
      await expectSaid(firstSeed + i, states.now, plan, undone);
    }
    expect(conflicts).toBeGreaterThan(0);
    const known = [
      "changed no source string and no translation",
      "moved strings that are back where they were",
    ];
    expect(known.map((problem) => `commit: ${problem}`)).toEqual(expect.arrayContaining([...refusals]));
  });
});
