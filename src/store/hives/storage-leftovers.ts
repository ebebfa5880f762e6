/** Leftovers of a crash in a storage, outside its repositories. */
import { join } from "node:path";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { abandoned, abandonedFiles, type Leftover } from "../../disk/leftovers.ts";
import { auditFolder, locksFolder, settingsFolders } from "../../disk/storage-folder.ts";

/** Unfinished settings files, and folders of Hives that were being created or removed. */
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
