/** Undoes one commit. */
import { undoCommit } from "../../service/content/undo.ts";
import { withExample } from "../openapi/route-docs.ts";
import { orPreview } from "../pipeline/preview.ts";
import { hiveWrite, type HiveRoute } from "../pipeline/route.ts";
import { undoBody, undoResponse } from "../schemas/history-schemas.ts";
import { sourceWriteQuery } from "../schemas/write-preconditions.ts";

export const undoRoutes: readonly HiveRoute[] = [
  hiveWrite({
    id: "undoCommit",
    method: "POST",
    path: "/api/hives/:slug/undo",
    takesBranch: true,
    ability: "write",
    isRepeatable: true,
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
    handler({ storage, branch, body: { commit, on_conflict: onConflict }, context }) {
      return undoCommit(storage, branch, { commit, onConflict }, context);
    },
  }),
];
