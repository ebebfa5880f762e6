/** Leftovers of a crash in a repository: unfinished objects, packs and refs, and lock files of refs. */
import { basename, join } from "node:path";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { abandoned, abandonedFiles, type Leftover } from "../../disk/leftovers.ts";
import { looseFolders } from "../objects/loose.ts";
import { walkLooseRefs, type RefEntry } from "../refs/ref-files.ts";
import { finishRemoval, unfinishedPacks } from "./packs.ts";

/** git may work on a pack for many minutes without writing to it. */
const abandonedPackAfterMs = 3_600_000;

/** Git's own lock files of the branch and tags. Nothing tells whether one is in use, so the operator has to decide. */
export async function abandonedRefLocks(fs: DurableFs, gitdir: string): Promise<readonly Leftover[]> {
  const heads = await abandonedRefs(fs, gitdir, "refs/heads", "lock");
  const tags = await abandonedRefs(fs, gitdir, "refs/tags", "lock");
  return [...heads.filter(({ path }) => path === join(gitdir, "refs/heads/main.lock")), ...tags];
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

/** Unfinished packs of one repository. */
export async function packLeftovers(fs: DurableFs, gitdir: string): Promise<readonly Leftover[]> {
  const paths = (await unfinishedPacks(fs, gitdir)).map((file) => join(gitdir, "objects/pack", file));
  const remove = (path: string): Promise<void> => finishRemoval(fs, gitdir, basename(path));
  return abandoned(fs, paths, { remove, afterMs: abandonedPackAfterMs });
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
