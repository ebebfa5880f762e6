/** Follows a key through the moves of a history, in both directions. */
import type { MoveRecord } from "../commits/commit-message.ts";
import type { Move, StringAddress } from "../move.ts";
import type { FileName } from "../names.ts";

export interface MovesAt {
  readonly position: number;
  readonly record: MoveRecord;
}

/** A key, and the positions of the first and the last commit between which it is followed. */
export interface KeyRange {
  /** Undefined for a key in all files. */
  readonly file: FileName | undefined;
  readonly key: string;
  readonly first: number;
  readonly last: number;
}

export interface RenameHistory {
  /** The requested key through the whole history, then the keys that the string had before and after moves. */
  readonly ranges: readonly KeyRange[];
  readonly moves: ReadonlyMap<number, readonly Move[]>;
}

/** How many moves are followed. Only a key that is moved back and forth has more. */
const maxFollowed = 64;

type Direction = "from" | "to";

/**
 * Follows a key: forward from each move away from it, and backward from each move to it. A string that another one replaced
 * under its key is not followed.
 * @param history the moves of a line, oldest first.
 */
export function renameHistoryOf(
  start: Pick<KeyRange, "file" | "key">,
  history: readonly MovesAt[],
): RenameHistory {
  const ranges: KeyRange[] = [{ ...start, first: 0, last: Infinity }];
  const moves = new Map<number, Move[]>();
  let followed = 0;
  const follow = (move: Move, position: number, towards: Direction): void => {
    if (followed++ >= maxFollowed) return;
    const some = moves.get(position) ?? [];
    moves.set(position, [...some, move]);
    const isLater = towards === "to";
    const rest = history.filter((one) => (isLater ? one.position > position : one.position < position));
    const place = move[towards];
    let next: { readonly move: Move; readonly position: number } | undefined;
    for (const one of isLater ? rest : rest.toReversed()) {
      const [found] = movesAt(one.record, isLater ? "from" : "to", place);
      if (found === undefined) continue;
      next = { move: found, position: one.position };
      break;
    }
    const end = next?.position ?? (isLater ? Infinity : 0);
    ranges.push(
      isLater ? { ...place, first: position, last: end } : { ...place, first: end, last: position },
    );
    if (next !== undefined) follow(next.move, next.position, towards);
  };
  for (const { position, record } of history) {
    for (const move of movesAt(record, "from", start)) follow(move, position, "to");
    for (const move of movesAt(record, "to", start)) follow(move, position, "from");
  }
  return { ranges, moves };
}

function movesAt(
  { strings, files }: MoveRecord,
  end: Direction,
  { file, key }: { readonly file?: FileName; readonly key: string },
): readonly Move[] {
  const isThere = (place: StringAddress): boolean =>
    place.key === key && (file === undefined || place.file === file);
  const found = strings.filter((move) => isThere(move[end]));
  // A key in all files is the same one in a file with another name.
  if (file === undefined || found.length > 0) return found;
  const whole = files.filter((one) => one[end] === file);
  return whole.map(({ from, to }) => ({ from: { file: from, key }, to: { file: to, key } }));
}
