/** That a storage is worked on by the user to whom it belongs: what another one makes, that user could not change. */
import nodeFs from "node:fs";
import { resolve } from "node:path";
import { failure } from "../domain/errors.ts";
import type { Disk } from "../disk/disk.ts";
import { DurableFs } from "../disk/durable-fs.ts";
import { findOwner } from "../store/verify/ownership.ts";

/** The superuser can write anywhere, also where nothing was stored yet and somebody else means to. */
const superuser = 0;

/**
 * Makes sure that a process runs as the user to whom a storage belongs; where there is none yet, only that it is not
 * the superuser in somebody else's folder.
 * @param user the id of the process's user; undefined on systems without.
 * @throws SkepError `forbidden` when it is another user's.
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
    `The storage in ${root} belongs to the user ${owner}, and this is the user ${user}, whose files that one could not change. Run it as that user, or insist with: --other-user allow`,
  );
}
