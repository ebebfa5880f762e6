/** Gives strings that were moved on two sides the same names on both, so that all else is compared key by key. */
import { isSameAddress, AddressMap, type Move, type StringAddress } from "../move.ts";
import { findClashes, type FileName } from "../names.ts";
import { pause } from "../../slices.ts";
import type { SourceFiles } from "../strings/hive-content.ts";
import type { ContentWithMarkers } from "../strings/stale.ts";
import type { Side, Sides } from "../sides.ts";
import { moveContent, type MovedContent } from "./moved-content.ts";

/** Where strings of the base are on either side. */
export interface SideMoves {
  readonly inOurs: readonly Move[];
  readonly inTheirs: readonly Move[];
}

/** The difference from `base` to `theirs`, and the content `ours` to which it is applied. */
export interface Difference extends Sides<ContentWithMarkers> {
  /** Where nothing may be changed. */
  readonly blocked?: AddressMap<true>;
}

/** Sides with the same names for the same strings, and the moves that have brought them there. */
export interface AlignedSides extends Sides<MovedContent> {
  /**
   * The ends of moves that cannot be made on our side: the string is no more, is elsewhere, or its new place is taken.
   * Nothing may be changed there.
   */
  readonly blocked: AddressMap<true>;
}

const sides = ["ours", "base", "theirs"] as const;

/** What is done about one string: its move on each of the sides. */
interface Alignment extends Partial<Sides<Move>> {
  /** Where its move on their side begins and ends, if that cannot be made on ours. */
  readonly ends: readonly StringAddress[];
}

/**
 * Gives strings the same names on all sides: those that they have on ours after the moves of the other one. Moves of
 * strings that are not there any more are left out.
 * @param prefer whose name a string gets that both have moved, and differently. Without it, it is a conflict.
 */
export async function alignMoves(
  contents: Sides<ContentWithMarkers>,
  moves: SideMoves,
  prefer?: Side,
): Promise<AlignedSides> {
  const blocked = new AddressMap<true>();
  const wanted = alignments(contents, moves, { prefer, blocked });
  await pause();
  const active = withoutClashes(contents, wanted, blocked);
  const moved = (side: keyof Sides<unknown>): Promise<MovedContent> =>
    moveContent(
      contents[side],
      active.flatMap((one) => one[side] ?? []),
    );
  return { ours: await moved("ours"), base: await moved("base"), theirs: await moved("theirs"), blocked };
}

function alignments(
  contents: Sides<ContentWithMarkers>,
  { inOurs, inTheirs }: SideMoves,
  { prefer, blocked }: { readonly prefer: Side | undefined; readonly blocked: AddressMap<true> },
): readonly Alignment[] {
  const has = hasString(contents);
  const present = new AddressMap<StringAddress>();
  const arrived = { ours: new AddressMap<true>(), theirs: new AddressMap<true>() };
  for (const move of inOurs) present.set(move.from, move.to);
  for (const move of inOurs) arrived.ours.set(move.to, true);
  for (const move of inTheirs) arrived.theirs.set(move.to, true);
  const wanted: Alignment[] = [];
  const seen = new AddressMap<true>();
  for (const { from: start, to: end } of inTheirs) {
    if (!has("base", start) || !has("theirs", end)) continue;
    seen.set(start, true);
    const moved = present.get(start);
    const at = moved ?? start;
    const ends = [start, end];
    // The string is gone, or another one has taken its place.
    const isGone = !has("ours", at) || (moved === undefined && arrived.ours.has(start));
    if (isSameAddress(at, end)) wanted.push({ base: { from: start, to: end }, ends });
    else if (isGone) block(blocked, ends);
    else if (isSameAddress(at, start) || prefer === "theirs") {
      wanted.push({ base: { from: start, to: end }, ours: { from: at, to: end }, ends });
    } else if (prefer === "ours") {
      wanted.push({ base: { from: start, to: at }, theirs: { from: end, to: at }, ends });
    } else block(blocked, ends);
  }
  for (const { from: start, to: at } of inOurs) {
    if (seen.has(start) || !has("base", start)) continue;
    const move = { from: start, to: at };
    const isInTheirs = has("theirs", start) && !arrived.theirs.has(start);
    wanted.push({ base: move, theirs: isInTheirs ? move : undefined, ends: [] });
  }
  return wanted;
}

function block(blocked: AddressMap<true>, ends: readonly StringAddress[]): void {
  for (const end of ends) blocked.set(end, true);
}

function hasString(contents: Sides<ContentWithMarkers>) {
  return (side: keyof Sides<unknown>, { file, key }: StringAddress): boolean =>
    contents[side].content.source.get(file)?.texts.has(key) === true;
}

function addressMaps<T>(): Sides<AddressMap<T>> {
  return { ours: new AddressMap(), base: new AddressMap(), theirs: new AddressMap() };
}

/** The alignments that can be made together: each new place is free, or another move frees it. */
function withoutClashes(
  contents: Sides<ContentWithMarkers>,
  wanted: readonly Alignment[],
  blocked: AddressMap<true>,
): readonly Alignment[] {
  const has = hasString(contents);
  const dropped = new Set<Alignment>();
  const leaving = addressMaps<true>();
  const arriving = addressMaps<Alignment>();
  const waiting: (readonly [Alignment, keyof Sides<unknown>])[] = [];
  for (const one of wanted) {
    for (const side of sides) {
      const move = one[side];
      if (move === undefined) continue;
      leaving[side].set(move.from, true);
      if (arriving[side].has(move.to)) waiting.push([one, side]);
      else arriving[side].set(move.to, one);
    }
  }
  function drop(): void {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [one, why] = next;
      if (dropped.has(one)) continue;
      dropped.add(one);
      if (why === "ours") block(blocked, one.ends);
      for (const side of sides) {
        const move = one[side];
        if (move === undefined) continue;
        // Its string stays, so no other string may take its place.
        const other = arriving[side].get(move.from);
        if (other !== undefined) waiting.push([other, why]);
      }
    }
  }
  for (const one of wanted) {
    for (const side of sides) {
      const move = one[side];
      if (move === undefined || leaving[side].has(move.to)) continue;
      // The string there was to be moved away, and cannot be.
      const why = blocked.has(move.to) ? "ours" : side;
      if (has(side, move.to)) waiting.push([one, why]);
    }
  }
  drop();
  for (;;) {
    const clashing = newFileClashes(
      contents.ours.content.source,
      wanted.flatMap((one) => (one.ours === undefined || dropped.has(one) ? [] : [one.ours])),
    );
    if (clashing.size === 0) return wanted.filter((one) => !dropped.has(one));
    for (const one of wanted) {
      if (one.ours !== undefined && clashing.has(one.ours.to.file)) waiting.push([one, "ours"]);
    }
    drop();
  }
}

/** The files that moves would create, and that cannot be stored beside others. */
function newFileClashes(source: SourceFiles, moves: readonly Move[]): ReadonlySet<FileName> {
  const added = new Set(moves.map(({ to }) => to.file).filter((file) => !source.has(file)));
  if (added.size === 0) return added;
  const left = new Map(Array.from(source, ([file, { texts }]) => [file, texts.size]));
  for (const { from } of moves) left.set(from.file, (left.get(from.file) ?? 0) - 1);
  for (const { to } of moves) left.set(to.file, (left.get(to.file) ?? 0) + 1);
  const names = [...left].flatMap(([file, count]) => (count > 0 ? [file] : []));
  return new Set(findClashes(names, added).map(({ file }) => file));
}
