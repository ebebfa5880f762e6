/**
 * The trash: the repositories of deleted Hives. Before a team's list drops a Hive, a note with the team and its published
 * channels is written into the repository, so that both are known even after an interrupted deletion or restoration.
 */
import type { HeldLock } from "../../disk/held-lock.ts";
import { parseTrashId, type TrashEntry, type TrashId } from "../../domain/hives/trash.ts";
import type { HiveSlug } from "../../domain/names.ts";
import type { TrashedRepositories } from "../record/record.ts";
import { deletionForm, type Deletion } from "../settings/settings-files.ts";
import { InvalidSettings } from "../settings/stored-settings.ts";

/** A deleted Hive, and its deletion note, if it has one that can be read. */
export interface DeletedHive extends TrashEntry {
  readonly note?: Deletion;
}

export interface TrashContent {
  /** The oldest deletion first. */
  readonly entries: readonly DeletedHive[];
  /** The names of files and folders that Skep did not put there. */
  readonly foreign: readonly string[];
}

export class Trash {
  readonly repositories: TrashedRepositories;

  constructor(repositories: TrashedRepositories) {
    this.repositories = repositories;
  }

  async read(): Promise<TrashContent> {
    const { repositories, foreign } = await this.repositories.list();
    const entries = repositories.flatMap(({ id, note: text }): DeletedHive[] => {
      const entry = parseTrashId(id);
      const note = toDeletion(text);
      return entry === undefined ? [] : [{ ...entry, ...(note && { team: note.team, note }) }];
    });
    return { entries: entries.toSorted((one, other) => one.deleted - other.deleted), foreign };
  }

  /** The Hives whose repositories are in their places and have a deletion note. */
  async notedHives(): Promise<readonly HiveSlug[]> {
    const notes = await this.repositories.notedHives();
    return Array.from(notes).flatMap(([slug, note]) => (toDeletion(note) === undefined ? [] : [slug]));
  }

  /** See {@link TrashedRepositories.noteHive}. */
  noteHive(slug: HiveSlug, deletion: Deletion, lock: HeldLock): Promise<void> {
    return this.repositories.noteHive(slug, deletionForm.format(deletion), lock);
  }

  /** See {@link TrashedRepositories.note}. */
  note(id: TrashId, deletion: Deletion, lock: HeldLock): Promise<void> {
    return this.repositories.note(id, deletionForm.format(deletion), lock);
  }
}

/** A deletion note; undefined when there is none that can be read. */
function toDeletion(text: string | undefined): Deletion | undefined {
  try {
    return text === undefined ? undefined : deletionForm.parse(text);
  } catch (error) {
    if (error instanceof InvalidSettings) return undefined;
    throw error;
  }
}
