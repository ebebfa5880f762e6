/** Reads all refs of one repository, for backups and mirrors, and replaces them when a backup is restored. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { isBranchName, mainBranch } from "../../domain/commits/branch-name.ts";
import type { MirroredBranch, PushableRefs } from "../../domain/hives/mirror.ts";
import { isOid, type Oid } from "../../domain/names.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { packedRefsPath, parsePackedRefs, readLooseRefs } from "./ref-files.ts";
import { openRefs, BranchRef, branchesFolder } from "./ref.ts";

/** Refs by their full names, such as `refs/heads/main`. */
export type Refs = ReadonlyMap<string, Oid>;

/** The full name of the branch main. */
export const mainRef = `${branchesFolder}/${mainBranch}`;

/** Reads all refs except symbolic ones. A ref that git packs meanwhile is found in one form or the other. */
export async function readRefs(fs: DurableFs, gitdir: string): Promise<Refs> {
  const loose = await readLooseRefs(fs, gitdir);
  const refs = new Map(parsePackedRefs((await fs.readText(packedRefsPath(gitdir))) ?? ""));
  for (const [name, text] of loose) if (isOid(text)) refs.set(name, text);
  return refs;
}

/**
 * Reads what a Hive pushes to its mirrors: main, and digests of main and all tags, without and with other branches.
 * @throws SkepError `not-found` when there is no repository, `content-invalid` when it has no main.
 */
export async function readPushableRefs(fs: DurableFs, gitdir: string): Promise<PushableRefs> {
  const main = new BranchRef(openRefs(fs, gitdir)).read();
  const refs = await readRefs(fs, gitdir);
  const names = [...refs.keys()].filter((name) => name !== mainRef).toSorted();
  const hash = createHash("sha256").update(main);
  const add = (folder: string): string => {
    for (const name of names) if (name.startsWith(`${folder}/`)) hash.update(`\n${refs.get(name)} ${name}`);
    return hash.copy().digest("hex");
  };
  const branches = names.flatMap((ref): MirroredBranch[] => {
    const [name, commit] = [ref.slice(branchesFolder.length + 1), refs.get(ref)];
    return ref.startsWith(`${branchesFolder}/`) && isBranchName(name) && commit !== undefined
      ? [{ name, commit }]
      : [];
  });
  return { main, digest: add("refs/tags"), digestWithBranches: add(branchesFolder), branches };
}

/**
 * Replaces all refs of a repository at once, by replacing one file. No other process may change the repository
 * meanwhile.
 */
export async function replaceRefs(fs: DurableFs, gitdir: string, refs: Refs): Promise<void> {
  const text = Array.from(refs, ([name, oid]) => `${oid} ${name}\n`).join("");
  const path = packedRefsPath(gitdir);
  if (text !== ((await fs.readText(path)) ?? "")) await fs.write(path, text);
  // Git prefers a loose ref to a packed one of the same name.
  for (const name of (await readLooseRefs(fs, gitdir)).keys()) await fs.removeFile(join(gitdir, name));
}
