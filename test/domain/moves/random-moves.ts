/** Random moves of a Hive's strings, for tests of the domain. */
import fc from "fast-check";
import { AddressMap, type Move, type StringAddress } from "../../../src/domain/move.ts";
import type { HiveContent } from "../../../src/domain/strings/hive-content.ts";
import { fileName } from "../../helpers/arbitraries.ts";
import { fileNamed } from "../../helpers/hive.ts";

/** `a.php: key` */
function place(text: string): StringAddress {
  const [file = "", key = ""] = text.split(": ");
  return { file: fileNamed(file), key };
}

/** `a.php: old -> b.php: new` */
export function move(text: string): Move {
  const [from = "", to = ""] = text.split(" -> ");
  return { from: place(from), to: place(to) };
}

export function placeName({ file, key }: StringAddress): string {
  return `${file}: ${key}`;
}

export function moveName({ from, to }: Move): string {
  return `${placeName(from)} -> ${placeName(to)}`;
}

const key = fc.constantFrom(
  "a",
  "b",
  "a.b",
  "a.b.c",
  "a.c",
  "0",
  "1",
  "x_one",
  "x_other",
  "x_few",
  "y.one",
  "y.other",
  "",
  "__proto__",
);

/** Which strings are moved, by their numbers, and where to. */
export const picks = fc.array(fc.record({ pick: fc.nat(40), file: fileName, key }), { maxLength: 8 });
export type Picks = typeof picks extends fc.Arbitrary<infer T> ? T : never;

/** The source strings of a Hive. */
export function placesIn({ source }: HiveContent): readonly StringAddress[] {
  return [...source].flatMap(([file, { texts }]) =>
    Array.from(texts.keys(), (name) => ({ file, key: name })),
  );
}

/** Those of the moves that can be made at the same time. Half of them go to places of other strings. */
export function movesOf(hive: HiveContent, wanted: Picks): readonly Move[] {
  const places = placesIn(hive);
  const moves = new AddressMap<Move>();
  const targets = new AddressMap<true>();
  for (const { pick, file, key: name } of wanted) {
    const from = places[pick % places.length];
    const to = pick % 2 === 0 ? { file, key: name } : places[(pick + 1) % places.length];
    if (from === undefined || to === undefined || moves.has(from) || targets.has(to)) continue;
    if (from.file === to.file && from.key === to.key) continue;
    moves.set(from, { from, to });
    targets.set(to, true);
  }
  const all = [...moves.files].flatMap((one) => Array.from(moves.of(one).values()));
  for (let left = all; ;) {
    const leaving = new AddressMap<true>();
    for (const { from } of left) leaving.set(from, true);
    const free = left.filter(
      ({ to }) => leaving.has(to) || hive.source.get(to.file)?.texts.has(to.key) !== true,
    );
    if (free.length === left.length) return free;
    left = free;
  }
}
