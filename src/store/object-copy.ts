/**
 * The objects of one repository copied into another, while the first is written to and packed. What is there already
 * under its name is not copied again: an object's name is its content's.
 */
import { join } from "node:path";
import { SkepError } from "../domain/errors.ts";
import { isOid, type Oid } from "../domain/names.ts";
import { isSystemError } from "./disk.ts";
import type { DurableFs } from "./durable-fs.ts";
import { Gate } from "./gate.ts";
import { isWhole } from "./git-object.ts";
import { copyPack, removePacks, wholePacks } from "./packs.ts";

/** What a copy came to. */
export interface ObjectCopy {
  /** How many loose objects and packs were copied. */
  readonly objects: number;
  readonly packs: number;
  /** What the copy has and the original has not, or not in that form. */
  readonly superfluous: ObjectFiles;
}

interface ObjectFiles {
  readonly loose: readonly Oid[];
  readonly packs: readonly string[];
}

/** How often it begins again because of packings, each of which takes seconds. */
const maxAttempts = 10;
const parallelFiles = 32;

/**
 * Copies everything that was in a repository when this began; durable when it returns. Objects that a crash left torn
 * are left out.
 * @throws SkepError `busy` when the repository is packed over and over, `disk-full` when there is no room.
 */
export async function copyObjects(fs: DurableFs, from: string, to: string): Promise<ObjectCopy> {
  let objects = 0;
  let packs = 0;
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const present = await listObjects(fs, to);
    const wanted = await listObjects(fs, from);
    const newPacks = without(wanted.packs, present.packs);
    const newLoose = without(wanted.loose, present.loose);
    try {
      for (const pack of newPacks) {
        await copyPack(fs, from, to, pack);
        packs++;
      }
      objects += await copyLoose(fs, from, to, newLoose);
    } catch (error) {
      // It was packed, or its pack was replaced.
      if (isSystemError(error, "ENOENT")) continue;
      throw error;
    }
    // A pack that came meanwhile may hold what was no longer loose, or in an older pack, when that was listed.
    if (without(await wholePacks(fs, from), wanted.packs).length > 0) continue;
    const superfluous = {
      loose: without(present.loose, wanted.loose),
      packs: without(present.packs, wanted.packs),
    };
    return { objects, packs, superfluous };
  }
  throw new SkepError("busy", "The Hive is being packed over and over.", { retryAfter: 10 });
}

/** Removes files of objects that the repository's refs do not need. */
export async function removeObjects(
  fs: DurableFs,
  gitdir: string,
  { loose, packs }: ObjectFiles,
): Promise<void> {
  await removePacks(fs, gitdir, packs);
  for (const oid of loose) await fs.disk.promises.unlink(loosePath(gitdir, oid));
}

/** Loose ones first: they only ever go into packs, so that what is missed here is found there. */
async function listObjects(fs: DurableFs, gitdir: string): Promise<ObjectFiles> {
  const folder = join(gitdir, "objects");
  const loose: Oid[] = [];
  for (const prefix of await fs.list(folder)) {
    if (!/^[0-9a-f]{2}$/.test(prefix)) continue;
    loose.push(...(await fs.list(join(folder, prefix))).map((name) => prefix + name).filter(isOid));
  }
  return { loose, packs: await wholePacks(fs, gitdir) };
}

async function copyLoose(fs: DurableFs, from: string, to: string, oids: readonly Oid[]): Promise<number> {
  const gate = new Gate(parallelFiles);
  const copying = oids.map((oid) =>
    gate.run(async () => {
      const bytes = await fs.disk.promises.readFile(loosePath(from, oid));
      if (!isWhole(bytes, oid)) return 0;
      await (await fs.stage(loosePath(to, oid), bytes)).replace();
      return 1;
    }),
  );
  const results = await Promise.allSettled(copying);
  for (const prefix of new Set(oids.map((oid) => oid.slice(0, 2)))) {
    await fs.syncFolder(join(to, "objects", prefix));
  }
  const failed = results.find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
  return results.filter((result) => result.status === "fulfilled" && result.value === 1).length;
}

function loosePath(gitdir: string, oid: Oid): string {
  return join(gitdir, "objects", oid.slice(0, 2), oid.slice(2));
}

function without<T>(all: readonly T[], some: readonly T[]): readonly T[] {
  const known = new Set(some);
  return all.filter((one) => !known.has(one));
}
