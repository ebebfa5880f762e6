/** What the operations of the history do. */
import { history } from "../../api/content/history.ts";
import { toOffsetLimit, toPage } from "../../api/page.ts";
import { listHistory, showCommit } from "../../service/content/history.ts";
import { undoCommit } from "../../service/content/undo.ts";
import { undoOrigin } from "../../service/review/undo-origin.ts";
import { converted } from "../responses/respond.ts";
import { toHistoryEntry, toKeyChange } from "../schemas/history-schemas.ts";
import { implementOnHive, slow } from "../operations/implement.ts";

export const historyOperations = implementOnHive(
  history,
  {
    listHistory: async ({ storage, branch, query, signal }) => {
      const page = await listHistory(storage, branch, { ...query, ...toOffsetLimit(query), signal });
      return converted(page, (commits) => toPage(commits, query, toHistoryEntry));
    },
    getCommit: async ({ storage, branch, param, query, signal }) => {
      const page = await showCommit(storage, branch, param("commit"), toOffsetLimit(query), signal);
      return converted(page, ({ entry, ...changes }) => ({
        commit: toHistoryEntry(entry),
        ...toPage(changes, query, toKeyChange),
      }));
    },
    undoCommit: async ({ storage, branch, body, context, event }) => {
      const { commit = "", origin, since = "", on_conflict: onConflict } = body;
      if (origin === undefined) return undoCommit(storage, branch, { commit, onConflict }, context);
      return undoOrigin(storage, branch, { origin, since, signal: event.req.signal }, context);
    },
  },
  { listHistory: slow, getCommit: slow },
);
