/** Commits by somebody with git. */
import { toBranchName } from "../../src/domain/commits/branch-name.ts";
import { toHiveSlug, type Oid } from "../../src/domain/names.ts";
import type { Storage } from "../../src/service/storage.ts";
import { BareRepo } from "../../src/git/bare-repo.ts";
import type { Disk } from "../../src/disk/disk.ts";
import { DurableFs } from "../../src/disk/durable-fs.ts";
import { toCommit, toGitObject } from "../../src/git/objects/git-object.ts";
import { changeTree, emptyTree } from "../../src/git/objects/tree.ts";

const author = { name: "Somebody", email: "somebody@example.org" };

export interface OutsideCommit {
  /** Path → content; undefined removes the file. */
  readonly files: Readonly<Record<string, string | undefined>>;
  /** HEAD if not given; none makes a history of its own. */
  readonly parents?: readonly Oid[];
  /** Whether the branch moves to it; it does if not told otherwise. */
  readonly isMoved?: boolean;
  readonly message?: string;
}

/** Makes a commit on what is at HEAD, or on nothing where it has no parent. */
export async function commitOutside(
  {
    storage,
    disk,
    slug,
    branch,
  }: {
    readonly storage: Storage;
    readonly disk: Disk;
    readonly slug: string;
    /** Main if not given. */
    readonly branch?: string;
  },
  { files, parents, isMoved = true, message = "By hand\n" }: OutsideCommit,
): Promise<Oid> {
  const repo = new BareRepo(new DurableFs(disk), storage.hives.folderOf(toHiveSlug(slug)));
  const ref = branch === undefined ? repo.main : repo.branches.ref(toBranchName(branch));
  const head = await repo.readCommit(ref.read());
  const base = parents?.length === 0 ? emptyTree : await repo.readTree(head.tree);
  const blobs = Object.entries(files).map(([path, content]) => ({
    path,
    blob: content === undefined ? undefined : toGitObject("blob", content),
  }));
  const { tree, objects } = changeTree(base, new Map(blobs.map(({ path, blob }) => [path, blob?.oid])));
  const fields = { author, committer: author, time: 1, message };
  const commit = toCommit({ ...fields, tree: tree.oid, parents: parents ?? [head.oid] });
  await repo.writeObjects([...blobs.flatMap(({ blob }) => blob ?? []), ...objects, commit]);
  if (isMoved) await ref.update({ expected: head.oid, next: commit.oid, prepare: async () => {} });
  return commit.oid;
}
