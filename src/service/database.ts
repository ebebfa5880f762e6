/** Opens a storage that a PostgreSQL database holds. Nothing here is loaded for a storage in a folder. */
import nodeFs from "node:fs";
import { failure } from "../domain/errors.ts";
import type { DatabaseOptions } from "../store/postgres/address.ts";
import { unsyncedDisk } from "../store/postgres/copy-folder.ts";
import { prepareRecord, type PostgresOptions } from "../store/postgres/postgres-record.ts";
import { type LocalOptions, openLocalStorage, type OperationsStorage, type Storage } from "./storage.ts";

export { isDatabaseAway } from "../store/postgres/database.ts";
export type { DatabaseOptions };

export type DatabaseStorageOptions = LocalOptions &
  Pick<PostgresOptions, "copyBytes" | "clockStepped" | "isOnlyRead">;

/**
 * Opens the storage that a database holds; an empty database becomes one.
 * @param folder of the copy; it may be missing.
 * @throws SkepError `not-found` when git is not installed; as {@link prepareRecord} and {@link StorageRecord.refresh} do.
 */
export async function openDatabase(
  folder: string,
  database: DatabaseOptions,
  { copyBytes, clockStepped, isOnlyRead, ...options }: DatabaseStorageOptions = {},
): Promise<Storage> {
  const disk = unsyncedDisk(nodeFs);
  const { now, open: record } = await prepareRecord({
    folder,
    disk,
    database,
    copyBytes,
    clockStepped,
    isOnlyRead,
  });
  const storage = openLocalStorage(folder, { ...options, disk, otherDisk: nodeFs, now, record });
  try {
    await requireGit(storage);
    await storage.record.refresh([]);
    return storage;
  } catch (error) {
    await storage.record.close();
    throw error;
  }
}

/** @throws SkepError `not-found` when git is not installed, which packs what a database holds. */
export async function requireGit({ packer }: OperationsStorage): Promise<void> {
  if (await packer.isPossible()) return;
  throw failure("not-found", "A storage in a database needs git, and git is not installed.");
}

/** Opens a storage folder that is lost with the machine's power: nothing in it is synced. */
export function openUnsynced(folder: string): Storage {
  return openLocalStorage(folder, { disk: unsyncedDisk(nodeFs) });
}
