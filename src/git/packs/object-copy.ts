/**
 * Copies the objects of one repository into another while the first is written to and packed. Objects and packs that the
 * copy has already are not copied again, but they are read and checked: the disk that holds copies may fail like any
 * other, and nothing else checks it.
 */
import { join } from "node:path";
import { SkepError } from "../../domain/errors.ts";
import type { Oid } from "../../domain/names.ts";
import { isSystemError } from "../../disk/disk.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { Semaphore } from "../../disk/semaphore.ts";
import { isWhole } from "../objects/git-object.ts";
import { damagedLooseObjects, listLooseObjects, looseObjectPath, parallelFiles } from "../objects/loose.ts";
import { copyPack, isWholePack, removePacks, wholePacks } from "./packs.ts";

export interface ObjectCopy {
  /** How many loose objects and packs were copied. */
  readonly objects: number;
  readonly packs: number;
  readonly damagedBefore: number;
  /** How many files of the copy are still damaged, because the original is damaged too. */
  readonly stillDamaged: number;
  /** What the copy has and the original does not have, or not in that form. */
  readonly superfluous: ObjectFiles;
}

interface ObjectFiles {
  readonly loose: readonly Oid[];
  readonly packs: readonly string[];
}

/** How often a copy is started again because the original was packed; each packing takes seconds. */
const maxAttempts = 10;

/**
 * Copies everything that was in a repository when the copy began; durable on return. Damaged loose objects are left out.
 * @throws SkepError `busy` when the repository is packed over and over, `disk-full` when there is no room.
 */
export async function copyObjects(fs: DurableFs, from: string, to: string): Promise<ObjectCopy> {
  const damaged = await findDamaged(fs, to);
  const damagedBefore = damaged.size;
  let objects = 0;
  let packs = 0;
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const present = await listObjects(fs, to);
    const wanted = await listObjects(fs, from);
    const toCopy = <T extends string>(all: readonly T[], there: readonly T[]): readonly T[] =>
      without(
        all,
        there.filter((name) => !damaged.has(name)),
      );
    try {
      for (const pack of toCopy(wanted.packs, present.packs)) {
        await copyPack(fs, from, to, pack);
        packs++;
        if (await isWholePack(fs, to, pack)) damaged.delete(pack);
        else damaged.add(pack);
      }
      for (const oid of await copyLoose(fs, from, to, toCopy(wanted.loose, present.loose))) {
        objects++;
        damaged.delete(oid);
      }
    } catch (error) {
      // The object was packed, or its pack was replaced.
      if (isSystemError(error, "ENOENT")) continue;
      throw error;
    }
    // A pack that appeared meanwhile may hold objects that were missing from the lists because they were just packed.
    if (without(await wholePacks(fs, from), wanted.packs).length > 0) continue;
    const superfluous = {
      loose: without(present.loose, wanted.loose),
      packs: without(present.packs, wanted.packs),
    };
    const needed = new Set<string>([...wanted.loose, ...wanted.packs]);
    const stillDamaged = [...damaged].filter((name) => needed.has(name)).length;
    return { objects, packs, damagedBefore, stillDamaged, superfluous };
  }
  throw new SkepError("busy", "The Hive is being packed over and over.", { retryAfter: 10 });
}

async function findDamaged(fs: DurableFs, gitdir: string): Promise<Set<string>> {
  const damaged = new Set<string>(await damagedLooseObjects(fs, gitdir));
  for (const pack of await wholePacks(fs, gitdir))
    if (!(await isWholePack(fs, gitdir, pack))) damaged.add(pack);
  return damaged;
}

/** Removes files of objects that the repository's refs do not need. */
export async function removeObjects(
  fs: DurableFs,
  gitdir: string,
  { loose, packs }: ObjectFiles,
): Promise<void> {
  await removePacks(fs, gitdir, packs);
  for (const oid of loose) await fs.disk.promises.unlink(looseObjectPath(gitdir, oid));
}

/** Lists loose objects first: they only ever move into packs, so that one that is missed here is found there. */
async function listObjects(fs: DurableFs, gitdir: string): Promise<ObjectFiles> {
  const loose = await listLooseObjects(fs, gitdir);
  return { loose, packs: await wholePacks(fs, gitdir) };
}

/** @returns the objects that were copied, which are all that are not damaged. */
async function copyLoose(
  fs: DurableFs,
  from: string,
  to: string,
  oids: readonly Oid[],
): Promise<readonly Oid[]> {
  const semaphore = new Semaphore(parallelFiles);
  const copied: Oid[] = [];
  const copying = oids.map((oid) =>
    semaphore.run(async () => {
      const bytes = await fs.disk.promises.readFile(looseObjectPath(from, oid));
      if (!isWhole(bytes, oid)) return;
      await (await fs.stage(looseObjectPath(to, oid), bytes)).replace();
      copied.push(oid);
    }),
  );
  const results = await Promise.allSettled(copying);
  for (const prefix of new Set(oids.map((oid) => oid.slice(0, 2)))) {
    await fs.syncFolder(join(to, "objects", prefix));
  }
  const failed = results.find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
  return copied;
}

function without<T>(all: readonly T[], some: readonly T[]): readonly T[] {
  const known = new Set(some);
  return all.filter((one) => !known.has(one));
}
