/**
 * The trash: repositories that are no Hive's any more, `trash/<id>.git`. The team that had one is written into it
 * before it is taken out of the team's list, so that a deletion or a restoration which is cut off in the middle
 * leaves nothing behind that cannot be told whose it is.
 */
import { join } from "node:path";
import { isHiveSlug, type HiveSlug, type TeamName } from "../../domain/names.ts";
import { parseTrashId, toTrashId, type TrashEntry, type TrashId } from "../../domain/hives/trash.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { formatDeletion, parseDeletion } from "../settings/settings-files.ts";

const suffix = ".git";
const notePath = "skep-deleted.yaml";

/** What is in the folder. */
export interface TrashContent {
  readonly entries: readonly TrashEntry[];
  /** The names of what Skep did not put there. */
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

  /** Everything in it, the longest there first. */
  async read(): Promise<TrashContent> {
    const reading: Promise<TrashEntry>[] = [];
    const foreign: string[] = [];
    for (const name of await this.#fs.list(this.#folder)) {
      const entry = name.endsWith(suffix) ? parseTrashId(name.slice(0, -suffix.length)) : undefined;
      if (entry !== undefined) reading.push(this.#withTeam(entry));
      else if (!name.startsWith(removedPrefix)) foreign.push(name);
    }
    const entries = await Promise.all(reading);
    return { entries: entries.toSorted((one, other) => one.deleted - other.deleted), foreign };
  }

  async #withTeam(entry: TrashEntry): Promise<TrashEntry> {
    const team = await this.teamOf(this.folderOf(entry.id));
    return team === undefined ? entry : { ...entry, team };
  }

  /** The team from which a repository was taken last, as far as that can be read. */
  async teamOf(gitdir: string): Promise<TeamName | undefined> {
    const note = await this.#fs.readText(join(gitdir, notePath));
    return note === undefined ? undefined : parseDeletion(note);
  }

  /** The slugs of the repositories in a folder that were taken from a team once. */
  async notedIn(folder: string): Promise<readonly HiveSlug[]> {
    const names = (await this.#fs.list(folder)).filter((name) => name.endsWith(suffix));
    const slugs = names.map((name) => name.slice(0, -suffix.length)).filter(isHiveSlug);
    const teams = await Promise.all(slugs.map((slug) => this.teamOf(join(folder, slug + suffix))));
    return slugs.filter((_, i) => teams[i] !== undefined);
  }

  /** Notes in a repository which team it is about to be taken from. */
  async note(gitdir: string, team: TeamName): Promise<void> {
    await this.#fs.write(join(gitdir, notePath), formatDeletion(team));
  }

  /**
   * Moves a repository here.
   * @param now in milliseconds since 1970.
   * @returns where it is then.
   */
  async put(slug: HiveSlug, gitdir: string, now: number): Promise<string> {
    await this.#fs.makeFolder(this.#folder);
    let time = now;
    const path = (): string => join(this.#folder, toTrashId(slug, time) + suffix);
    while (await this.#fs.isFolder(path())) time++;
    await this.#fs.moveFolder(gitdir, path());
    return path();
  }

  /** Moves a repository out of here; nothing may be in its new place. */
  async take(id: TrashId, to: string): Promise<void> {
    await this.#fs.moveFolder(this.folderOf(id), to);
  }

  /** Removes an entry for good; one that is not there is fine. */
  async remove(id: TrashId): Promise<void> {
    if (!(await this.#fs.isFolder(this.folderOf(id)))) return;
    // Half a repository cannot be restored.
    const aside = join(this.#folder, removedPrefix + id);
    await this.#fs.removeFolder(aside);
    await this.#fs.moveFolder(this.folderOf(id), aside);
    await this.#fs.removeFolderInUse(aside);
  }
}

/** How the folders of what is being removed begin. */
const removedPrefix = ".old-";
