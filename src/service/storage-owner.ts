/** Checks that a process runs as the owner of a storage, and on the only machine that works on it. */
import nodeFs from "node:fs";
import { resolve } from "node:path";
import { failure } from "../domain/errors.ts";
import type { Disk } from "../disk/disk.ts";
import { DurableFs } from "../disk/durable-fs.ts";
import { findOwner } from "../store/verify/ownership.ts";

export { claimForHost } from "../disk/host-claim.ts";

/** The superuser can write anywhere, also into an empty folder that is meant for another user's storage. */
const superuser = 0;

/**
 * Makes sure that a process runs as the owner of a storage; if there is no storage yet, only that it is not the
 * superuser in another user's folder.
 * @param user the id of the process's user; undefined on systems without user ids.
 * @throws SkepError `forbidden` when the storage belongs to another user.
 */
export async function requireOwner(
  folder: string,
  user: number | undefined = process.geteuid?.(),
  disk: Disk = nodeFs,
): Promise<void> {
  if (user === undefined) return;
  const root = resolve(folder);
  const fs = new DurableFs(disk);
  const owner = (await findOwner(fs, root)) ?? (user === superuser ? (await fs.stat(root))?.uid : undefined);
  if (owner === undefined || owner === user) return;
  throw failure(
    "forbidden",
    `The storage in ${root} belongs to the user ${owner}, who could not change files that this user, ${user}, creates. Run the command as the user ${owner}, or insist with: --other-user allow`,
  );
}
