/** The notes of strings: `notes/<file>.json` holds the app's notes and the team's notes of each key. */
import { isFailure, Issues, unlessInvalid } from "../../domain/errors.ts";
import type { Move } from "../../domain/move.ts";
import { storedPath, type FileName, type Oid } from "../../domain/names.ts";
import { parseStoredJson } from "../../domain/json.ts";
import { isSameFile, movedNotes, placedNotes } from "../../domain/notes/note-changes.ts";
import { formatNoteFile, parseNoteFile } from "../../domain/notes/note-files.ts";
import type { FileNotes, Notes } from "../../domain/notes/note.ts";
import { type FileWrite, sourceWrites } from "../../domain/strings/hive-content.ts";
import { toContentInvalid, UnreadablePath } from "../../git/bare-repo.ts";
import { StoredFiles, type SourceAndSettings, type CommittedTree } from "./stored-files.ts";

/** The folder of notes in a Hive's repository. */
export const notesFolder = "notes";

/** The path of a file's notes in the repository. */
export function notesPath(file: FileName): string {
  return `${notesFolder}/${storedPath(file)}`;
}

/** Notes, as far as they can be read. */
export interface ReadableNotes {
  readonly notes: Notes;
  /** The files that cannot be read; undefined where it is not known which these are. */
  readonly unreadable: ReadonlyMap<FileName, UnreadablePath> | undefined;
}

export class StoredNotes {
  readonly #source: CommittedTree;
  readonly #files: StoredFiles<FileNotes | UnreadablePath>;

  /** @param previous the notes at another commit; blobs that it has read are not read again. */
  constructor(source: CommittedTree, previous?: StoredNotes) {
    this.#source = source;
    this.#files = new StoredFiles(source, readNoteFile, previous === undefined ? undefined : previous.#files);
  }

  /** The object name of their folder: as long as it is the same, they are. */
  get version(): Oid {
    return this.#files.folder([notesFolder]);
  }

  /** @throws SkepError `content-invalid` when a file of them cannot be read. */
  async read(): Promise<Notes> {
    const { notes, unreadable } = await this.#readAll();
    const [first] = unreadable.values();
    if (first !== undefined) throw toContentInvalid(this.#source.commit, first);
    return notes;
  }

  /** Reads what can be read: notes stand in nothing's way but their own. */
  async readable(): Promise<ReadableNotes> {
    return (await unlessInvalid(this.#readAll())) ?? { notes: new Map(), unreadable: undefined };
  }

  async #readAll() {
    const notes = new Map<FileName, FileNotes>();
    const unreadable = new Map<FileName, UnreadablePath>();
    for (const [file, content] of await this.#files.read([notesFolder])) {
      if (content instanceof UnreadablePath) unreadable.set(file, content);
      else notes.set(file, content);
    }
    return { notes, unreadable };
  }
}

async function readNoteFile(
  readBlob: () => Promise<Uint8Array>,
  path: string,
): Promise<FileNotes | UnreadablePath> {
  try {
    const issues = new Issues();
    const notes = await parseNoteFile(parseStoredJson(await readBlob()), issues);
    issues.throwIfAny();
    return notes;
  } catch (cause) {
    if (cause instanceof UnreadablePath) return cause;
    const isContent =
      cause instanceof SyntaxError || cause instanceof TypeError || isFailure(cause, "invalid");
    if (isContent) return new UnreadablePath(path, { cause });
    throw cause;
  }
}

/** The notes of one file as a commit leaves them; `undefined` removes the blob. */
export interface NotesWrite {
  readonly file: FileName;
  readonly text: string | undefined;
}

/** The files of notes that a commit changes. */
export interface ChangedNotes {
  readonly writes: readonly NotesWrite[];
  /** Whether they change nothing but places in the app's code. */
  readonly changesOnlyPlaces: boolean;
}

/**
 * The files of notes that a change writes: notes move with their strings, and go with them. A file that cannot be read
 * stays as it is.
 * @param change what else becomes of the notes after the moves; undefined for nothing.
 * @param writes the files that the change writes.
 */
export async function changedNotes(
  { notes: stored, index, settings }: SourceAndSettings & { readonly notes: StoredNotes },
  moves: readonly Move[],
  change: ((notes: Notes) => Notes) | undefined,
  writes: readonly FileWrite[],
): Promise<ChangedNotes> {
  const sources = sourceWrites(settings, writes);
  const nothing = { writes: [], changesOnlyPlaces: true };
  if (moves.length === 0 && sources.size === 0 && change === undefined) return nothing;
  const { notes: before, unreadable } = await stored.readable();
  if (unreadable === undefined) return nothing;
  const moved = movedNotes(before, moves);
  const after = change === undefined ? moved : change(moved);
  const changed: NotesWrite[] = [];
  let changesOnlyPlaces = true;
  for (const file of new Set([...before.keys(), ...after.keys()])) {
    const [was, is] = [before.get(file), after.get(file)];
    if (unreadable.has(file) || (was === is && !sources.has(file))) continue;
    const left = placedNotes(is, sources.has(file) ? sources.get(file) : index.source.get(file));
    if (isSameFile(was, left, { withPlaces: true })) continue;
    if (!isSameFile(was, left, { withPlaces: false })) changesOnlyPlaces = false;
    changed.push({ file, text: formatNoteFile(left) });
  }
  return { writes: changed, changesOnlyPlaces };
}
