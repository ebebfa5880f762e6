/**
 * Tells whether a folder is a storage; starting a server in an empty folder makes it one. A folder that stops being a
 * storage may be a mount point whose disk was unmounted, so nothing is created there.
 */
import { dirname, join } from "node:path";
import { failure } from "../domain/errors.ts";
import { statNow } from "./disk.ts";
import type { DurableFs } from "./durable-fs.ts";

/** The file that says of which database a folder is a copy. */
export const copyFile = "copy.json";
/** The folder of lock files; a copy of a storage may lack it. */
export const locksFolder = "locks";
/** The folder of the audit log. */
export const auditFolder = "audit";
/** The folders of settings that belong to teams and Hives, which backups have. */
export const teamFolders = [
  "teams",
  "tokens",
  "people",
  "mirrors",
  "channels",
  "webhooks",
  "engines",
] as const;
/** The folders of settings. */
export const settingsFolders = [...teamFolders, "sessions"] as const;

/** Whether a folder is currently a storage. */
export function isStorage({ disk }: DurableFs, root: string): boolean {
  return ["settings-version", "teams"].some((name) => statNow(disk, join(root, name)) !== undefined);
}

/** @throws SkepError `storage-missing` when the folder is not a storage. */
export function requireStorage(fs: DurableFs, root: string): void {
  if (!isStorage(fs, root)) throw failure("storage-missing", "The storage is not there.");
}

/** Makes the folder of lock files if the storage lacks it. @throws as {@link requireStorage}. */
export async function makeLocksFolder(fs: DurableFs, folder: string): Promise<void> {
  requireStorage(fs, dirname(folder));
  await fs.makeFolder(folder);
}
