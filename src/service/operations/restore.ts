/** Restores a backup into an empty storage. */
import { failure } from "../../domain/errors.ts";
import type { Storage } from "../storage.ts";
import { verify, type Found } from "./verify.ts";

export interface Restored {
  /** When the backup was begun. */
  readonly time: string;
  readonly teams: number;
  readonly tokens: number;
  readonly hives: number;
  /** Problems of the backup's content. */
  readonly problems: readonly Found[];
  /** False when there were problems, and the storage is still empty. */
  readonly done: boolean;
}

export interface RestoreOptions {
  /** Whether to restore content with problems, too. */
  readonly force: boolean;
}

/**
 * Restores a backup into an empty storage, as a whole or not at all. The backup's folder is only read. Everything is
 * verified as by `skep verify` before it is moved into place.
 * @throws SkepError `conflict` when the storage is not empty; `not-found` when the folder holds no complete backup;
 * `content-invalid` when it cannot be read; `disk-full`.
 */
export async function restore(storage: Storage, path: string, { force }: RestoreOptions): Promise<Restored> {
  const source = storage.backupFolder(path);
  const backup = await source.read();
  if (backup === undefined) throw failure("not-found", "This folder holds a backup that was not completed.");
  const { restoration } = storage;
  const problems: Found[] = [];
  const done = await restoration.fill(async () => {
    const target = storage.backupFolder(restoration.aside);
    for (const slug of backup.hives.keys()) await target.copyHive(slug, source.folderOf(slug));
    await target.layOut(backup);
    for await (const found of verify(storage.open(restoration.aside), { repair: false }))
      problems.push(found);
    if (!force && problems.length > 0) return false;
    // A storage without teams may have refused somebody already, so that these entries are added to its own.
    await storage.open(path).audit.copyTo(storage.folder);
    return true;
  });
  const count = (folder: string): number =>
    [...backup.settings.keys()].filter((file) => file.startsWith(`${folder}/`)).length;
  const { time, hives } = backup;
  return { time, teams: count("teams"), tokens: count("tokens"), hives: hives.size, problems, done };
}
