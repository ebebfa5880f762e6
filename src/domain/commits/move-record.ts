/**
 * Moves as a commit's message records them, so that the history of a key goes on through them: one trailer for each, with
 * its places as JSON, or for a whole file with its two names.
 *
 *     Move: ["auth.php","failed","auth.php","login.failed"]
 *     Move: ["auth.php","login.php"]
 */
import type { Move } from "../move.ts";
import { isFileName, type FileName } from "../names.ts";
import { toPrintableJson } from "../text.ts";

/** The moves of a commit. */
export interface MoveRecord {
  readonly strings: readonly Move[];
  /** Files whose strings came to another file under their keys, but those among `strings`. */
  readonly files: readonly FileMove[];
}

export interface FileMove {
  readonly from: FileName;
  readonly to: FileName;
}

export const moveTrailer = "Move";

/** The most trailers, and the most characters of them, since every message is read for the history. */
const maxTrailers = 1_000;
const maxLength = 100_000;

/** The trailers for some moves: none if they would be too many. Then they have to be found by comparing contents. */
export function moveTrailers({ strings, files }: MoveRecord): readonly string[] {
  if (strings.length + files.length > maxTrailers) return [];
  const trailers = [
    ...files.map(({ from, to }) => [from, to]),
    ...strings.map(({ from, to }) => [from.file, from.key, to.file, to.key]),
  ].map((names) => `${moveTrailer}: ${toPrintableJson(names)}`);
  return trailers.reduce((sum, { length }) => sum + length, 0) > maxLength ? [] : trailers;
}

const prefix = `${moveTrailer}: `;

/** The moves that trailers record. Lines of another form are left out. */
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
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) && value.every((name) => typeof name === "string") ? value : [];
  } catch {
    return [];
  }
}
