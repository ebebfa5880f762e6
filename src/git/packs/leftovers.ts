/** What a crash leaves behind: unfinished files and folders that nothing refers to. */
import { join } from "node:path";
import { statNow } from "../../disk/disk.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { isTemporary } from "../../disk/temporary-name.ts";
import { looseFolders } from "../objects/loose.ts";
import { finishRemoval, unfinishedPacks } from "./packs.ts";
import { walkLooseRefs, type RefEntry } from "../refs/ref-files.ts";

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

/** Git's own locks of the branch and the tags. Nothing tells whether one is in use, so a person decides that it can go. */
export async function abandonedRefLocks(fs: DurableFs, gitdir: string): Promise<readonly Leftover[]> {
  const ofMain = (await abandonedRefs(fs, gitdir, "refs/heads", "lock")).filter(
    ({ path }) => path === join(gitdir, "refs/heads/main.lock"),
  );
  return [...ofMain, ...(await abandonedRefs(fs, gitdir, "refs/tags", "lock"))];
}

async function abandonedRefs(
  fs: DurableFs,
  gitdir: string,
  folder: string,
  kind: RefEntry["kind"],
): Promise<readonly Leftover[]> {
  const paths: string[] = [];
  for await (const entry of walkLooseRefs(fs, gitdir, folder)) {
    if (entry.kind === kind) paths.push(join(gitdir, entry.name));
  }
  return abandoned(fs, paths);
}

async function abandonedFiles(fs: DurableFs, folder: string): Promise<readonly Leftover[]> {
  return abandoned(
    fs,
    (await fs.list(folder)).filter(isTemporary).map((name) => join(folder, name)),
  );
}

function abandoned(fs: DurableFs, paths: readonly string[]): readonly Leftover[] {
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
    .map(({ file, path }) => ({ path, remove: () => finishRemoval(fs, gitdir, file) }));
}

/** Unfinished objects, packs and refs of one repository. */
export async function repositoryLeftovers(fs: DurableFs, gitdir: string): Promise<readonly Leftover[]> {
  const folders = await looseFolders(fs, gitdir);
  const found = await Promise.all([
    abandonedFiles(fs, gitdir),
    ...["refs/heads", "refs/tags"].map((folder) => abandonedRefs(fs, gitdir, folder, "temporary")),
    ...folders.map((folder) => abandonedFiles(fs, join(gitdir, "objects", folder))),
  ]);
  return [...found.flat(), ...(await packLeftovers(fs, gitdir))];
}
