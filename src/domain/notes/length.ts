/** Limits of length: which there are, and whether a translation keeps to them. */
import type { CheckFinding } from "../checks/message.ts";
import type { FileNotes, lengthUnits, Notes } from "./note.ts";
import type { FileName } from "../names.ts";

interface LengthLimit {
  readonly most: number;
  readonly unit: (typeof lengthUnits)[number];
}

/** The limits in one file, by key. */
export type FileLimits = ReadonlyMap<string, LengthLimit>;
/** The files that have limits. */
export type Limits = ReadonlyMap<FileName, FileLimits>;

const known = new WeakMap<FileNotes, FileLimits>();

/** The limits that notes set; those of a file are the same object as long as its notes are. */
export function limitsOf(notes: Notes): Limits {
  const limits = new Map<FileName, FileLimits>();
  for (const [file, keys] of notes) {
    const own = known.get(keys) ?? limitsIn(keys);
    known.set(keys, own);
    if (own.size > 0) limits.set(file, own);
  }
  return limits;
}

function limitsIn(notes: FileNotes): FileLimits {
  const limits = new Map<string, LengthLimit>();
  for (const [key, { app, team }] of notes) {
    const most = team?.max_length ?? app?.max_length;
    if (most === undefined) continue;
    limits.set(key, { most, unit: team?.max_length_unit ?? app?.max_length_unit ?? "characters" });
  }
  return limits;
}

/** Finds a translation that is too long. Only people know whether it still fits, so it is a warning. */
export function checkLength({ most, unit }: LengthLimit, text: string): readonly CheckFinding[] {
  const length = lengthOf(text, unit, most);
  if (length <= most) return [];
  const expected = `at most ${most} ${most === 1 ? unit.slice(0, -1) : unit}`;
  return [
    {
      check: "length",
      severity: "warning",
      message: `has ${length} ${unit}, and may have ${expected}`,
      expected,
    },
  ];
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
/** What takes two columns of a terminal. */
const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{20000}-\u{3fffd}]/u;

/** A text that is far too long is not counted to its end. */
const mostCounted = 20_000;

function lengthOf(text: string, unit: LengthLimit["unit"], most: number): number {
  const isWide = unit === "columns" && wide.test(text);
  // A character that a reader counts is at least one unit of UTF-16.
  if (text.length * (isWide ? 2 : 1) <= most || text.length > mostCounted) return text.length;
  let length = 0;
  for (const { segment } of graphemes.segment(text)) length += isWide && wide.test(segment) ? 2 : 1;
  return length;
}
