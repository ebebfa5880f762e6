/** The limits of length that notes set. */
import type { LengthLimit } from "../checks/length.ts";
import type { FileNotes, Notes } from "./note.ts";
import type { FileName } from "../names.ts";

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
