/** History: the commits of a Hive, and what each changed. */
import { listHistory, showCommit } from "../../service/content/history.ts";
import { withExample } from "../openapi/route-docs.ts";
import { hiveRead, type HiveRoute } from "../pipeline/route.ts";
import { converted } from "../responses/respond.ts";
import { toHistoryEntry, toKeyChange } from "../schemas/history-entry.ts";
import {
  changesResponse,
  historyQuery,
  historyResponse,
  type HistoryEntryResponse,
} from "../schemas/history-schemas.ts";
import { metaExample, toMeta, toOffsetLimit } from "../schemas/page.ts";
import { pageQuery } from "../schemas/schemas.ts";

const path = "/api/hives/:slug/history";

const commitExample: HistoryEntryResponse = {
  commit: "1b2c3d4e5f60718293a4b5c6d7e8f90123456789",
  time: "2026-01-31T09:30:00Z",
  author: { name: "CI", email: "4fQ2xZ@tokens.skep.invalid" },
  subject: "Import source strings: 1 created, 1 updated",
  message: null,
  operation: "import",
  token: "4fQ2xZ",
  person: null,
  strategy: "keep",
  ref: "https://ci.example.org/runs/42",
  origin: { kind: "model", name: "example-1", prompt: "sha256:9f2c" },
  counts: { created: 1, updated: 1 },
};

export const historyRoutes: readonly HiveRoute[] = [
  hiveRead({
    id: "listHistory",
    path,
    takesBranch: true,
    group: "History",
    summary: "List commits",
    description:
      "The commits of `main` along the first parents, newest first. A merge is one commit; the commits that it brought in are left out.",
    query: historyQuery,
    response: withExample(historyResponse, { data: [commitExample], meta: metaExample }),
    isSlow: () => true,
    async handler({ storage, branch, query, signal }) {
      const page = await listHistory(storage, branch, { ...query, ...toOffsetLimit(query), signal });
      return converted(page, ({ entries, total }) => ({
        data: entries.map(toHistoryEntry),
        meta: toMeta(query, total),
      }));
    },
  }),
  hiveRead({
    id: "getCommit",
    path: `${path}/:commit`,
    takesBranch: true,
    group: "History",
    summary: "Get a commit and its changes",
    description: "Changes are listed key by key. A merge lists its difference to its first parent.",
    query: pageQuery,
    response: withExample(changesResponse, {
      commit: commitExample,
      data: [
        {
          locale: "en",
          file: "auth.php",
          key: "failed",
          before: "Bad password.",
          after: "Wrong password.",
        },
      ],
      meta: metaExample,
    }),
    isSlow: () => true,
    async handler({ storage, branch, param, query, signal }) {
      const page = await showCommit(storage, branch, param("commit"), toOffsetLimit(query), signal);
      return converted(page, ({ entry, changes, total }) => ({
        commit: toHistoryEntry(entry),
        data: changes.map(toKeyChange),
        meta: toMeta(query, total),
      }));
    },
  }),
];
