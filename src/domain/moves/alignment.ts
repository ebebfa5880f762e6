/**
 * Brings moves together that were made on two sides of a difference: the start of the difference, its end, and the content
 * that it is applied to get the same names for the same strings, so that all else is compared key by key.
 */
import { isSameAddress, AddressMap, type Move, type StringAddress } from "../move.ts";
import { findClashes, type FileName } from "../names.ts";
import { isStepDone, type Steps } from "../steps.ts";
import type { HiveContent, SourceFiles } from "../strings/hive-content.ts";
import { moveContent, type MovedContent } from "./moved-content.ts";

/** The difference from one content of a Hive to another, and the content to which it is applied. */
export interface ThreeContents {
  readonly now: HiveContent;
  readonly from: HiveContent;
  readonly to: HiveContent;
}

/** Where strings of the start of a difference are by now, and where they are at its end. */
export interface DifferenceMoves {
  readonly inNow: readonly Move[];
  readonly inTo: readonly Move[];
  /** Whose name a string gets that both have moved, and differently. Without it, it is a conflict. */
  readonly prefer?: "now" | "to";
}

/** The contents of a difference, with the same names for the same strings. */
export interface AlignedContents extends ThreeContents {
  /** The moves that the difference makes in `now`, and what they do to it. */
  readonly moved: MovedContent;
  /** What was done to the start of the difference, and to its end. */
  readonly movedFrom: MovedContent;
  readonly movedTo: MovedContent;
  /**
   * The places of strings whose moves cannot be made: the string is no more, is elsewhere, or its new place is taken.
   * Nothing may be changed there.
   */
  readonly blocked: AddressMap<true>;
}

type Side = "now" | "from" | "to";
const sides: readonly Side[] = ["now", "from", "to"];

/** What is done about one string: its move in each of the contents. */
interface Alignment {
  readonly now?: Move;
  readonly from?: Move;
  readonly to?: Move;
  /** Where its move by the difference would be, if that cannot be made. */
  readonly ends: readonly StringAddress[];
}

/**
 * Aligns the contents of a difference. Moves of strings that are not there any more are left out.
 * @param contents where `moves` start at `from`.
 */
export function* alignMoves(contents: ThreeContents, moves: DifferenceMoves): Steps<AlignedContents> {
  const blocked = new AddressMap<true>();
  const wanted = yield* alignments(contents, moves, blocked);
  const active = yield* withoutClashes(contents, wanted, blocked);
  const of = (side: Side): readonly Move[] =>
    active.flatMap((one) => {
      const move = one[side];
      return move === undefined ? [] : [move];
    });
  const moved = yield* moveContent(contents.now, of("now"));
  const movedFrom = yield* moveContent(contents.from, of("from"));
  const movedTo = yield* moveContent(contents.to, of("to"));
  return {
    now: moved.content,
    from: movedFrom.content,
    to: movedTo.content,
    moved,
    movedFrom,
    movedTo,
    blocked,
  };
}

function* alignments(
  { now, from, to }: ThreeContents,
  { inNow, inTo, prefer }: DifferenceMoves,
  blocked: AddressMap<true>,
): Steps<readonly Alignment[]> {
  const present = new AddressMap<StringAddress>();
  const arrived = { now: new AddressMap<true>(), to: new AddressMap<true>() };
  for (const move of inNow) present.set(move.from, move.to);
  for (const move of inNow) arrived.now.set(move.to, true);
  for (const move of inTo) arrived.to.set(move.to, true);
  const wanted: Alignment[] = [];
  const seen = new AddressMap<true>();
  for (const { from: start, to: end } of inTo) {
    if (isStepDone()) yield;
    if (!has(from.source, start) || !has(to.source, end)) continue;
    seen.set(start, true);
    const moved = present.get(start);
    const at = moved ?? start;
    const ends = [start, end];
    // Another string stands where one was that has gone.
    const isGone = !has(now.source, at) || (moved === undefined && arrived.now.has(start));
    if (isSameAddress(at, end)) wanted.push({ from: { from: start, to: end }, ends });
    else if (isGone) block(blocked, ends);
    else if (isSameAddress(at, start) || prefer === "to") {
      wanted.push({ from: { from: start, to: end }, now: { from: at, to: end }, ends });
    } else if (prefer === "now") {
      wanted.push({ from: { from: start, to: at }, to: { from: end, to: at }, ends });
    } else block(blocked, ends);
  }
  for (const { from: start, to: at } of inNow) {
    if (isStepDone()) yield;
    if (seen.has(start) || !has(from.source, start)) continue;
    const move = { from: start, to: at };
    const isInTo = has(to.source, start) && !arrived.to.has(start);
    wanted.push({ from: move, to: isInTo ? move : undefined, ends: [] });
  }
  return wanted;
}

function block(blocked: AddressMap<true>, ends: readonly StringAddress[]): void {
  for (const end of ends) blocked.set(end, true);
}

function has(source: SourceFiles, { file, key }: StringAddress): boolean {
  return source.get(file)?.texts.has(key) === true;
}

/** Those that can be made together: whose new places are free in each content, or become so by another's move. */
function* withoutClashes(
  contents: ThreeContents,
  wanted: readonly Alignment[],
  blocked: AddressMap<true>,
): Steps<readonly Alignment[]> {
  const dropped = new Set<Alignment>();
  const leaving = { now: new AddressMap<true>(), from: new AddressMap<true>(), to: new AddressMap<true>() };
  const arriving = {
    now: new AddressMap<Alignment>(),
    from: new AddressMap<Alignment>(),
    to: new AddressMap<Alignment>(),
  };
  const waiting: (readonly [Alignment, Side])[] = [];
  for (const one of wanted) {
    if (isStepDone()) yield;
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
      if (why === "now") block(blocked, one.ends);
      for (const side of sides) {
        const move = one[side];
        if (move === undefined) continue;
        // Its string stays, so that no other may come there.
        const other = arriving[side].get(move.from);
        if (other !== undefined) waiting.push([other, why]);
      }
    }
  }
  for (const one of wanted) {
    if (isStepDone()) yield;
    for (const side of sides) {
      const move = one[side];
      if (move === undefined || leaving[side].has(move.to)) continue;
      // A string that cannot be moved away stays in the way.
      const why = blocked.has(move.to) ? "now" : side;
      if (has(contents[side].source, move.to)) waiting.push([one, why]);
    }
  }
  drop();
  for (;;) {
    const clashing = newFileClashes(
      contents.now.source,
      wanted.flatMap((one) => (one.now === undefined || dropped.has(one) ? [] : [one.now])),
    );
    if (clashing.size === 0) return wanted.filter((one) => !dropped.has(one));
    for (const one of wanted) {
      if (one.now !== undefined && clashing.has(one.now.to.file)) waiting.push([one, "now"]);
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
  return new Set(Array.from(findClashes(names, added), ({ file }) => file));
}
