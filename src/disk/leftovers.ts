/** What a crash leaves behind: unfinished files and folders that nothing refers to. */
import { join } from "node:path";
import { statNow } from "./disk.ts";
import type { DurableFs } from "./durable-fs.ts";
import { isTemporary } from "./temporary-name.ts";

/** A file or folder that can go. */
export interface Leftover {
  readonly path: string;
  readonly remove: () => Promise<void>;
}

export interface AbandonedOptions {
  /** How it is removed; as a file if not given. */
  readonly remove?: (path: string) => Promise<void>;
  /** How long ago it was last written to, at least. A write takes milliseconds, so a minute if not given. */
  readonly afterMs?: number;
}

/** Those of some unfinished files or folders that are too old to have a writer. */
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

/** The files of unfinished writes that lie directly in a folder and have no writer. */
export async function abandonedFiles(fs: DurableFs, folder: string): Promise<readonly Leftover[]> {
  const names = (await fs.list(folder)).filter(isTemporary);
  return abandoned(
    fs,
    names.map((name) => join(folder, name)),
  );
}
