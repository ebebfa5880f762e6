/** Merges the notes of two sides of a Hive's history. */
import type { AlignedSides, Sides } from "../moves/alignment.ts";
import { mergedNotes, movedNotes, type NotePrecedence } from "../notes/note-changes.ts";
import type { Notes } from "../notes/note.ts";
import type { MarkedContent } from "../strings/stale.ts";
import { translatableTexts } from "../strings/string-file.ts";
import type { MergeConflict } from "./merge-source.ts";

/**
 * Merges notes by key and member; see {@link mergedNotes}.
 * @param aligned the sides with the same names for the same strings, by the moves of which notes get these names, too.
 */
export function mergeNotes(
  contents: Sides<MarkedContent>,
  aligned: AlignedSides,
  first: NotePrecedence,
): { readonly notes: Notes; readonly conflicts: readonly MergeConflict[] } {
  const notesOf = (side: keyof Sides<unknown>): Notes =>
    movedNotes(contents[side].notes ?? new Map(), aligned[side].moves);
  const sides = { ours: notesOf("ours"), base: notesOf("base"), theirs: notesOf("theirs") };
  const merged = mergedNotes(sides, first, (side, { file, key }) =>
    translatableTexts(aligned[side].content.source.get(file)).has(key),
  );
  const locale = contents.ours.content.settings.sourceLocale.code;
  const conflicts = merged.conflicts.map(({ file, key, member }): MergeConflict => {
    const text = (notes: Notes): string | undefined => {
      const value = notes.get(file)?.get(key)?.team?.[member];
      return typeof value === "object" ? JSON.stringify(value) : value?.toString();
    };
    const texts = { base: text(sides.base), ours: text(sides.ours), theirs: text(sides.theirs) };
    return { reason: "note", locale, file, key, member, ...texts };
  });
  return { notes: merged.notes, conflicts };
}
