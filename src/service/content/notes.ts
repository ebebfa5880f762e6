/** Lists the notes of strings, and changes the notes of the team. */
import type { HiveBranch } from "../../domain/commits/branch-name.ts";
import { subjectWithCounts } from "../../domain/commits/commit-message.ts";
import { isFileName, type FileName } from "../../domain/names.ts";
import { voiceOf } from "./comments.ts";
import { isDiscussion } from "../../domain/notes/discussion.ts";
import { withTeamNotes, type NoteCounts, type TeamChanges } from "../../domain/notes/note-changes.ts";
import { hasTag, type WantedTags } from "../../domain/notes/note-tags.ts";
import { shownNote, listedNotes, type Notes, type TeamNote } from "../../domain/notes/note.ts";
import { withPictures, type ShownNotes } from "../../domain/notes/note-lines.ts";
import { pageOf, type OffsetLimit, type Page } from "../../domain/pagination.ts";
import { differenceConflict } from "../../domain/plans/difference.ts";
import type { SourceFiles } from "../../domain/strings/hive-content.ts";
import { translatableTexts } from "../../domain/strings/string-file.ts";
import type { Snapshot } from "../../store/content/snapshot.ts";
import { checkLocales, type CommitResult, type WriteContext } from "../../store/hives/write-context.ts";
import type { ContentStorage, StorageBase } from "../storage.ts";
import { notesVersion, snapshotOf, type Versioned, readAt } from "./queries.ts";
import { notesKind } from "../../domain/notes/notes-kind.ts";
import { stringValuesChange } from "../../domain/sidecars/sidecar.ts";

export interface NoteQuery extends OffsetLimit {
  readonly file?: string;
  readonly key?: string;
  readonly tags?: WantedTags;
  /** A revision; HEAD when undefined. */
  readonly at?: string;
  readonly signal?: AbortSignal;
}

export interface ListedNotes extends ShownNotes {
  readonly file: FileName;
  readonly key: string;
}

/**
 * A page of a Hive's notes, in the order of the source.
 * @throws SkepError `invalid` on `at`; `content-invalid` when notes cannot be read.
 */
export async function listNotes(
  { hives }: StorageBase,
  branch: HiveBranch,
  { at, signal, ...query }: NoteQuery,
): Promise<Versioned<Page<ListedNotes>>> {
  const { snapshot, ...basis } = await snapshotOf(hives, branch, at, signal);
  const read = async (): Promise<Page<ListedNotes>> => {
    const notes = await readAt(at, () => snapshot.values.notes.files());
    const page = findNotes(snapshot, notes, query);
    const show = withPictures((await snapshot.pictures.readable()).pictures);
    const entries: ListedNotes[] = [];
    for (const one of page.entries) entries.push({ ...one, ...(await show(one, one)) });
    return { ...page, entries };
  };
  return { ...basis, version: notesVersion(snapshot), read };
}

function findNotes(
  { index: { source } }: Pick<Snapshot, "index">,
  notes: Notes,
  { file: onlyFile, key: onlyKey, tags, ...paging }: Omit<NoteQuery, "at" | "signal">,
): Page<ListedNotes> {
  const found: ListedNotes[] = [];
  for (const [file, strings] of source) {
    const here = notes.get(file);
    if (here === undefined || (onlyFile !== undefined && onlyFile !== file)) continue;
    for (const key of onlyKey === undefined ? translatableTexts(strings).keys() : [onlyKey]) {
      const note = listedNotes(here.get(key));
      if (note === undefined || (tags !== undefined && !hasTag(note, tags))) continue;
      found.push({ file, key, ...note });
    }
  }
  return pageOf(found, paging);
}

/** The tags of all notes of a Hive, each once, sorted. Notes that cannot be read have none. */
export async function listNoteTags(
  { hives }: StorageBase,
  branch: HiveBranch,
): Promise<Versioned<readonly string[]>> {
  const { snapshot, ...basis } = await snapshotOf(hives, branch, undefined, undefined);
  const read = async (): Promise<readonly string[]> => {
    const tags = new Set<string>();
    for (const notes of (await snapshot.values.notes.readable()).files.values())
      for (const note of notes.values()) for (const tag of shownNote(note).tags ?? []) tags.add(tag);
    return [...tags].toSorted();
  };
  return { ...basis, version: notesVersion(snapshot), read };
}

/** What a change of notes may depend on. */
interface PresentNotes {
  readonly notes: Notes;
  readonly source: SourceFiles;
}

/**
 * Changes the team's notes of strings, as one commit; nothing is written when nothing changes.
 * @param changes may be made from the present notes, under the lock.
 * @throws SkepError `forbidden` for a token that is limited to some locales, and changes more than questions and their answers;
 * `text-conflict` when a member is not as
 * expected; `content-invalid` when notes cannot be read.
 */
export function changeNotes(
  storage: ContentStorage,
  branch: HiveBranch,
  changes: TeamChanges | ((now: PresentNotes) => TeamChanges),
  context: WriteContext,
): Promise<CommitResult<NoteCounts>> {
  const voice = voiceOf(storage, context);
  return storage.writer.commit(branch, context, async ({ values, index, settings }) => {
    const hasString = ({ file, key }: { readonly file: string; readonly key: string }): boolean =>
      isFileName(file) && translatableTexts(index.source.get(file)).has(key);
    const before = await values.notes.files();
    const wanted = typeof changes === "function" ? changes({ notes: before, source: index.source }) : changes;
    const { counts, notes, conflicts } = withTeamNotes(before, wanted, hasString, voice);
    if (conflicts.length > 0) {
      const places = conflicts.map(({ file, key }) => ({ locale: settings.sourceLocale.code, file, key }));
      const problem = "Notes are not as expected, so nothing was written";
      throw differenceConflict(places, settings, problem, "expected_conflict");
    }
    const isOnlyDiscussed = Array.from(wanted.files).every(([file, keys]) =>
      [...keys.keys()].every((key) => isDiscussion(teamOf(before, file, key), teamOf(notes, file, key))),
    );
    if (!isOnlyDiscussed) checkLocales(context, undefined);
    const { created, updated, deleted } = counts;
    const metadata = {
      subject: subjectWithCounts("Change notes", { created, updated, deleted }, "no note changed"),
      operation: "note",
      counts: { ...counts },
    };
    return {
      result: counts,
      change: { metadata },
      values: [stringValuesChange(notesKind, () => notes)],
      isDiscussion: isOnlyDiscussed,
    };
  });
}

function teamOf(notes: Notes, file: string, key: string): TeamNote | undefined {
  return isFileName(file) ? notes.get(file)?.get(key)?.team : undefined;
}
