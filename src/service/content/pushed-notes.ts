/** The notes of a push: which it changes, and whether it may. */
import { Issues } from "../../domain/errors.ts";
import type { Move } from "../../domain/move.ts";
import type { FileName, Oid } from "../../domain/names.ts";
import { movedNotes } from "../../domain/notes/note-changes.ts";
import type { FileNotes, Notes } from "../../domain/notes/note.ts";
import { checkPushedNotes, readPushedNotes } from "../../domain/pushes/pushed-file.ts";
import type { HiveContent } from "../../domain/strings/hive-content.ts";
import type { BareRepo } from "../../git/bare-repo.ts";
import { emptyTree, filesOf, folderAt } from "../../git/objects/tree.ts";
import { inSlices } from "../../slices.ts";
import { fileOfPath } from "../../store/content/locale-files.ts";
import type { Snapshot } from "../../store/content/snapshot.ts";
import { notesFolder, notesPath } from "../../store/content/stored-notes.ts";

/** A file of notes that a push changes; undefined blobs are missing. */
export interface ChangedNoteFile {
  readonly file: FileName;
  readonly before: Oid | undefined;
  readonly blob: Oid | undefined;
}

/** The files of notes that differ between two commits. */
export function changedNoteFiles(
  base: Pick<Snapshot, "tree">,
  last: Pick<Snapshot, "tree">,
): readonly ChangedNoteFile[] {
  const [before, after] = [base, last].map(({ tree }) => {
    const blobs = new Map<FileName, Oid>();
    for (const { path, oid } of filesOf(folderAt(tree, [notesFolder]) ?? emptyTree)) {
      const file = fileOfPath(path);
      if (file !== undefined) blobs.set(file, oid);
    }
    return blobs;
  });
  return [...new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])].flatMap((file) => {
    const change = { file, before: before?.get(file), blob: after?.get(file) };
    return change.before === change.blob ? [] : [change];
  });
}

/** The push that notes are a part of. */
interface PushedBeside {
  /** The notes before it. */
  readonly base: Notes;
  /** The texts that it leaves, and where it has moved strings. */
  readonly content: Pick<HiveContent, "source">;
  readonly moves: readonly Move[];
}

/**
 * The notes as a push leaves them, those of moved strings under their new names.
 * @throws SkepError `invalid` with what is wrong with its files.
 */
export async function readNotesOfPush(
  repo: BareRepo,
  changed: readonly ChangedNoteFile[],
  { base, content, moves }: PushedBeside,
): Promise<Notes> {
  const issues = new Issues();
  const moved = movedNotes(base, moves);
  const pushed = new Map(base);
  for (const { file, blob } of changed) {
    const path = notesPath(file);
    const bytes = blob === undefined ? Buffer.of() : await repo.readBlob(blob, path);
    const notes: FileNotes | undefined =
      blob === undefined ? new Map() : await inSlices(readPushedNotes({ path, bytes }, issues));
    if (notes === undefined) continue;
    const before = [base, moved].map((all) => all.get(file) ?? new Map());
    checkPushedNotes({ path, bytes }, notes, { before, source: content.source.get(file) }, issues);
    pushed.set(file, notes);
  }
  issues.throwIfAny();
  const open = moves.filter(({ to }) => pushed.get(to.file)?.has(to.key) !== true);
  return movedNotes(pushed, open);
}
