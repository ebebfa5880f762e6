/** The commit of a write that the notice about it offers to undo. */
import { isMain } from "../../../domain/commits/branch-name.ts";
import type { Oid } from "../../../domain/names.ts";
import type { CommitResult } from "../../../service/access.ts";
import type { HiveRequest } from "./page.ts";

/** What is known of a write. */
export type Done = Pick<CommitResult<unknown>, "commit" | "isUnchanged">;

/** The commit that a write made; undefined where it made none. */
export function undoOf({ commit, isUnchanged }: Done): Oid | undefined {
  return isUnchanged === true ? undefined : commit;
}

/** The same of what is always written to main: a page of a branch, to which the form may lead back, cannot undo it. */
export function undoOnMain({ branch }: Pick<HiveRequest, "branch">, done: Done): Oid | undefined {
  return isMain(branch) ? undoOf(done) : undefined;
}

/** What the notice says of a write that may change nothing. */
export function savedNotice({ isUnchanged }: Done): "saved" | "already-so" {
  return isUnchanged === true ? "already-so" : "saved";
}
