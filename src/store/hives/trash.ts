/**
 * The trash: the repositories of deleted Hives, `trash/<id>.git`. A note with the team, and with what it
 * published, is written into a repository before the team's list drops it, so that both are known even after an
 * interrupted deletion or restoration.
 */
import { join } from "node:path";
import { isHiveSlug, type HiveSlug } from "../../domain/names.ts";
import { parseTrashId, toTrashId, type TrashEntry, type TrashId } from "../../domain/hives/trash.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { deletionForm, type Deletion } from "../settings/settings-files.ts";
import { InvalidSettings } from "../settings/stored-settings.ts";

const suffix = ".git";
const notePath = "skep-deleted.yaml";

/** The content of the trash folder. */
export interface TrashContent {
  readonly entries: readonly TrashEntry[];
  /** The names of files and folders that Skep did not put there. */
  readonly foreign: readonly string[];
}

export class Trash {
  readonly #fs: DurableFs;
  readonly #folder: string;

  constructor(fs: DurableFs, folder: string) {
    this.#fs = fs;
    this.#folder = folder;
  }

  /** The repository of an entry. */
  folderOf(id: TrashId): string {
    return join(this.#folder, id + suffix);
  }

  /** The repositories that were deleted under a slug. */
  async foldersOf(slug: HiveSlug): Promise<readonly string[]> {
    const ids = (await this.#fs.list(this.#folder)).flatMap((name) => entryOf(name) ?? []);
    return ids.filter((entry) => entry.slug === slug).map(({ id }) => this.folderOf(id));
  }

  /** All entries, the oldest deletion first. */
  async read(): Promise<TrashContent> {
    const reading: Promise<TrashEntry>[] = [];
    const foreign: string[] = [];
    for (const name of await this.#fs.list(this.#folder)) {
      const entry = entryOf(name);
      if (entry !== undefined) reading.push(this.#withTeam(entry));
      else if (!name.startsWith(removedPrefix)) foreign.push(name);
    }
    const entries = await Promise.all(reading);
    return { entries: entries.toSorted((one, other) => one.deleted - other.deleted), foreign };
  }

  async #withTeam(entry: TrashEntry): Promise<TrashEntry> {
    const note = await this.noteIn(this.folderOf(entry.id));
    return note === undefined ? entry : { ...entry, team: note.team };
  }

  /** A repository's deletion note; undefined when there is none that can be read. */
  async noteIn(gitdir: string): Promise<Deletion | undefined> {
    const note = await this.#fs.readText(join(gitdir, notePath));
    try {
      return note === undefined ? undefined : deletionForm.parse(note);
    } catch (error) {
      if (error instanceof InvalidSettings) return undefined;
      throw error;
    }
  }

  /** The slugs of the repositories in a folder that have a deletion note. */
  async notedIn(folder: string): Promise<readonly HiveSlug[]> {
    const names = (await this.#fs.list(folder)).filter((name) => name.endsWith(suffix));
    const slugs = names.map((name) => name.slice(0, -suffix.length)).filter(isHiveSlug);
    const notes = await Promise.all(slugs.map((slug) => this.noteIn(join(folder, slug + suffix))));
    return slugs.filter((_, i) => notes[i] !== undefined);
  }

  /** Writes the deletion note into a repository. */
  async note(gitdir: string, deletion: Deletion): Promise<void> {
    await this.#fs.write(join(gitdir, notePath), deletionForm.format(deletion));
  }

  /**
   * Moves a repository to the trash.
   * @param now in milliseconds since 1970.
   * @returns its new path.
   */
  async put(slug: HiveSlug, gitdir: string, now: number): Promise<string> {
    await this.#fs.makeFolder(this.#folder);
    let time = now;
    const path = (): string => join(this.#folder, toTrashId(slug, time) + suffix);
    while (await this.#fs.isFolder(path())) time++;
    await this.#fs.moveFolder(gitdir, path());
    return path();
  }

  /** Moves a repository out of the trash; nothing may be at its new path. */
  async take(id: TrashId, to: string): Promise<void> {
    await this.#fs.moveFolder(this.folderOf(id), to);
  }

  /** Removes an entry for good, if it exists. */
  async remove(id: TrashId): Promise<void> {
    if (!(await this.#fs.isFolder(this.folderOf(id)))) return;
    // Renamed first, because a half-removed repository must not be restored.
    const aside = join(this.#folder, removedPrefix + id);
    await this.#fs.removeFolder(aside);
    await this.#fs.moveFolder(this.folderOf(id), aside);
    await this.#fs.removeFolderInUse(aside);
  }
}

/** The entry whose repository a folder is by its name. */
function entryOf(name: string): TrashEntry | undefined {
  return name.endsWith(suffix) ? parseTrashId(name.slice(0, -suffix.length)) : undefined;
}

/** The prefix of folders that are being removed. */
const removedPrefix = ".old-";
