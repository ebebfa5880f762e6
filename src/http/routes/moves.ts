/** Moves source strings to other keys and files. */
import { moveStrings } from "../../service/content/moves.ts";
import { withExample } from "../openapi/route-docs.ts";
import { orPreview } from "../pipeline/preview.ts";
import { hiveWrite, type HiveRoute } from "../pipeline/route.ts";
import { movesBody, movesResponse } from "../schemas/move-schemas.ts";
import { dryRunQuery } from "../schemas/write-preconditions.ts";
import { withoutNulls } from "../../domain/record.ts";

export const moveRoutes: readonly HiveRoute[] = [
  hiveWrite({
    id: "moveStrings",
    method: "POST",
    path: "/api/hives/:slug/keys/move",
    ability: "write",
    takesBranch: true,
    isRepeatable: true,
    group: "Source strings",
    summary: "Move source strings",
    description:
      "Gives source strings another key or another file, with their translations and their history. A string that stays in its group keeps its position; in another group or file it comes last. Plural forms that only translations have move with the form `other`; they are deleted if the moves separate the forms of their plural string.",
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
    async handler({ storage, branch, body, context }) {
      const moves = body.moves.map(({ from, to }) => ({
        from: withoutNulls(from),
        to: withoutNulls(to),
      }));
      const done = await moveStrings(storage, branch, moves, context);
      const { moved, translationsMoved, translationsDeleted } = done.result;
      const result = {
        moved,
        translations_moved: translationsMoved,
        translations_deleted: translationsDeleted,
      };
      return { ...done, result };
    },
  }),
];
