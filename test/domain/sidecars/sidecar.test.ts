/** Values of every kind: their files, and what moves and merges make of them. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AddressMap, type StringAddress, type TranslationMoves } from "../../../src/domain/move.ts";
import { notesKind } from "../../../src/domain/notes/notes-kind.ts";
import type { StringNotes } from "../../../src/domain/notes/note.ts";
import { sidecars } from "../../../src/domain/plans/sidecars.ts";
import { acceptedKind, type AcceptedChecks } from "../../../src/domain/sidecars/accepted.ts";
import { reviewKind, type Review } from "../../../src/domain/sidecars/review.ts";
import {
  changedValues,
  differingKeys,
  formatValues,
  mergedValues,
  movedValues,
  parseValues,
  withValueWrites,
  type Sidecar,
  type ValueFiles,
} from "../../../src/domain/sidecars/sidecar.ts";
import { staleKind } from "../../../src/domain/sidecars/stale.ts";
import { toLocale } from "../../../src/domain/hives/locale.ts";
import type { Side } from "../../../src/domain/sides.ts";
import { fileNamed } from "../../helpers/hive.ts";
import { forAll, forAllSync } from "../../helpers/runs.ts";

const text = fc.constantFrom("", "A", "B", "__proto__");
const review = fc.oneof(
  fc.record({ text, approved: fc.constant(undefined), by: text }),
  fc.record({ text, approved: text, by: text }),
  fc.record({ text, approved: text, approvedSource: text, by: text }),
);
const note: fc.Arbitrary<StringNotes> = fc.constantFrom<StringNotes>(
  { app: { note: "N", where: ["a.ts:1"] } },
  {
    app: { tags: ["t"] },
    team: { ask: "Why?" },
    thread: [
      { id: "1", by: "anna", at: "2026-01-02T03:04:05.678Z", text: "Why?", ask: true, withholds: true },
    ],
  },
  { thread: [{ id: "1", locale: toLocale("fr").code, text: "Why?", ask: true, settled: true }] },
  { team: { arguments: { b: { type: "n" }, a: { example: "1" } }, keep: true } },
);
const checks: fc.Arbitrary<AcceptedChecks> = fc
  .uniqueArray(fc.tuple(fc.constantFrom("tags", "icu", "length"), fc.constantFrom("1", "2")), {
    selector: ([check]) => check,
    minLength: 1,
  })
  .map((entries) => new Map(entries));

const key = fc.constantFrom("a", "b", "a.b", "1", "__proto__", "toString");
const fileValues = <V>(value: fc.Arbitrary<V>) =>
  fc.array(fc.tuple(key, value), { maxLength: 4 }).map((entries) => new Map(entries));
const [file, other] = [fileNamed("x.json"), fileNamed("y/z.php")];
const valueFiles = <V>(value: fc.Arbitrary<V>): fc.Arbitrary<ValueFiles<V>> =>
  fc
    .array(fc.tuple(fc.constantFrom(file, other), fileValues(value)), { maxLength: 3 })
    .map((files) => new Map(files));

/** Each kind with its values, as a test that holds for all of them. */
interface OfKind {
  readonly name: string;
  <T>(test: <V>(kind: Sidecar<V>, value: fc.Arbitrary<V>) => T): T;
}
const ofKind = <V>(kind: Sidecar<V>, value: fc.Arbitrary<V>): readonly [string, OfKind] => [
  kind.folder,
  (test) => test(kind, value),
];
const kinds = [
  ofKind(staleKind, text),
  ofKind<Review>(reviewKind, review),
  ofKind(acceptedKind, checks),
  ofKind(notesKind, note),
];

it("has values of every kind", () => {
  expect(kinds.map(([name]) => name)).toEqual(sidecars.map(({ folder }) => folder));
});

