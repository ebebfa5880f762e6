/** Repairs an unreadable `hive.yaml` by a commit that restores the last readable one. */
import { commandAuthor } from "../../domain/commits/commit-message.ts";
import type { HeldLock } from "../../disk/held-lock.ts";
import type { Oid } from "../../domain/names.ts";
import { UnreadablePath, type BareRepo } from "../../git/bare-repo.ts";
import type { CommitInfo } from "../../git/objects/git-object.ts";
import { buildCommit } from "./hive-commit.ts";
import { readSettings, settingsPath } from "../content/snapshot.ts";
import { changeTree, fileIn, type Tree } from "../../git/objects/tree.ts";

/** A Hive whose settings cannot be read at HEAD, and the last commit at which they can. */
export interface UnreadableSettings {
  readonly head: CommitInfo;
  readonly tree: Tree;
  readonly readable: Oid;
  readonly blob: Oid;
}

/** Finds unreadable settings that can be repaired; undefined when they are readable, or no earlier ones are. */
export async function findUnreadableSettings(repo: BareRepo): Promise<UnreadableSettings | undefined> {
  const head = await repo.readCommit(repo.main.read());
  const tree = await repo.readTree(head.tree);
  if (await isReadable(repo, head.oid, tree)) return undefined;
  const tried = new Set([fileIn(tree, settingsPath)]);
  let known = tree;
  for (let [oid] = head.parents; oid !== undefined;) {
    const commit = await repo.readCommit(oid);
    known = await repo.readTree(commit.tree, known);
    const blob = fileIn(known, settingsPath);
    if (blob !== undefined && !tried.has(blob) && (await isReadable(repo, oid, known))) {
      return { head, tree, readable: oid, blob };
    }
    tried.add(blob);
    [oid] = commit.parents;
  }
  return undefined;
}

async function isReadable(repo: BareRepo, commit: Oid, tree: Tree): Promise<boolean> {
  try {
    await readSettings(repo, commit, tree);
    return true;
  } catch (error) {
    if (!(error instanceof UnreadablePath)) throw error;
    return false;
  }
}

/**
 * Commits the last readable settings on top of HEAD. The caller holds the Hive's lock.
 * @param now in seconds since 1970.
 * @param lock checked just before HEAD moves; if it was lost, HEAD stays.
 * @throws SkepError `head-moved` when HEAD has moved meanwhile.
 */
export async function repairSettings(
  repo: BareRepo,
  { head, tree: broken, readable, blob }: UnreadableSettings,
  { now, lock }: { readonly now: number; readonly lock: HeldLock },
): Promise<void> {
  const subject = `Repair hive.yaml: take it from ${readable.slice(0, 12)}`;
  const { tree, objects } = changeTree(broken, new Map([[settingsPath, blob]]));
  const { commit, object } = buildCommit({
    metadata: { author: commandAuthor, subject, operation: "verify" },
    tree: tree.oid,
    parents: [head.oid],
    time: Math.max(now, head.time),
  });
  const prepare = (): Promise<void> => repo.writeObjects([...objects, object]);
  await repo.main.update({ expected: head.oid, next: commit.oid, prepare, lock });
}
