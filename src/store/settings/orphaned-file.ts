/** The finding for files of settings whose Hive is gone. */
import type { HeldLock } from "../../disk/locks/lock-file.ts";
import type { Finding } from "../../domain/finding.ts";
import type { HiveSlug } from "../../domain/names.ts";

/** Runs a function under a Hive's lock. */
export type LockHive = <T>(slug: HiveSlug, run: (lock: HeldLock) => Promise<T>) => Promise<T>;

/**
 * The finding for a file that belongs to no Hive.
 * @param path in the storage.
 * @param forget removes all files of that kind of the Hive.
 */
export function orphanedFile(
  path: string,
  slug: HiveSlug,
  lockHive: LockHive,
  forget: (slug: HiveSlug, lock: HeldLock) => Promise<void>,
): Finding {
  const repair = (): Promise<string> =>
    lockHive(slug, async (lock) => {
      await forget(slug, lock);
      return "removed it";
    });
  return { problem: `${path} belongs to no Hive`, repair };
}
