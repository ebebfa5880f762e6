import { describe, expect, it } from "vitest";
import { composeMoves, type Move } from "../../../src/domain/move.ts";
import { marked, written } from "../../helpers/states.ts";
import { Settlement } from "../../../src/domain/plans/settlement.ts";
import { planMerge } from "../../../src/domain/plans/merge.ts";
import { readPushedContent } from "../../../src/domain/pushes/pushed-content.ts";
import { numbers, runs, seed } from "../../helpers/runs.ts";
import {
  contentOf,
  History,
  mergedPlainly,
  modelRows,
  nameOf,
  rowsOf,
  type Model,
} from "../plans/string-model.ts";

/** A push of a model that was made from an earlier one: what Skep makes of main, or undefined for a refusal. */
async function pushed(
  { models, moves: made }: History,
  start: number,
  theirs: Model,
  carries: boolean,
): Promise<{ readonly rows: string[]; readonly moves: readonly Move[] } | undefined> {
  const base = contentOf(models[start] ?? new Map());
  // Who renames a key, or a source file, may leave the translations where they are.
  const addresses = new Map(
    [...theirs].flatMap(([id, { address }]) => {
      const before = models[start]?.get(id)?.address;
      return before === undefined ? [] : [[nameOf(address), before] as const];
    }),
  );
  const former = contentOf(theirs, ({ address }) =>
    carries ? address : (addresses.get(nameOf(address)) ?? address),
  );
  const { hive } = former;
  const { theirs: content, moves: inTheirs } = await readPushedContent(marked(base), hive);
  const ours = contentOf(models.at(-1) ?? new Map());
  const inOurs = made.slice(start + 1).reduce(composeMoves, []);
  const plan = await planMerge(
    { base: marked(base), ours: marked(ours), theirs: content, moves: { inOurs, inTheirs } },
    new Settlement(),
  );
  if (plan.conflicts.length + plan.orphaned.length > 0) return undefined;
  return { rows: rowsOf(written(ours, plan, plan.staleMarkers)), moves: plan.moves };
}

describe("pushes between other writes", () => {
  it("move what they have renamed, and lose no text", async () => {
    const firstSeed = seed();
    const counts = { accepted: 0, refused: 0 };
    for (let i = 0; i < runs(100); i++) {
      const next = numbers(firstSeed + i);
      const history = new History(next);
      const first = history.changed(history.now, 12, false);
      history.add(first.model, []);
      for (let step = 0; step < 6; step++) {
        if (next(2) === 0) {
          const { model, moves } = history.changed(history.now, 1 + next(3), false);
          history.add(model, moves);
          continue;
        }
        const start = Math.max(1, history.models.length - 1 - next(4));
        const base = history.models[start] ?? new Map();
        const { model } = history.changed(base, 1 + next(4), true);
        const expected = mergedPlainly(base, history.now, model);
        const result = await pushed(history, start, model, next(2) === 0);
        counts[result === undefined ? "refused" : "accepted"]++;
        expect({ seed: firstSeed + i, rows: result?.rows.toSorted() }).toEqual({
          seed: firstSeed + i,
          rows: expected && modelRows(expected).toSorted(),
        });
        if (expected !== undefined && result !== undefined) history.add(expected, result.moves);
      }
    }
    expect(counts.accepted).toBeGreaterThan(counts.refused);
    expect(counts.refused).toBeGreaterThan(0);
  });
});
