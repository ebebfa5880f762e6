/** The loose objects of a repository: a file each, in folders by the first two digits of their names. */
import { join } from "node:path";
import { isOid, type Oid } from "../../domain/names.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { Semaphore } from "../../disk/semaphore.ts";
import { isWhole } from "./git-object.ts";

/** Files read or written at once in one repository: enough to keep the disk busy, few enough descriptors. */
export const parallelFiles = 32;

/** The file of a loose object. */
export function looseObjectPath(gitdir: string, oid: Oid): string {
  return join(gitdir, "objects", oid.slice(0, 2), oid.slice(2));
}

/** The folders of loose objects that are there, by their two digits. */
export async function looseFolders(fs: DurableFs, gitdir: string): Promise<readonly string[]> {
  return (await fs.list(join(gitdir, "objects"))).filter((name) => /^[0-9a-f]{2}$/.test(name));
}

/**
 * The names of loose objects, whole or not.
 * @param folders those to be listed; all if not given.
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

/** The loose objects whose files are torn or garbage. */
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
