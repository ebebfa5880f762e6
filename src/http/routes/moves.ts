/** Moves source strings to other keys and files. */
import { moveStrings } from "../../service/content/moves.ts";
import { withExample } from "../openapi/route-docs.ts";
import { orPreview, previewOf } from "../pipeline/preview.ts";
import type { HiveRoute, WriteRequest } from "../pipeline/route.ts";
import { respondJson } from "../responses/respond.ts";
import { movesBody, movesResponse, type MovesResponse } from "../schemas/move-schemas.ts";
import { check, ignoredMembers } from "../schemas/schemas.ts";
import { dryRunQuery } from "../schemas/write-preconditions.ts";

async function move(request: WriteRequest): Promise<Response> {
  const { storage, branch, query, context } = request;
  const { dry_run: dryRun } = check(dryRunQuery, query, "query");
  const sent = await request.readJson();
  const named = check(movesBody, sent, "body").moves.map(({ from, to }) => ({
    from: { file: from.file, key: from.key ?? undefined },
    to: { file: to.file, key: to.key ?? undefined },
  }));
  const done = await moveStrings(storage, branch, named, { ...context, dryRun });
  const { moved, translationsMoved, translationsDeleted } = done.result;
  const response: MovesResponse = {
    moved,
    translations_moved: translationsMoved,
    translations_deleted: translationsDeleted,
  };
  const preview = previewOf(done, request, ignoredMembers(movesBody, sent));
  return respondJson({ ...response, ...preview }, { commit: done.commit });
}

export const moveRoutes: readonly HiveRoute[] = [
  {
    kind: "hive-write",
    method: "POST",
    path: "/api/hives/:slug/keys/move",
    ability: "write",
    takesBranch: true,
    isRepeatable: true,
    handler: move,
    docs: {
      id: "moveStrings",
      group: "Source strings",
      summary: "Move source strings",
      description:
        "Gives source strings another key or another file. Their translations go with them, and their history goes on.",
      query: dryRunQuery,
      body: withExample(movesBody, {
        moves: [
          { from: { file: "auth.php", key: "failed" }, to: { file: "auth.php", key: "login.failed" } },
          { from: { file: "menu.php" }, to: { file: "admin/menu.php" } },
        ],
      }),
      response: withExample(orPreview(movesResponse, "MoveResult"), {
        moved: 2,
        translations_moved: 4,
        translations_deleted: 0,
      }),
    },
  },
];
