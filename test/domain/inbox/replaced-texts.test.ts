/** Who is told of a text that another one took the place of. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { replacedTexts, type ChangeStep } from "../../../src/domain/inbox/replaced-texts.ts";
import type { Move } from "../../../src/domain/move.ts";
import { isOid, type Oid } from "../../../src/domain/names.ts";
import { toLocale } from "../../../src/domain/hives/locale.ts";
import { fileNamed } from "../../helpers/hive.ts";
import { forAllSync } from "../../helpers/runs.ts";

const { code: fr } = toLocale("fr");
const file = fileNamed("a.json");

function oidOf(n: number): Oid {
  const oid = n.toString(16).padStart(40, "0");
  if (!isOid(oid)) throw new Error(oid);
  return oid;
}

type Step = readonly [
  person: string | undefined,
  operation: string,
  changes: Readonly<Record<string, readonly [before: string | undefined, after: string | undefined]>>,
  moves?: Readonly<Record<string, string>>,
];

/** Steps in their order, at the seconds 0, 1 and so on. */
function stepsOf(...steps: readonly Step[]): readonly ChangeStep[] {
  return steps.map(([person, operation, changes, moves = {}], time) => ({
    commit: oidOf(time),
    time,
    person,
    operation,
    moves: Object.entries(moves).map(([from, to]): Move => ({
      from: { file, key: from },
      to: { file, key: to },
    })),
    changes: Object.entries(changes).map(([key, [before, after]]) => ({
      locale: fr,
      file,
      key,
      before,
      after,
    })),
  }));
}

/** What is told: at which second, whom, what, of which key. */
function told(...steps: readonly Step[]) {
  return replacedTexts(stepsOf(...steps)).map(({ time, writer, kind, key }) => [time, writer, kind, key]);
}

const wrote: Step = ["anna", "import-translations", { a: [undefined, "un"] }];

describe("a text that somebody wrote", () => {
  const another: Step = ["ben", "work", { a: ["un", "deux"] }];
  const gone = (person: string, operation: string): Step => [person, operation, { a: ["un", undefined] }];
  const toB: Step = ["ben", "move", { a: ["un", undefined], b: [undefined, "un"] }, { a: "b" }];
  const swapped: Step = ["ben", "move", { a: ["un", "deux"], b: ["deux", "un"] }, { a: "b", b: "a" }];

  it.each<readonly [what: string, expected: readonly string[] | undefined, steps: readonly Step[]]>([
    ["is changed by another", ["anna", "changed", "a"], [wrote, another]],
    ["is rejected", ["anna", "rejected", "a"], [wrote, gone("ben", "reject")]],
    ["is removed by another", ["anna", "changed", "a"], [wrote, gone("ben", "remove-translations")]],
    [
      "is changed by a token of nobody",
      ["anna", "changed", "a"],
      [wrote, [undefined, "work", { a: ["un", "x"] }]],
    ],
    ["is changed by its writer", undefined, [wrote, ["anna", "work", { a: ["un", "deux"] }]]],
    ["is rejected by its writer", undefined, [wrote, gone("anna", "reject")]],
    ["goes with its language", undefined, [wrote, gone("ben", "remove-locale")]],
    ["was there before", undefined, [another]],
    ["was written by a token of nobody", undefined, [[undefined, "work", { a: [undefined, "un"] }], another]],
    ["came with a merge", undefined, [["anna", "merge", { a: [undefined, "un"] }], another]],
    [
      "is moved, and then changed",
      ["anna", "changed", "b"],
      [wrote, toB, ["ben", "work", { b: ["un", "deux"] }]],
    ],
    [
      "changes its place with another's",
      ["anna", "changed", "b"],
      [wrote, ["carl", "work", { b: [undefined, "deux"] }], swapped, ["ben", "work", { b: ["un", "trois"] }]],
    ],
    [
      "comes back by a rejection, and is changed then",
      ["anna", "changed", "a"],
      [wrote, another, ["carl", "reject", { a: ["deux", "un"] }], ["ben", "work", { a: ["un", "trois"] }]],
    ],
    [
      "comes back by an undo of another, and is changed by them",
      ["anna", "changed", "a"],
      [wrote, another, ["ben", "undo", { a: ["deux", "un"] }], ["ben", "work", { a: ["un", "trois"] }]],
    ],
  ])("%s", (_, expected, steps) => {
    const last = told(...steps).filter(([time]) => time === steps.length - 1);
    expect(last.map(([, ...rest]) => rest)).toEqual(expected === undefined ? [] : [expected]);
  });

  it("is told once for each change, the newest first", () => {
    expect(
      told(wrote, ["ben", "work", { a: ["un", "deux"] }], ["carl", "work", { a: ["deux", "trois"] }]),
    ).toEqual([
      [2, "ben", "changed", "a"],
      [1, "anna", "changed", "a"],
    ]);
  });

  it("is never told to whoever did it, and only what was written before", () => {
    const people = fc.constantFrom("anna", "ben", undefined);
    const text = fc.constantFrom("un", "deux", undefined);
    const operation = fc.constantFrom("work", "reject", "undo", "merge");
    const random = fc.array(fc.tuple(people, operation, text), { maxLength: 12 });
    forAllSync(100, random, (made) => {
      let before: string | undefined;
      const steps = made.flatMap(([person, kind, after]): Step[] => {
        if (after === before) return [];
        const step: Step = [person, kind, { a: [before, after] }];
        before = after;
        return [step];
      });
      for (const { time, writer, before: was } of replacedTexts(stepsOf(...steps))) {
        expect(steps[time]?.[0]).not.toBe(writer);
        const earlier = steps.slice(0, time).filter(([person, kind]) => person === writer && kind === "work");
        expect(earlier.map(([, , { a }]) => a?.[1])).toContain(was);
      }
    });
  });
});
