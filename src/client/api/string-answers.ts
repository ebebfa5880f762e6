/**
 * The declared requests about strings and their notes, with the members of answers that the client reads. Reports print what
 * is read; a dry run says more.
 */
import type { z } from "zod";
import { findingMembers } from "../../api/content/findings.ts";
import type { notes } from "../../api/content/notes.ts";
import { lengthUnits } from "../../domain/checks/length.ts";
import { withoutUndefined, type StringNotes, type TeamNote } from "../../domain/notes/note.ts";
import { once } from "../../on-demand.ts";
import type { Read } from "./as-read.ts";

/** The requests that change source strings. */
export const stringWrites = once(async () => {
  const { strings } = await import("../../api/content/strings.ts");
  const { previewMembers } = await import("../../api/content/preview.ts");
  const { importStrings, syncStrings, moveStrings } = strings.operations;
  const { warnings } = previewMembers;
  const imported = importStrings.response.pick({ created: true, updated: true, unchanged: true });
  const synced = syncStrings.response.omit({ leaves_skipped: true });
  return {
    importStrings: { ...importStrings, response: imported.extend({ warnings }) },
    syncStrings: { ...syncStrings, response: synced.extend({ ...findingMembers, warnings }) },
    moveStrings: { ...moveStrings, response: moveStrings.response.extend({ warnings }) },
  };
});
type Writes = Awaited<ReturnType<typeof stringWrites>>;

export type ImportResult = Read<z.output<Writes["importStrings"]["response"]>>;
export type SyncResult = Read<z.output<Writes["syncStrings"]["response"]>>;
export type MovesResult = Read<z.output<Writes["moveStrings"]["response"]>>;

/** A string with notes as the list of them has it, with all that a server says of it. */
export const notedStrings = once(async () => {
  const { notes: declared } = await import("../../api/content/notes.ts");
  const { listNotes } = declared.operations;
  return { listNotes, noted: listNotes.response.shape.data.element.loose() };
});

export type NotedString = Read<z.output<Awaited<ReturnType<typeof notedStrings>>["noted"]>>;

type NotesOfString = Pick<
  Read<z.output<(typeof notes.operations.listNotes)["response"]>>["data"][number],
  "app" | "team"
>;

/** Notes without the part that is missing. */
export function toStringNotes({ app, team }: NotesOfString): StringNotes {
  return { ...(app && { app: toNote(app) }), ...(team && { team: toNote(team) }) };
}

/** A note in the order in which it is shown, without a length in units that only a newer server knows. */
function toNote({ note, ask, ...others }: NonNullable<NotesOfString["team"]>): TeamNote {
  const unit = lengthUnits.find((one) => one === others.max_length_unit);
  const isKnown = unit !== undefined || others.max_length_unit === undefined;
  const length = isKnown ? others.max_length : undefined;
  return withoutUndefined({ note, ask, ...others, max_length: length, max_length_unit: unit }) ?? {};
}
