/** Gives strings that were moved on two sides the same names on both, so that all else is compared key by key. */
import { isSameAddress, AddressMap, type Move, type StringAddress } from "../move.ts";
import { pause } from "../../slices.ts";
import type { ContentWithMarkers } from "../strings/stale.ts";
import type { Side, Sides } from "../sides.ts";
import {
  blockPlaces,
  hasString,
  withoutClashes,
  type AlignedContent,
  type Alignment,
} from "./move-clashes.ts";
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
  /** The places from and to which their side has moved strings. */
  readonly movedByTheirs?: AddressMap<true>;
}

/** Sides with the same names for the same strings, and the moves that have brought them there. */
export interface AlignedSides extends Sides<MovedContent> {
  /**
   * The ends of moves that cannot be made on our side: the string is no more, is elsewhere, or its new place is taken.
   * Nothing may be changed there.
   */
  readonly blocked: AddressMap<true>;
  readonly movedByTheirs: AddressMap<true>;
  /** The places of the strings that both sides have moved, and differently: from theirs to ours. */
  readonly movedByBoth: readonly Move[];
}

/**
 * Gives strings the same names on all sides: those that they have on ours after the moves of the other one. Moves of
 * strings that are not there any more are left out.
 * @param prefer whose name a string gets that both have moved, and differently. Without it, it is a conflict.
 */
export async function alignMoves(
  contents: Sides<AlignedContent>,
  moves: SideMoves,
  prefer?: Side,
): Promise<AlignedSides> {
  const blocked = new AddressMap<true>();
  const movedByBoth: Move[] = [];
  const movedByTheirs = new AddressMap<true>();
  for (const { from, to } of moves.inTheirs) movedByTheirs.set(from, true).set(to, true);
  const wanted = alignments(contents, moves, { prefer, blocked, movedByBoth, movedByTheirs });
  await pause();
  const separated = withoutClashes(contents, wanted);
  await pause();
  await blockPlaces(contents, separated, blocked);
  const moved = (side: keyof Sides<unknown>): Promise<MovedContent> =>
    moveContent(
      contents[side],
      separated.active.flatMap((one) => one[side] ?? []),
    );
  const [ours, base, theirs] = [await moved("ours"), await moved("base"), await moved("theirs")];
  return { ours, base, theirs, blocked, movedByTheirs, movedByBoth };
}

interface Decisions {
  readonly prefer: Side | undefined;
  readonly blocked: AddressMap<true>;
  readonly movedByTheirs: AddressMap<true>;
  readonly movedByBoth: Move[];
}

function alignments(
  contents: Sides<ContentWithMarkers>,
  { inOurs, inTheirs }: SideMoves,
  { prefer, blocked, movedByTheirs, movedByBoth }: Decisions,
): readonly Alignment[] {
  const has = hasString(contents);
  const present = new AddressMap<StringAddress>();
  const arrived = new AddressMap<true>();
  for (const { from, to } of inOurs) {
    present.set(from, to);
    arrived.set(to, true);
  }
  const wanted: Alignment[] = [];
  const seen = new AddressMap<true>();
  for (const { from: start, to: end } of inTheirs) {
    if (!has("base", start) || !has("theirs", end)) continue;
    seen.set(start, true);
    const moved = present.get(start);
    const at = moved ?? start;
    // The string is gone, or another one has taken its place.
    const isGone = !has("ours", at) || (moved === undefined && arrived.has(start));
    const movedBy: readonly Side[] = moved === undefined ? ["theirs"] : ["ours", "theirs"];
    const string = { ends: [start, at, end], movedBy };
    const toTheirs = { base: { from: start, to: end }, ...string };
    if (isSameAddress(at, end)) wanted.push(toTheirs);
    else if (isGone) block(blocked, [start, end]);
    else if (isSameAddress(at, start)) wanted.push({ ...toTheirs, ours: { from: at, to: end } });
    else {
      movedByBoth.push({ from: end, to: at });
      if (prefer === undefined) block(blocked, string.ends);
      else if (prefer === "theirs") wanted.push({ ...toTheirs, ours: { from: at, to: end } });
      else wanted.push({ base: { from: start, to: at }, theirs: { from: end, to: at }, ...string });
    }
  }
  for (const move of inOurs) {
    const { from: start, to: at } = move;
    if (seen.has(start) || !has("base", start)) continue;
    // It was deleted after its move: its key is as good as any other of one that is no more.
    if (!has("ours", at) && !has("ours", start)) continue;
    const isInTheirs = has("theirs", start) && !movedByTheirs.has(start);
    const string = { base: move, ends: [start, at], movedBy: ["ours"] } as const;
    if (isInTheirs) wanted.push({ ...string, theirs: move });
    // Without a record of it, they may have made the same move.
    else if (textAt(contents.theirs, at) === textAt(contents.base, start)) wanted.push(string);
    else wanted.push({ ...string, goneFrom: "theirs" });
  }
  return wanted;
}

function block(blocked: AddressMap<true>, ends: readonly StringAddress[]): void {
  for (const end of ends) blocked.set(end, true);
}

function textAt({ content }: ContentWithMarkers, { file, key }: StringAddress): string | undefined {
  return content.source.get(file)?.texts.get(key);
}
