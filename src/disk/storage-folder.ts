/**
 * Whether a folder is a storage. Starting a server makes it one. A folder that is not one any more may be a mount
 * point without its disk, so nothing is made there.
 */
import { dirname, join } from "node:path";
import { failure } from "../domain/errors.ts";
import { statNow } from "./disk.ts";
import type { DurableFs } from "./durable-fs.ts";

/** The folder of lock files; a copy of a storage may be without it. */
export const locksFolder = "locks";

/** Whether a folder is a storage now. */
export function isStorage({ disk }: DurableFs, root: string): boolean {
  return ["settings-version", "teams"].some((name) => statNow(disk, join(root, name)) !== undefined);
}

/** @throws SkepError `storage-missing` when the folder is not a storage now. */
export function requireStorage(fs: DurableFs, root: string): void {
  if (!isStorage(fs, root)) throw failure("storage-missing", "The storage is not there.");
}

/** Makes the folder of lock files where a storage lacks it. @throws as {@link requireStorage}. */
export async function makeLocksFolder(fs: DurableFs, folder: string): Promise<void> {
  requireStorage(fs, dirname(folder));
  await fs.makeFolder(folder);
}
