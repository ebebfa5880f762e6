/** Undoes one commit. */
import { undoCommit } from "../../service/content/undo.ts";
import { undoOrigin } from "../../service/review/undo-origin.ts";
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
    summary: "Undo a commit, or the texts of an origin",
    description:
      "Makes a new commit that reverts the changes of one commit to source strings and translations, and can itself be undone; of a merge, it reverts the difference to the first parent. A file that is still as the commit left it also gets back its order, nesting and empty groups. Settings are not reverted. A 422 is the response for the first commit, for a commit that changed no text, no confirmation and no order, and for a commit that changed only the order of files which have changed again. A file whose name now clashes with another file is not restored. With `origin` and `since`, each translation that a person, a script or a model has written since a revision gets the text back that it had before, with its stale marker and its review, if nobody else has changed it; source strings stay.",
    query: sourceWriteQuery,
    body: withExample(undoBody, { commit: "1b2c3d4", on_conflict: "fail" }),
    response: withExample(orPreview(undoResponse, "UndoResult"), {
      restored: 1,
      updated: 2,
      deleted: 0,
      skipped: 0,
    }),
    errors: ["text-conflict", "quota", "check-failed"],
    async handler({ storage, branch, body, context, event }) {
      const { commit = "", origin, since = "", on_conflict: onConflict } = body;
      if (origin === undefined) return undoCommit(storage, branch, { commit, onConflict }, context);
      return undoOrigin(storage, branch, { origin, since, signal: event.req.signal }, context);
    },
  }),
];
