/** Moves of single strings as a record that is as short as possible, and back. */
import type { FileMove, MoveRecord } from "../commits/commit-message.ts";
import { AddressMap, type Move } from "../move.ts";
import { groupBy } from "../group-by.ts";
import { pause } from "../../slices.ts";
import { withWrites, type FileWrite, type HiveContent, type SourceFiles } from "../strings/hive-content.ts";

/** Records moves: all of a file to another one under their keys as one. */
export async function recordOf(
  moves: readonly Move[],
  hive: HiveContent,
  writes: readonly FileWrite[],
): Promise<MoveRecord> {
  const before = hive.source;
  const after = withWrites(hive, writes).source;
  const strings: Move[] = [];
  const files: FileMove[] = [];
  for (const some of groupBy(moves, ({ from, to }) => `${from.file}/\0${to.file}`).values()) {
    await pause();
    const [first] = some;
    if (first === undefined) continue;
    const whole = { from: first.from.file, to: first.to.file };
    const others = some.filter(({ from, to }) => from.key !== to.key);
    const leaving = new Set(some.map(({ from }) => from.key));
    let isWhole = some.length - others.length > 1 && whole.from !== whole.to;
    for (const key of before.get(whole.from)?.texts.keys() ?? []) {
      if (!leaving.has(key) && after.get(whole.to)?.texts.has(key) === true) isWhole = false;
    }
    if (isWhole) files.push(whole);
    // No spread: arguments lie on the stack, which has no room for those of a large file.
    for (const move of isWhole ? others : some) strings.push(move);
  }
  return { strings, files };
}

/** The moves that a commit recorded, those of whole files string by string. */
export async function movesOfRecord(
  { strings, files }: MoveRecord,
  before: SourceFiles,
  after: SourceFiles,
): Promise<readonly Move[]> {
  const moves = [...strings];
  const leaving = new AddressMap<true>();
  const arriving = new AddressMap<true>();
  for (const { from, to } of strings) {
    leaving.set(from, true);
    arriving.set(to, true);
  }
  for (const { from, to } of files) {
    await pause();
    for (const key of before.get(from)?.texts.keys() ?? []) {
      const move = { from: { file: from, key }, to: { file: to, key } };
      if (leaving.has(move.from) || arriving.has(move.to)) continue;
      if (after.get(to)?.texts.has(key) === true) moves.push(move);
    }
  }
  return moves;
}
