/** Leftovers of a crash: unfinished files and folders that nothing refers to. */
import { join } from "node:path";
import { statNow } from "./disk.ts";
import type { DurableFs } from "./durable-fs.ts";
import { auditFolder, locksFolder, settingsFolders } from "./storage-folder.ts";
import { isTemporary } from "./temporary-name.ts";

/** A file or folder that can be removed. */
export interface Leftover {
  readonly path: string;
  readonly remove: () => Promise<void>;
}

export interface AbandonedOptions {
  /** Removes it; by default as a file. */
  readonly remove?: (path: string) => Promise<void>;
  /** The least time since the last write to it: a minute by default, as a write takes milliseconds. */
  readonly afterMs?: number;
}

/** The unfinished files or folders among `paths` that are too old to have a writer. */
export function abandoned(
  fs: DurableFs,
  paths: readonly string[],
  { remove = (path) => fs.removeFile(path), afterMs = 60_000 }: AbandonedOptions = {},
): readonly Leftover[] {
  const isOld = (path: string): boolean => {
    const stats = statNow(fs.disk, path);
    return stats !== undefined && Date.now() - Number(stats.mtimeNs / 1_000_000n) > afterMs;
  };
  return paths.filter(isOld).map((path) => ({ path, remove: () => remove(path) }));
}

/** The abandoned files of unfinished writes directly in a folder. */
export async function abandonedFiles(fs: DurableFs, folder: string): Promise<readonly Leftover[]> {
  const names = (await fs.list(folder)).filter(isTemporary);
  return abandoned(
    fs,
    names.map((name) => join(folder, name)),
  );
}

/**
 * Leftovers in a storage, outside its repositories: settings files, and folders of Hives that were being created or
 * removed.
 */
export async function storageLeftovers(fs: DurableFs, root: string): Promise<readonly Leftover[]> {
  const files = ["", locksFolder, auditFolder, ...settingsFolders].map((name) =>
    abandonedFiles(fs, join(root, name)),
  );
  const folders = ["hives", "trash"].map(async (name) => {
    const unfinished = (await fs.list(join(root, name))).filter((inner) => /^\.(?:new|old)-/.test(inner));
    const paths = unfinished.map((inner) => join(root, name, inner));
    return abandoned(fs, paths, { remove: (path) => fs.removeFolder(path) });
  });
  return (await Promise.all([...files, ...folders])).flat();
}
