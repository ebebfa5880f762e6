/** Brings a storage from its folder, or from a backup, into a database, and back. */
import nodeFs from "node:fs";
import { resolve } from "node:path";
import { DurableFs } from "../../disk/durable-fs.ts";
import { formatOverview } from "../../store/content/hive-cache.ts";
import type { DatabaseOptions } from "../../store/postgres/address.ts";
import { exportStorage } from "../../store/postgres/export-storage.ts";
import {
  importStorage,
  requireImportable,
  type TransferCounts,
} from "../../store/postgres/import-storage.ts";
import { renewIncarnation } from "../../store/postgres/schema.ts";
import { requireGit } from "../database.ts";
import type { OperationsStorage, Storage } from "../storage.ts";
import { stepOf, verifyHeads, type FoundProblem, type OnStep, verify } from "./verify.ts";
import { failure } from "../../domain/errors.ts";

/**
 * Imports the storage of a folder into an empty database; nothing may change the folder meanwhile.
 * @throws SkepError `conflict` when something is in the database, `not-found` when git is not installed,
 * `record-unavailable`; Error when a repository is not read back as it was written.
 */
export async function importIntoDatabase(
  storage: OperationsStorage,
  database: DatabaseOptions,
): Promise<TransferCounts> {
  await requireGit(storage);
  return importStorage({
    fs: new DurableFs(nodeFs),
    root: storage.folder,
    database,
    overviewOf: async (gitdir) => {
      const { overview } = await storage.hives.openFolder(gitdir).overview();
      return overview && { strings: overview.stringCount, overview: formatOverview(overview) };
    },
  });
}

/** The result of a move into a database. Without counts, the storage was not moved because of its problems. */
export interface MoveReport {
  readonly problems: readonly FoundProblem[];
  readonly counts: TransferCounts | undefined;
}

/**
 * Moves a storage from its folder into an empty database, while servers may answer reads. Nothing can be changed in the
 * folder meanwhile, and afterwards servers on it end.
 * @param force whether to move a storage with problems as it is.
 * @throws SkepError `conflict` for a storage that was moved already; as {@link importIntoDatabase} does, and then the
 * storage stays where it is.
 */
export async function moveIntoDatabase(
  storage: OperationsStorage,
  database: DatabaseOptions,
  { force, onStep }: { readonly force: boolean; readonly onStep?: OnStep },
): Promise<MoveReport> {
  const { moved } = storage;
  moved.requireHere();
  const to = shownDatabase(database);
  await moved.write({ to, isComplete: false });
  try {
    await storage.drainLocks();
    const problems: FoundProblem[] = [];
    for await (const found of verifyHeads(storage, onStep)) problems.push(found);
    onStep?.(`Moving everything to ${to}`);
    const counts = problems.length > 0 && !force ? undefined : await importIntoDatabase(storage, database);
    if (counts === undefined) await moved.remove();
    else await moved.write({ to, isComplete: true });
    return { problems, counts };
  } catch (error) {
    await moved.remove();
    throw error;
  }
}

/**
 * Restores a backup into an empty database, as a whole or not at all, with the checks of {@link restore}.
 * @param storage an empty one, which is filled first.
 * @throws as {@link restore} and {@link importIntoDatabase} do.
 */
export async function restoreIntoDatabase(
  storage: Storage,
  database: DatabaseOptions,
  path: string,
  options: RestoreOptions,
): Promise<Restored> {
  // Refused before everything is copied and checked.
  await requireImportable(database);
  const restored = await restore(storage, path, options);
  if (!restored.done) return restored;
  options.onStep?.(`Moving everything to ${shownDatabase(database)}`);
  await importIntoDatabase(storage, database);
  return restored;
}

/** The address of a database without user, password and parameters. */
export function shownDatabase({ url }: Pick<DatabaseOptions, "url">): string {
  return url.replace(/\?.*$/, "").replace(/\/\/[^/]*@/, "//");
}

/**
 * Exports a database, as it is at one moment, into a folder that is missing or empty, which is then a storage of its own.
 * @throws SkepError `conflict` when the folder is not empty, `record-unavailable`.
 */
export async function exportFromDatabase(database: DatabaseOptions, folder: string): Promise<TransferCounts> {
  return exportStorage({ fs: new DurableFs(nodeFs), root: resolve(folder), database });
}

/**
 * Has all servers drop their copies of a database that was restored to an earlier time; they must not run meanwhile.
 * @throws SkepError `conflict` when it holds no storage, `record-unavailable`.
 */
export async function renewDatabase(database: DatabaseOptions): Promise<void> {
  await renewIncarnation(database);
}

export interface Restored {
  readonly time: string;
  readonly teams: number;
  readonly tokens: number;
  readonly hives: number;
  readonly problems: readonly FoundProblem[];
  /** False when there were problems, and the storage is still empty. */
  readonly done: boolean;
}

export interface RestoreOptions {
  readonly force: boolean;
  readonly onStep?: OnStep;
}

/**
 * Restores a backup into an empty storage, as a whole or not at all. The backup's folder is only read. Everything is
 * verified as by `skep server verify` before it is moved into place.
 * @throws SkepError `conflict` when the storage is not empty; `not-found` when the folder holds no complete backup;
 * `content-invalid` when it cannot be read; `disk-full`.
 */
export async function restore(
  storage: Storage,
  path: string,
  { force, onStep }: RestoreOptions,
): Promise<Restored> {
  const source = storage.backupFolder(path);
  const backup = await source.read();
  if (backup === undefined) throw failure("not-found", "This folder holds a backup that was not completed.");
  const { restoration } = storage;
  const problems: FoundProblem[] = [];
  const done = await restoration.fill(async () => {
    const target = storage.backupFolder(restoration.aside);
    for (const [at, slug] of [...backup.hives.keys()].entries()) {
      onStep?.(stepOf("Copying", slug, at, backup.hives.size));
      await target.copyHive(slug, source.folderOf(slug));
    }
    await target.layOut(backup);
    for await (const found of verify(storage.open(restoration.aside), { repair: false, onStep }))
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
