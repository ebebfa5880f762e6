/** Edits of single source strings by people. */
import type { HiveBranch } from "../../domain/commits/branch-name.ts";
import { plannedEdit, type SourceEdit } from "../../domain/plans/source-edit.ts";
import type { CommitResult, WriteContext } from "../access.ts";
import { importSource, moveStrings } from "../content/imports.ts";
import type { ContentStorage } from "../storage.ts";

/**
 * Adds, changes, moves or removes source strings as one commit, as an import, a sync or a move of the API does.
 * @throws SkepError as {@link plannedEdit}, `importSource` and `moveStrings`; `precondition-failed` where the Hive is changed
 * meanwhile.
 */
export async function editSource(
  storage: ContentStorage,
  branch: HiveBranch,
  edit: SourceEdit,
  context: WriteContext,
): Promise<CommitResult<unknown>> {
  const { index, commit } = await storage.hives.at(branch).snapshot();
  const planned = plannedEdit(index.source, edit);
  if ("moves" in planned) return moveStrings(storage, branch, planned.moves, context);
  // What was read decides what is sent: no string of the file may come or go in between.
  const expectedHead = context.expectedHead ?? commit.oid;
  return importSource(storage, branch, planned.sent, { ...context, expectedHead });
}
