import { memfs } from "memfs";
import type { Disk } from "../../src/disk/disk.ts";

/**
 * A disk in memory by memfs, which knows nothing of Skep: the store's own tests run on it. It has every call of
 * {@link Disk}; its types leave out FileHandle.sync. A rename over a file makes it count that file twice, and its folder can
 * never be removed then, so the old file is removed first.
 */
export function memfsDisk(): Disk {
  const { fs: memory } = memfs();
  const promises = Object.assign(Object.create(memory.promises), {
    rename: async (from: string, to: string): Promise<void> => {
      if (memory.existsSync(to) && memory.statSync(to).isFile()) memory.unlinkSync(to);
      memory.renameSync(from, to);
    },
  });
  return Object.assign(Object.create(memory), { promises });
}
