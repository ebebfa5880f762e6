/** Lists, copies and checks the packs of one repository, and removes superfluous ones. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { isSystemError } from "../../disk/disk.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";

/** The prefix of unfinished files among packs, as git and Skep name them. */
const unfinished = "tmp_";
/** The prefix of the index of a pack that is being removed; any process may finish the removal. */
const removedIndex = "tmp_idx_skep_";
/** A pack with a file of one of these extensions must not be removed: the operator or a running transfer needs it. */
const protections = ["keep", "promisor"];
/** The extensions of files that git derives from a pack. They are removed before the pack. */
const derived = ["rev", "bitmap", "mtimes"];

function packFolder(gitdir: string): string {
  return join(gitdir, "objects/pack");
}

/** The files in the folder of packs, and the names of the packs that have an index. */
async function listFolder(
  fs: DurableFs,
  gitdir: string,
): Promise<{ readonly files: ReadonlySet<string>; readonly packs: readonly string[] }> {
  const files = new Set(await fs.list(packFolder(gitdir)));
  const packs = Array.from(files, (file) => /^(pack-[0-9a-f]{40})\.idx$/.exec(file)?.[1] ?? []).flat();
  return { files, packs };
}

/** The names of the packs, `pack-<hash>`, without those that must stay. */
export async function listPacks(fs: DurableFs, gitdir: string): Promise<readonly string[]> {
  const { files, packs } = await listFolder(fs, gitdir);
  return packs.filter((pack) => protections.every((protection) => !files.has(`${pack}.${protection}`)));
}

/** The names of all complete packs, also of those that must stay. */
export async function wholePacks(fs: DurableFs, gitdir: string): Promise<readonly string[]> {
  const { files, packs } = await listFolder(fs, gitdir);
  return packs.filter((pack) => files.has(`${pack}.pack`));
}

/**
 * Copies a pack into another repository, durably. The index is copied last, because it makes the pack visible to git.
 * @throws the system's error `ENOENT` when the pack is gone.
 */
export async function copyPack(fs: DurableFs, from: string, to: string, pack: string): Promise<void> {
  for (const file of [`${pack}.pack`, `${pack}.idx`]) {
    await fs.copyFile(join(packFolder(from), file), join(packFolder(to), file));
  }
}

/**
 * Whether a pack and its index are undamaged; reads both. @throws the system's error `ENOENT` when the pack is gone.
 */
export async function isWholePack(fs: DurableFs, gitdir: string, pack: string): Promise<boolean> {
  const path = join(packFolder(gitdir), pack);
  const packHash = await readVerifiedEnd(fs, `${path}.pack`, 20);
  // An index holds the hash of its pack, and then its own.
  const hashes = await readVerifiedEnd(fs, `${path}.idx`, 40);
  return packHash !== undefined && hashes?.subarray(0, 20).equals(packHash) === true;
}

/**
 * Makes the directory entries of new packs durable.
 * @throws Error when one of them is incomplete.
 */
export async function syncPacks(fs: DurableFs, gitdir: string, packs: readonly string[]): Promise<void> {
  const files = await fs.list(packFolder(gitdir));
  for (const file of packs.flatMap((pack) => [`${pack}.idx`, `${pack}.pack`])) {
    if (!files.includes(file)) throw new Error(`git made no ${file}`);
  }
  await fs.syncFolder(packFolder(gitdir));
}

/**
 * Removes packs whose objects are all in other, durable packs. The index is renamed first: an index without its pack
 * would hide the objects in other packs, and a pack without an index could be one that the operator wants to repair.
 */
export async function removePacks(fs: DurableFs, gitdir: string, packs: readonly string[]): Promise<void> {
  const folder = packFolder(gitdir);
  if (packs.length === 0) return;
  // Git recreates the multi-pack-index when it needs it, and fails on one that names missing packs.
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

/** The names of all unfinished files among the packs. */
export async function unfinishedPacks(fs: DurableFs, gitdir: string): Promise<readonly string[]> {
  return (await fs.list(packFolder(gitdir))).filter((file) => file.startsWith(unfinished));
}

/** Removes an unfinished file from among the packs, and the pack whose removal it stands for. */
export async function finishRemoval(fs: DurableFs, gitdir: string, file: string): Promise<void> {
  const folder = packFolder(gitdir);
  if (file.startsWith(removedIndex)) {
    const pack = file.slice(removedIndex.length);
    // The same pack was created again meanwhile: it is needed, so only the marker file is removed.
    const isBack = (await fs.list(folder)).includes(`${pack}.idx`);
    const files = isBack ? [] : [...derived, "pack"].map((extension) => `${pack}.${extension}`);
    for (const name of files) await fs.removeFile(join(folder, name));
  }
  await fs.removeFile(join(folder, file));
}

const hashBytes = 20;
const pieceBytes = 1024 * 1024;

/**
 * Reads a whole file, piece by piece.
 * @returns the last `length` bytes; undefined when the file does not end with its own SHA-1.
 * @throws the system's error `ENOENT` when there is no such file.
 */
async function readVerifiedEnd(
  { disk }: DurableFs,
  path: string,
  length: number,
): Promise<Buffer | undefined> {
  const file = await disk.promises.open(path, "r");
  try {
    const hash = createHash("sha1");
    const piece = Buffer.alloc(pieceBytes);
    let held = Buffer.alloc(0);
    for (let position = 0; ;) {
      const { bytesRead } = await file.read(piece, 0, pieceBytes, position);
      if (bytesRead === 0) break;
      position += bytesRead;
      const all = Buffer.concat([held, piece.subarray(0, bytesRead)]);
      const end = Math.max(0, all.length - length);
      hash.update(all.subarray(0, end));
      held = all.subarray(end);
    }
    if (held.length < length) return undefined;
    hash.update(held.subarray(0, -hashBytes));
    return hash.digest().equals(held.subarray(-hashBytes)) ? held : undefined;
  } finally {
    await file.close();
  }
}
