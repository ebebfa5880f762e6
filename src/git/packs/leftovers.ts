/** What a crash leaves behind: unfinished files and folders that nothing refers to. */
import { join } from "node:path";
import { statNow } from "../../disk/disk.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { isTemporary } from "../../disk/temporary-name.ts";
import { endRemoval, unfinishedPacks } from "./packs.ts";
import { Tags } from "../refs/tags.ts";

/** A file or folder that can go. */
export interface Leftover {
  readonly path: string;
  readonly remove: () => Promise<void>;
}

/** A write takes milliseconds: an unfinished file of this age has no writer any more. */
const abandonedAfterMs = 60_000;
/** git may work on a pack for many minutes without writing to it. */
const abandonedPackAfterMs = 3_600_000;

function isAbandoned(fs: DurableFs, path: string, afterMs = abandonedAfterMs): boolean {
  const stats = statNow(fs.disk, path);
  return stats !== undefined && Date.now() - Number(stats.mtimeNs / 1_000_000n) > afterMs;
}

/** A lock of git's own of the branch or a tag: it has none of ours' marks, so it is a person who says that it can go. */
export async function abandonedRefLocks(fs: DurableFs, gitdir: string): Promise<readonly Leftover[]> {
  const inTags = (await new Tags(fs, gitdir).folders()).map((folder) =>
    abandonedFiles(fs, folder, (name) => name.endsWith(".lock")),
  );
  const ofMain = abandonedFiles(fs, join(gitdir, "refs/heads"), (name) => name === "main.lock");
  return (await Promise.all([ofMain, ...inTags])).flat();
}

async function abandonedFiles(
  fs: DurableFs,
  folder: string,
  isOurs: (name: string) => boolean = isTemporary,
): Promise<readonly Leftover[]> {
  const paths = (await fs.list(folder)).filter(isOurs).map((name) => join(folder, name));
  return paths
    .filter((path) => isAbandoned(fs, path))
    .map((path) => ({ path, remove: () => fs.removeFile(path) }));
}

/** Unfinished settings files, and folders of Hives that were being made or removed. */
export async function storageLeftovers(fs: DurableFs, root: string): Promise<readonly Leftover[]> {
  const files = await Promise.all(
    ["", "teams", "tokens", "mirrors", "locks"].map((name) => abandonedFiles(fs, join(root, name))),
  );
  const unfinished = ["hives", "trash"].map(async (name) => {
    const folder = join(root, name);
    return (await fs.list(folder))
      .filter((inner) => /^\.(?:new|old)-/.test(inner))
      .map((inner) => join(folder, inner))
      .filter((path) => isAbandoned(fs, path))
      .map((path): Leftover => ({ path, remove: () => fs.removeFolder(path) }));
  });
  const folders = (await Promise.all(unfinished)).flat();
  return [...files.flat(), ...folders];
}

/** Unfinished packs of one repository. */
export async function packLeftovers(fs: DurableFs, gitdir: string): Promise<readonly Leftover[]> {
  const files = await unfinishedPacks(fs, gitdir);
  return files
    .map((file) => ({ file, path: join(gitdir, "objects/pack", file) }))
    .filter(({ path }) => isAbandoned(fs, path, abandonedPackAfterMs))
    .map(({ file, path }) => ({ path, remove: () => endRemoval(fs, gitdir, file) }));
}

/** Unfinished objects, packs and refs of one repository. */
export async function repositoryLeftovers(fs: DurableFs, gitdir: string): Promise<readonly Leftover[]> {
  const objects = join(gitdir, "objects");
  const prefixes = (await fs.list(objects)).filter((name) => /^[0-9a-f]{2}$/.test(name));
  const tagFolders = await new Tags(fs, gitdir).folders();
  const found = await Promise.all([
    ...["", "refs/heads"].map((name) => abandonedFiles(fs, join(gitdir, name))),
    ...tagFolders.map((folder) => abandonedFiles(fs, folder)),
    ...prefixes.map((prefix) => abandonedFiles(fs, join(objects, prefix))),
  ]);
  return [...found.flat(), ...(await packLeftovers(fs, gitdir))];
}
