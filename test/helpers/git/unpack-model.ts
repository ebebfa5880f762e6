/** Takes pushed packs on a disk in memory, which no git sees: writes there what git writes, and reads it back. */
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import type { Disk } from "../../../src/disk/disk.ts";
import { DurableFs } from "../../../src/disk/durable-fs.ts";
import type { Oid } from "../../../src/domain/names.ts";
import { BareRepo } from "../../../src/git/bare-repo.ts";
import { looseObjectPath } from "../../../src/git/objects/loose.ts";
import { quarantinePath, type UnpackGit } from "../../../src/git/packs/quarantine.ts";
import type { FoundObject } from "../../../src/git/process/cat-file.ts";
import { splitObject, unpackObjects } from "./packs.ts";

/** Takes packs of whole objects that are sound, into repositories whose objects are loose. */
export function modelOfUnpack(disk: Disk): UnpackGit {
  return async (gitdir, { bytes: pack }) => {
    const folder = join(quarantinePath(gitdir), "objects/pack");
    for (const kind of ["pack", "idx"]) await writeAsGit(disk, join(folder, "pack-1"), { kind, bytes: pack });
    const objects = unpackObjects(pack);
    const read = async (oid: Oid): Promise<FoundObject | undefined> =>
      objects.get(oid) ?? readLoose(new DurableFs(disk), gitdir, oid);
    const reached = await reachable(new BareRepo(new DurableFs(disk), gitdir));
    const sent = Array.from(
      objects,
      ([oid, { type, content }]) => [oid, { type, size: content.length }] as const,
    );
    return {
      sent: new Map(sent),
      reader: { read, isOpen: false, release: () => {} },
      visibleCommits: async (oids) => new Set([...oids].filter((oid) => reached.has(oid))),
      hiddenObjects: async (oids) => oids,
    };
  };
}

/** Writes a file under another name, not durably, and renames it. */
async function writeAsGit(
  { promises }: Disk,
  path: string,
  { kind, bytes }: { readonly kind: string; readonly bytes: Uint8Array },
): Promise<void> {
  const temporary = join(path, `../tmp_${kind}_1`);
  const file = await promises.open(temporary, "wx");
  try {
    await file.writeFile(bytes);
  } finally {
    await file.close();
  }
  await promises.rename(temporary, `${path}.${kind}`);
}

async function readLoose(fs: DurableFs, gitdir: string, oid: Oid): Promise<FoundObject | undefined> {
  const bytes = await fs.read(looseObjectPath(gitdir, oid));
  return bytes && splitObject(inflateSync(bytes));
}

/** The commits that the branches of a repository reach. */
async function reachable(repo: BareRepo): Promise<ReadonlySet<Oid>> {
  const reached = new Set<Oid>();
  for (const waiting = [...(await repo.branches.list()).values()]; ;) {
    const oid = waiting.pop();
    if (oid === undefined) return reached;
    if (reached.has(oid)) continue;
    reached.add(oid);
    waiting.push(...(await repo.readCommit(oid)).parents);
  }
}
