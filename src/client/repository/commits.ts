/** Reads commits of the app's git repository. */
import { ClientError } from "../api/client-error.ts";
import { isInGit } from "./app-branch.ts";
import { partialHint, runGit, tryGit } from "./run-git.ts";

/** How many ancestors are looked at: more than are made between two pushes. */
const maxAncestors = 100_000;

/** A hint for shallow clones, which lack earlier commits; empty in any other clone. */
export async function shallowHint(folder: string): Promise<string> {
  const isShallow = (await tryGit(folder, ["rev-parse", "--is-shallow-repository"]))?.trim() === "true";
  return isShallow
    ? " This clone is shallow, and the history is needed (fetch-depth: 0 of actions/checkout, GIT_DEPTH: 0 in GitLab CI, or git fetch --unshallow)."
    : "";
}

/** @throws ClientError `misuse` when a folder has no history, which a flag needs. */
export async function requireHistory(folder: string, flag: string): Promise<void> {
  const problem = `${flag} compares with the history of the app in git, but ${folder} is in`;
  if (!(await isInGit(folder))) throw new ClientError("misuse", `${problem} no git repository.`);
  const isEmpty = (await tryGit(folder, ["rev-list", "--all", "--max-count=1"])) === "";
  if (isEmpty) throw new ClientError("misuse", `${problem} a git repository without a commit.`);
}

/**
 * The commit that a branch, tag or commit of the app names.
 * @param flag where the name comes from.
 * @throws ClientError `misuse` when git does not know it.
 */
export async function resolveCommit(folder: string, flag: string, ref: string): Promise<string> {
  await requireHistory(folder, flag);
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`];
  const commit = (await tryGit(folder, args))?.trim();
  if (commit !== undefined) return commit;
  const problem = `${flag}: git knows no commit ${JSON.stringify(ref)} in ${folder}.`;
  throw new ClientError("misuse", problem + (await shallowHint(folder)));
}

/**
 * The commit at which the present branch left another one.
 * @param ref a branch, tag or commit of the app; an ancestor of HEAD is its own answer.
 * @throws ClientError `misuse` when git does not know it, or when it has nothing in common with HEAD.
 */
export async function mergeBase(folder: string, ref: string): Promise<string> {
  const commit = await resolveCommit(folder, "--base", ref);
  const base = (await tryGit(folder, ["merge-base", commit, "HEAD"]))?.trim();
  if (base !== undefined) return base;
  const problem = `--base: ${ref} and HEAD have no commit in common.`;
  throw new ClientError("misuse", problem + (await shallowHint(folder)));
}

/**
 * The commit at which HEAD left the default branch.
 * @param names of the branch, of which the first that git knows counts, at its remote before its own.
 * @returns undefined when there is none, or when HEAD is on that branch itself.
 */
export async function forkPoint(folder: string, names: readonly string[]): Promise<string | undefined> {
  for (const ref of names.flatMap((name) => [`refs/remotes/origin/${name}`, `refs/heads/${name}`])) {
    const base = (await tryGit(folder, ["merge-base", ref, "HEAD"]))?.trim();
    if (base === undefined) continue;
    return base === (await tryGit(folder, ["rev-parse", "HEAD"]))?.trim() ? undefined : base;
  }
  return undefined;
}

/**
 * HEAD and its ancestors.
 * @returns `own`: the commits that were made on the present branch; `all`: also the commits of merged branches.
 * @throws ClientError `error` when the folder is in no git repository, or the repository has no commit.
 */
export async function ancestors(
  folder: string,
): Promise<{ readonly own: ReadonlySet<string>; readonly all: ReadonlySet<string> }> {
  const list = async (...more: readonly string[]): Promise<ReadonlySet<string>> => {
    const printed = await runGit(folder, ["rev-list", `--max-count=${maxAncestors}`, ...more, "HEAD"]);
    return new Set(printed.toString("latin1").split("\n"));
  };
  return { own: await list("--first-parent"), all: await list() };
}

/** The files below a folder at a commit: the names of their blobs, by path from the folder. Links are left out. */
export async function filesAt(folder: string, commit: string): Promise<ReadonlyMap<string, string>> {
  const printed = await runGit(folder, ["ls-tree", "-r", "-z", commit]);
  const files = new Map<string, string>();
  for (const row of printed.toString("utf8").split("\0")) {
    const [, mode = "", blob, path] = /^(\d+) blob ([0-9a-f]+)\t([^]*)$/.exec(row) ?? [];
    if (blob !== undefined && path !== undefined && mode.startsWith("100")) files.set(path, blob);
  }
  return files;
}

/** Reads blobs, in the order of their names. */
export async function readBlobs(folder: string, blobs: readonly string[]): Promise<readonly Buffer[]> {
  const printed = await runGit(folder, ["cat-file", "--batch"], blobs.map((blob) => `${blob}\n`).join(""));
  let at = 0;
  return blobs.map((blob) => {
    const end = printed.indexOf("\n", at);
    const [name, type, size] = printed.toString("latin1", at, end).split(" ");
    if (name !== blob || type !== "blob") {
      throw new ClientError("error", `git cat-file: ${blob} is missing${partialHint}`);
    }
    const start = end + 1;
    // A line end follows each blob.
    at = start + Number(size) + 1;
    return printed.subarray(start, at - 1);
  });
}
