/** Copies of files too large to be read as a whole. */
import { dirname } from "node:path";
import { translated, type DurableFs } from "./durable-fs.ts";
import { temporaryPath } from "./temporary-name.ts";

/**
 * Copies a pack or its index into a folder of packs; durable when it returns, and there as a whole or not at all.
 * @throws SkepError `disk-full` when there is no room; the system's error `ENOENT` when there is no such file.
 */
export async function copyFile(fs: DurableFs, from: string, to: string): Promise<void> {
  const folder = dirname(to);
  const temporary = temporaryPath(to);
  await fs.makeFolder(folder);
  try {
    await translated(async () => {
      await fs.disk.promises.copyFile(from, temporary);
      const file = await fs.disk.promises.open(temporary, "r");
      try {
        await file.sync();
      } finally {
        await file.close();
      }
      await fs.disk.promises.rename(temporary, to);
    });
  } catch (error) {
    // It may never have been made.
    await fs.removeFile(temporary);
    throw error;
  }
  await fs.syncFolder(folder);
}
