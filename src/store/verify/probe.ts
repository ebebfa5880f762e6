/** Checks whether a storage can be written to, for the readiness endpoint, which is called often. */
import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { Locks } from "../../disk/locks/lock.ts";
import { AccessCheck } from "./ownership.ts";

const lockWaitMs = 2_000;
/** Large enough to fail on a full disk, which still accepts file names and very small files. */
const probeBytes = 4_096;

/**
 * Does what every write does: takes a lock and makes a file durable, and removes the file. Now and then it also checks
 * the permissions on the existing files.
 * @param folder the folder of lock files.
 * @param accessCheckMs the least time between two checks of permissions.
 * @throws SkepError `busy` when the lock cannot be had in 2 s, `disk-full`; the system's error.
 */
export function makeProbe(fs: DurableFs, folder: string, accessCheckMs?: number): () => Promise<void> {
  const locks = new Locks(fs, folder, { timeoutMs: lockWaitMs });
  const access = new AccessCheck(fs, dirname(folder), accessCheckMs);
  const file = join(folder, "ready");
  return async () => {
    await locks.hold("ready", async () => {
      await fs.write(file, randomBytes(probeBytes));
      await fs.removeFile(file);
    });
    const denied = await access.findDenied();
    if (denied !== undefined) throw new Error(`this process may not work on ${denied}: whose is it?`);
  };
}
