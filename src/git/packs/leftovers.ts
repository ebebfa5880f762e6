/** Leftovers of a crash in a repository: unfinished objects, packs and refs, and lock files of refs. */
import { basename, join } from "node:path";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { abandoned, abandonedFiles, type Leftover } from "../../disk/leftovers.ts";
import { looseFolders } from "../objects/loose.ts";
import { packedRefsPath, walkLooseRefs, type RefEntry } from "../refs/ref-files.ts";
import { finishRemoval, unfinishedPacks } from "./packs.ts";
import { quarantinePath } from "./quarantine.ts";

/** git may work on a pack for many minutes without writing to it. */
const abandonedPackAfterMs = 3_600_000;

const refFolders = ["refs/heads", "refs/tags", "refs/skep"];

/** Git's own lock files of refs. Nothing tells whether one is in use, so the operator has to decide. */
export async function abandonedRefLocks(fs: DurableFs, gitdir: string): Promise<readonly Leftover[]> {
  const refs = await Promise.all(refFolders.map((folder) => abandonedRefs(fs, gitdir, folder, "lock")));
  return [...refs.flat(), ...abandoned(fs, [`${packedRefsPath(gitdir)}.lock`])];
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

/** Unfinished objects, packs, pushes and refs of one repository. */
export async function repositoryLeftovers(fs: DurableFs, gitdir: string): Promise<readonly Leftover[]> {
  const folders = await looseFolders(fs, gitdir);
  const found = await Promise.all([
    abandonedFiles(fs, gitdir),
    ...refFolders.map((folder) => abandonedRefs(fs, gitdir, folder, "temporary")),
    ...folders.map((folder) => abandonedFiles(fs, join(gitdir, "objects", folder))),
  ]);
  // What a push left behind whose process was killed.
  const pushed = abandoned(fs, [quarantinePath(gitdir)], {
    remove: (path) => fs.removeFolder(path),
    afterMs: abandonedPackAfterMs,
  });
  return [...found.flat(), ...(await packLeftovers(fs, gitdir)), ...pushed];
}
