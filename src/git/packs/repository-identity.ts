/** Whether a repository is still the one that it was: a Hive may be deleted, and another made under its slug. */
import { join } from "node:path";
import type { DurableFs } from "../../disk/durable-fs.ts";

/** What tells a repository from a later one in the same place; undefined when there is none. */
export function repositoryIdentity(fs: DurableFs, gitdir: string): string | undefined {
  const path = join(gitdir, "objects");
  const stats = fs.disk.statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.ino}:${stats.birthtimeNs}`;
}
