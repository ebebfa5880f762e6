/**
 * Moves as a commit's message records them, so that the history of a key goes on through them: one trailer for each, with
 * its places as JSON, or for a whole file with its two names.
 *
 *     Move: ["auth.php","failed","auth.php","login.failed"]
 *     Move: ["auth.php","login.php"]
 */
import { jsonOrUndefined } from "../json.ts";
import type { Move } from "../move.ts";
import { isFileName, type FileName } from "../names.ts";
import { toPrintableJson } from "../text.ts";

/** The moves of a commit. */
export interface MoveRecord {
  readonly strings: readonly Move[];
  /** Renamed files: all strings of a file moved to another file under the same keys, except the moves in `strings`. */
  readonly files: readonly FileMove[];
}

export interface FileMove {
  readonly from: FileName;
  readonly to: FileName;
}

export const moveTrailer = "Move";

/** The limits on the number and the length of trailers, since the history reads every message. */
const maxTrailers = 1_000;
const maxLength = 100_000;

/** The trailers for moves; none if there are too many, and readers then find the moves by comparing contents. */
export function moveTrailers({ strings, files }: MoveRecord): readonly string[] {
  if (strings.length + files.length > maxTrailers) return [];
  const trailers = [
    ...files.map(({ from, to }) => [from, to]),
    ...strings.map(({ from, to }) => [from.file, from.key, to.file, to.key]),
  ].map((names) => `${moveTrailer}: ${toPrintableJson(names)}`);
  return trailers.reduce((sum, { length }) => sum + length, 0) > maxLength ? [] : trailers;
}

const prefix = `${moveTrailer}: `;

/** Parses the moves from trailers. Lines of another form are ignored. */
export function parseMoves(trailers: string): MoveRecord {
  const strings: Move[] = [];
  const files: FileMove[] = [];
  for (const line of trailers.split("\n")) {
    if (!line.startsWith(prefix)) continue;
    const names = namesIn(line.slice(prefix.length));
    const [first = "", second = "", third = "", fourth = ""] = names;
    if (!isFileName(first)) continue;
    if (names.length === 2 && isFileName(second)) files.push({ from: first, to: second });
    else if (names.length === 4 && isFileName(third))
      strings.push({ from: { file: first, key: second }, to: { file: third, key: fourth } });
  }
  return { strings, files };
}

function namesIn(json: string): readonly string[] {
  const value = jsonOrUndefined(json);
  return Array.isArray(value) && value.every((name) => typeof name === "string") ? value : [];
}
