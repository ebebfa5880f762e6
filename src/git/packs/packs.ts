/** The packs of one repository, and taking away those that a newer one has made superfluous. */
import { join } from "node:path";
import { readVerifiedEnd } from "../../disk/checksum.ts";
import { isSystemError } from "../../disk/disk.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";

/** What begins with this in a folder of packs is unfinished, to git and to us. */
const unfinished = "tmp_";
/** An index under this name marks its pack as superfluous: its removal has begun, and any process may finish it. */
const removedIndex = "tmp_idx_skep_";
/** A pack with one of these must not be removed: a person, or a transfer under way, needs it as it is. */
const protections = ["keep", "promisor"];
/** What git derives from a pack. The pack itself goes after these. */
const derived = ["rev", "bitmap", "mtimes"];

function packFolder(gitdir: string): string {
  return join(gitdir, "objects/pack");
}

/** The files among the packs, and the names of the packs that have an index. */
async function listFolder(
  fs: DurableFs,
  gitdir: string,
): Promise<{ readonly files: ReadonlySet<string>; readonly packs: readonly string[] }> {
  const files = new Set(await fs.list(packFolder(gitdir)));
  const packs = Array.from(files, (file) => /^(pack-[0-9a-f]{40})\.idx$/.exec(file)?.[1] ?? []).flat();
  return { files, packs };
}

/** The names of the packs that git and isomorphic-git see, `pack-<hash>`; those that must stay are left out. */
export async function listPacks(fs: DurableFs, gitdir: string): Promise<readonly string[]> {
  const { files, packs } = await listFolder(fs, gitdir);
  return packs.filter((pack) => protections.every((protection) => !files.has(`${pack}.${protection}`)));
}

/** The names of all packs that are there as a whole, also of those that must stay. */
export async function wholePacks(fs: DurableFs, gitdir: string): Promise<readonly string[]> {
  const { files, packs } = await listFolder(fs, gitdir);
  return packs.filter((pack) => files.has(`${pack}.pack`));
}

/**
 * Copies a pack into another repository, durably. The index comes last: with it git sees the pack.
 * @throws the system's error `ENOENT` when it has gone meanwhile.
 */
export async function copyPack(fs: DurableFs, from: string, to: string, pack: string): Promise<void> {
  for (const file of [`${pack}.pack`, `${pack}.idx`]) {
    await fs.copyFile(join(packFolder(from), file), join(packFolder(to), file));
  }
}

/**
 * Whether a pack and its index are what git wrote; reads both. @throws the system's error `ENOENT` when it has gone.
 */
export async function isWholePack(fs: DurableFs, gitdir: string, pack: string): Promise<boolean> {
  const path = join(packFolder(gitdir), pack);
  const packHash = await readVerifiedEnd(fs, `${path}.pack`, 20);
  // An index holds the hash of its pack, and then its own.
  const hashes = await readVerifiedEnd(fs, `${path}.idx`, 40);
  return packHash !== undefined && hashes?.subarray(0, 20).equals(packHash) === true;
}

/**
 * Makes the names of packs durable that have just been made.
 * @throws Error when one of them is not there as a whole.
 */
export async function syncPacks(fs: DurableFs, gitdir: string, packs: readonly string[]): Promise<void> {
  const files = await fs.list(packFolder(gitdir));
  for (const file of packs.flatMap((pack) => [`${pack}.idx`, `${pack}.pack`])) {
    if (!files.includes(file)) throw new Error(`git made no ${file}`);
  }
  await fs.syncFolder(packFolder(gitdir));
}

/**
 * Removes packs whose objects are all in others that are durable. The index goes first, by a rename: an index without
 * its pack would hide the object in other packs, and a pack without an index could be one that a person means to mend.
 */
export async function removePacks(fs: DurableFs, gitdir: string, packs: readonly string[]): Promise<void> {
  const folder = packFolder(gitdir);
  if (packs.length === 0) return;
  // An index over several packs: git makes it anew when it wants it, and stumbles over one that names missing packs.
  const overAll = (await fs.list(folder)).filter((file) => file.startsWith("multi-pack-index"));
  for (const file of overAll) await fs.removeFile(join(folder, file));
  for (const pack of packs) {
    const mark = join(folder, removedIndex + pack);
    try {
      await fs.disk.promises.rename(join(folder, `${pack}.idx`), mark);
    } catch (error) {
      // Another git has just removed it.
      if (isSystemError(error, "ENOENT")) continue;
      throw error;
    }
    await fs.syncFolder(folder);
    await finishRemoval(fs, gitdir, removedIndex + pack);
  }
}

/** The names of unfinished files among the packs, whoever made them. */
export async function unfinishedPacks(fs: DurableFs, gitdir: string): Promise<readonly string[]> {
  return (await fs.list(packFolder(gitdir))).filter((file) => file.startsWith(unfinished));
}

/** Removes an unfinished file from among the packs, and the superfluous pack that it marks. */
export async function finishRemoval(fs: DurableFs, gitdir: string, file: string): Promise<void> {
  const folder = packFolder(gitdir);
  if (file.startsWith(removedIndex)) {
    const pack = file.slice(removedIndex.length);
    // The same pack was made again meanwhile: it is needed, and only the mark goes.
    const isBack = (await fs.list(folder)).includes(`${pack}.idx`);
    const files = isBack ? [] : [...derived, "pack"].map((extension) => `${pack}.${extension}`);
    for (const name of files) await fs.removeFile(join(folder, name));
  }
  await fs.removeFile(join(folder, file));
}
