/** Finds problems in the notes of a Hive. */
import { placedNotes } from "../../domain/notes/note-changes.ts";
import { formatNoteFile } from "../../domain/notes/note-files.ts";
import { counted } from "../../domain/text.ts";
import type { Snapshot } from "../content/snapshot.ts";
import { notesFolder, notesPath, type NotesWrite } from "../content/stored-notes.ts";

/** Notes that cannot be read, or have no string. */
export interface MisplacedNotes {
  readonly problem: string;
  /** What mends it; undefined where that could lose something. */
  readonly write: NotesWrite | undefined;
}

export async function findMisplacedNotes({
  notes: stored,
  index,
}: Pick<Snapshot, "notes" | "index">): Promise<readonly MisplacedNotes[]> {
  const { notes, unreadable } = await stored.readable();
  if (unreadable === undefined) return [{ problem: `${notesFolder} cannot be read`, write: undefined }];
  const found: MisplacedNotes[] = Array.from(unreadable.keys(), (file) => ({
    problem: `${notesPath(file)} cannot be read`,
    write: undefined,
  }));
  for (const [file, keys] of notes) {
    const placed = placedNotes(keys, index.source.get(file));
    if (placed.size > 0 && placed.size === keys.size) continue;
    const without = counted(keys.size - placed.size, "note");
    const problem = `${notesPath(file)} holds ${without} without a source string`;
    found.push({ problem, write: { file, text: formatNoteFile(placed) } });
  }
  return found;
}
