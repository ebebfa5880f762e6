/** The branch that a request about a Hive names by `?branch=`; main without it. */
import {
  isBranchName,
  mainBranch,
  unknownBranch,
  type HiveBranch,
} from "../../domain/commits/branch-name.ts";
import { invalid, isFailure } from "../../domain/errors.ts";
import { isOid, type HiveSlug, type Oid } from "../../domain/names.ts";
import type { Storage } from "../../service/storage.ts";

/**
 * The Hive at the branch that a request names.
 * @param branch the query parameter as given; undefined means main.
 * @throws SkepError `invalid` on `branch` when it is not one text; `not-found` when the Hive has no such branch.
 */
export function hiveBranchOf(hives: Storage["hives"], slug: HiveSlug, branch: unknown): HiveBranch {
  if (branch === undefined || branch === mainBranch) return slug;
  if (typeof branch !== "string" || branch === "") {
    throw invalid("branch", "must be the name of a branch, and given once");
  }
  if (!isBranchName(branch)) throw unknownBranch(branch);
  const at = { slug, branch };
  // Checked before anything is read of the body.
  hives.head(at);
  return at;
}

/** The commit that a read must have at least. @throws SkepError `invalid` on `min_commit`. */
export function minCommitOf(given: unknown): Oid {
  if (typeof given === "string" && isOid(given)) return given;
  throw invalid("min_commit", "must be the full name of a commit, and given once");
}

/** Of a write that names one, an unknown branch is a fault of its input: the Hive is there, and a client must not take it for missing. */
export async function refusingUnknownBranch<T>(isWrite: boolean, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    if (!isWrite || !isFailure(cause, "not-found") || cause.publicCode !== "unknown_branch") throw cause;
    throw invalid("branch", cause.message, { cause, publicCode: "unknown_branch" });
  }
}
