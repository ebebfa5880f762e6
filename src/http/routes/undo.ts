/** Taking back what one commit did. */
import { undoCommit } from "../../service/undo.ts";
import { respondJson } from "../respond.ts";
import type { Endpoint, HiveRequest } from "../route.ts";
import { check, noQuery, undoBody, type UndoResponse } from "../schemas.ts";

async function undo({ storage, hive, query, readJson, words }: HiveRequest): Promise<Response> {
  check(noQuery, query, "query");
  const { commit, on_conflict: onConflict } = check(undoBody, await readJson(), "body");
  const undone = await undoCommit(storage, hive, { commit, onConflict }, words);
  const response: UndoResponse = undone.result;
  return respondJson(response, { commit: undone.commit });
}

export const undoEndpoints: readonly Endpoint[] = [
  { method: "POST", path: "/api/hives/:slug/undo", ability: "write", act: undo },
];