describe.each(kinds)("values of the kind %s", (_, each) => {
  it("are read as they were written, and are the same file in any order", () =>
    each((kind, value) =>
      forAll(100, fileValues(value), async (values) => {
        const written = await formatValues(kind, values);
        expect(await formatValues(kind, new Map([...values].toReversed()))).toBe(written);
        expect(written === undefined).toBe(values.size === 0);
        const read = await parseValues(kind, JSON.parse(written ?? "{}"));
        expect(differingKeys(kind, values, read)).toEqual([]);
        expect(await formatValues(kind, read)).toBe(written);
      }),
    ));

  it.each(["[]", "null", "1", '"a"', '{"a": null}', '{"a": 1}', '{"a": [1]}', '{"a": {"b": {"c": "d"}}}'])(
    "are not read from %s",
    (json) => each((kind) => expect(parseValues(kind, JSON.parse(json))).rejects.toThrow()),
  );

  it("follow moves: each is where its string is, and what was at its new place is gone", () =>
    each((_kind, value) =>
      forAllSync(100, valueFiles(value), fc.boolean(), (files, isSwap) => {
        const [start, end] = [
          { file, key: "a" },
          { file: other, key: "b" },
        ];
        const moves = addresses(
          isSwap
            ? [
                [start, end],
                [end, start],
              ]
            : [[start, end]],
        );
        const moved = movedValues(files, moves);
        const valueAt = (some: ValueFiles<unknown>, at: StringAddress) => some.get(at.file)?.get(at.key);
        expect(valueAt(moved, end)).toBe(valueAt(files, start));
        expect(valueAt(moved, start)).toBe(isSwap ? valueAt(files, end) : undefined);
        for (const [name, values] of files) {
          for (const [own, one] of values)
            if (!moves.cleared.has({ file: name, key: own })) expect(moved.get(name)?.get(own)).toBe(one);
        }
      }),
    ));

  it("are merged: what one side alone has changed is taken, and what neither has changed stays", () =>
    each((kind, value) =>
      forAllSync(150, valueFiles(value), valueFiles(value), valueFiles(value), (base, ours, theirs) => {
        expect(differences(kind, mergedValues(kind, { base, ours: base, theirs }), theirs)).toEqual([]);
        expect(differences(kind, mergedValues(kind, { base, ours, theirs: base }), ours)).toEqual([]);
        expect(differences(kind, mergedValues(kind, { base, ours, theirs: ours }), ours)).toEqual([]);
      }),
    ));

  it("come from one side as they are where that is decided, whatever else has changed", () =>
    each((kind, value) =>
      forAllSync(100, valueFiles(value), valueFiles(value), valueFiles(value), (base, ours, theirs) => {
        const whole = new AddressMap<Side>()
          .set({ file, key: "a" }, "ours")
          .set({ file: other, key: "b" }, "theirs");
        const merged = mergedValues(kind, { base, ours, theirs }, whole);
        expect(merged.get(file)?.get("a")).toBe(ours.get(file)?.get("a"));
        expect(merged.get(other)?.get("b")).toBe(theirs.get(other)?.get("b"));
      }),
    ));

  it("differ by writes that make one state of the other", () =>
    each((kind, value) =>
      forAllSync(100, valueFiles(value), valueFiles(value), (before, after) => {
        const { code } = toLocale("fr");
        const writes = changedValues(kind, code, before, after);
        const made = withValueWrites(new Map([[code, before]]), writes).get(code) ?? new Map();
        expect(differences(kind, made, after)).toEqual([]);
      }),
    ));
});

describe("a merge of accepted findings that both sides have changed", () => {
  const filesOf = (checks: Readonly<Record<string, string>>): ValueFiles<AcceptedChecks> =>
    new Map(isEmpty(checks) ? [] : [[file, new Map([["a", new Map(Object.entries(checks))]])]]);
  const isEmpty = (checks: object): boolean => Object.keys(checks).length === 0;

  it.each<Readonly<Record<string, string>>[]>([
    [{}, { tags: "1" }, { icu: "1" }, { tags: "1", icu: "1" }],
    [{ tags: "1", icu: "1" }, { icu: "1" }, { tags: "1" }, {}],
    [{ tags: "1" }, { tags: "2" }, { tags: "3" }, { tags: "2" }],
    [{ tags: "1" }, { tags: "2" }, {}, { tags: "2" }],
    [{ tags: "1" }, {}, { tags: "1", icu: "1" }, { icu: "1" }],
  ])("from %o: ours %o and theirs %o are %o", (base = {}, ours = {}, theirs = {}, expected = {}) => {
    const all = mergedValues(acceptedKind, {
      base: filesOf(base),
      ours: filesOf(ours),
      theirs: filesOf(theirs),
    });
    expect(Object.fromEntries(all.get(file)?.get("a") ?? [])).toEqual(expected);
  });
});

function differences<V>(kind: Sidecar<V>, one: ValueFiles<V>, other: ValueFiles<V>): readonly string[] {
  return changedValues(kind, toLocale("fr").code, one, other).map(({ file }) => file);
}

function addresses(moves: readonly (readonly [StringAddress, StringAddress])[]): TranslationMoves {
  const [to, from, cleared] = [
    new AddressMap<StringAddress>(),
    new AddressMap<StringAddress>(),
    new AddressMap<true>(),
  ];
  for (const [start, end] of moves) {
    to.set(start, end);
    from.set(end, start);
    cleared.set(start, true).set(end, true);
  }
  return { to, from, cleared };
}
