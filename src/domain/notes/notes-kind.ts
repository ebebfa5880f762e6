/** Notes as values beside strings, in `notes/<file>.json`. */
import type { Sidecar } from "../sidecars/sidecar.ts";
import { isSameNotes, withoutPlaces } from "./note-changes.ts";
import { fromStored, toStoredNotes } from "./note-files.ts";
import { excessOf, storedNotesSchema } from "./note-schema.ts";
import type { StringNotes } from "./note.ts";

export const notesKind: Sidecar<StringNotes> = {
  folder: "notes",
  by: "string",
  countsByText: false,
  isOptional: true,
  words: ["note", "without a source string"],
  parse(stored) {
    const excess = excessOf(stored);
    if (excess !== undefined) throw new TypeError(excess.join(" "));
    return fromStored(storedNotesSchema.parse(stored));
  },
  toJson: toStoredNotes,
  isSame: isSameNotes,
  counts: (_, { source }) => source !== undefined,
  // Positions in the app's code change all the time.
  isTrivial: (before, after) => isSameNotes(withoutPlaces(before), withoutPlaces(after)),
};
