/** The command that takes commits back. */
import fc from "fast-check";
import { expect } from "vitest";
import type * as model from "../model.ts";
import * as past from "../past.ts";
import { command, expectSame, guarded, namesOf, type Real } from "../real.ts";
import { target } from "./arbitraries.ts";

/** One of the last commits, or the first: with what came before it forgotten, most would be in conflict. */
export const undo = fc
  .tuple(target, fc.nat({ max: 4 }), fc.boolean())
  .map(([hive, age, skip]) =>
    command(`undo ${hive} ${age} back${skip ? " skip" : ""}`, (m, real) =>
      takeBack(m, real, hive, age, skip),
    ),
  );

export async function takeBack(
  m: model.Model,
  real: Real,
  hive: string,
  age: number,
  skip: boolean,
): Promise<void> {
  const there = m.hives.get(hive);
  const history = there === undefined ? [] : past.undoable(there);
  const { commit = "0".repeat(40), hasMoves = false } = history.at(-1 - age) ?? history[0] ?? {};
  const body = { commit, on_conflict: skip ? "skip" : "fail" };
  const { status, json } = await guarded(real, "POST", `${hive}/undo`, body);
  const expected = hasMoves ? past.undoMoves(m, hive) : past.undo(m, hive, commit, skip);
  // The model knows texts without their order: an undo of an order alone counts nothing.
  const isOfOrder = status === 200 && Object.values(json).every((count) => count === 0);
  if (isOfOrder && expected.status !== 200) return expect(expected.status).toBe(422);
  if (hasMoves) {
    // Locales may have come and gone since without a commit of the texts.
    return expect([status, json.skipped]).toEqual([expected.status, expected.status === 200 ? 0 : undefined]);
  }
  if (status !== 409) return expectSame({ status, json }, expected);
  const wanted = Array.isArray(expected.body) ? expected.body.toSorted() : [];
  expectSame({ status, json: namesOf(json.conflicts) }, { status: expected.status, body: wanted });
}
