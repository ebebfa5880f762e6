/** The loose objects of a repository: one file each, in folders named by the first two digits of the object names. */
import { join } from "node:path";
import { isOid, type Oid } from "../../domain/names.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { Semaphore } from "../../disk/semaphore.ts";
import { isWhole } from "./git-object.ts";

/** How many files of one repository are read or written at once: enough to keep the disk busy, and few descriptors. */
export const parallelFiles = 32;

/** The file of a loose object. */
export function looseObjectPath(gitdir: string, oid: Oid): string {
  return join(gitdir, "objects", oid.slice(0, 2), oid.slice(2));
}

/** The names of the existing folders of loose objects. */
export async function looseFolders(fs: DurableFs, gitdir: string): Promise<readonly string[]> {
  return (await fs.list(join(gitdir, "objects"))).filter((name) => /^[0-9a-f]{2}$/.test(name));
}

/**
 * The names of loose objects, damaged ones included.
 * @param folders the folders to list; all by default.
 */
export async function listLooseObjects(
  fs: DurableFs,
  gitdir: string,
  folders?: readonly string[],
): Promise<readonly Oid[]> {
  const oids: Oid[] = [];
  for (const folder of folders ?? (await looseFolders(fs, gitdir))) {
    const names = await fs.list(join(gitdir, "objects", folder));
    for (const oid of names.map((name) => folder + name)) if (isOid(oid)) oids.push(oid);
  }
  return oids;
}

/** The loose objects whose files are damaged. */
export async function damagedLooseObjects(fs: DurableFs, gitdir: string): Promise<readonly Oid[]> {
  const semaphore = new Semaphore(parallelFiles);
  const checking = (await listLooseObjects(fs, gitdir)).map((oid) =>
    semaphore.run(async () => {
      const bytes = await fs.read(looseObjectPath(gitdir, oid));
      return bytes === undefined || isWhole(bytes, oid) ? [] : [oid];
    }),
  );
  return (await Promise.all(checking)).flat();
}
