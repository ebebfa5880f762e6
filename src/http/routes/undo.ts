/** Undoes one commit. */
import { undoCommit } from "../../service/content/undo.ts";
import { withExample } from "../openapi/route-docs.ts";
import { undoBody, undoResponse, type UndoResponse } from "../schemas/history-schemas.ts";
import { orPreview, previewOf } from "../pipeline/preview.ts";
import { respondJson } from "../responses/respond.ts";
import type { HiveRoute, WriteRequest } from "../pipeline/route.ts";
import { check, ignoredMembers } from "../schemas/schemas.ts";
import { sourceWriteQuery } from "../schemas/write-preconditions.ts";

async function undo(caller: WriteRequest): Promise<Response> {
  const { storage, branch, query, readJson, context } = caller;
  const { dry_run: dryRun, max_deletions: maxDeletions } = check(sourceWriteQuery, query, "query");
  const sent = await readJson();
  const { commit, on_conflict: onConflict } = check(undoBody, sent, "body");
  const options = { ...context, dryRun, maxDeletions };
  const undone = await undoCommit(storage, branch, { commit, onConflict }, options);
  const response: UndoResponse = undone.result;
  return respondJson(
    { ...response, ...previewOf(undone, caller, ignoredMembers(undoBody, sent)) },
    { commit: undone.commit },
  );
}

export const undoRoutes: readonly HiveRoute[] = [
  {
    kind: "hive-write",
    method: "POST",
    path: "/api/hives/:slug/undo",
    takesBranch: true,
    ability: "write",
    isRepeatable: true,
    handler: undo,
    docs: {
      id: "undoCommit",
      group: "History",
      summary: "Undo a commit",
      description:
        "Makes a new commit that reverts the changes of one commit to source strings and translations, and can itself be undone. Settings are not reverted.",
      query: sourceWriteQuery,
      body: withExample(undoBody, { commit: "1b2c3d4", on_conflict: "fail" }),
      response: withExample(orPreview(undoResponse, "UndoResult"), {
        restored: 1,
        updated: 2,
        deleted: 0,
        skipped: 0,
      }),
      errors: ["text-conflict", "quota", "check-failed"],
    },
  },
];
