/** Removing what others may still work in. */
import { isSystemError } from "./disk.ts";
import type { DurableFs } from "./durable-fs.ts";

/** How often a folder is emptied again. */
const maxRemovals = 10;

/** Removes a folder in which somebody may still make files: a git that packs the Hive ends when it finds nothing. */
export async function removeInUse(fs: DurableFs, path: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await fs.removeFolder(path);
    } catch (error) {
      if (!isSystemError(error, "ENOTEMPTY") || attempt === maxRemovals) throw error;
    }
  }
}
