/** Whether a storage can be written to right now: asked often, by whoever sends requests to servers. */
import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { Locks } from "../../disk/locks/lock.ts";
import { AccessCheck } from "./ownership.ts";

const lockWaitMs = 2_000;
/** A full disk still takes names of files, and bytes where they fit beside them or compress to nothing. */
const probeBytes = 4_096;

/**
 * Does once what every write does: takes a lock, and makes a file durable. Nothing stays behind. Looks, now and then,
 * whether the files that are there can be worked on, too.
 * @param folder of lock files.
 * @param accessCheckMs how often the files are looked at, at most.
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
