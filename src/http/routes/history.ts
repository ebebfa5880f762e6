/** History: the commits of a Hive, and what each changed. */
import { listHistory, showCommit } from "../../service/content/history.ts";
import type { Versioned } from "../../service/content/queries.ts";
import { toHistoryEntry, toKeyChange } from "../schemas/history-entry.ts";
import { withExample } from "../openapi/route-docs.ts";
import { toMeta, toOffsetLimit } from "../schemas/page.ts";
import {
  changesResponse,
  historyQuery,
  historyResponse,
  type ChangesResponse,
  type HistoryEntryResponse,
  type HistoryResponse,
} from "../schemas/history-schemas.ts";
import { toJson } from "../responses/respond.ts";
import { rendered } from "../responses/respond-read.ts";
import type { HiveRoute, HiveRequest } from "../pipeline/route.ts";
import { check, pageQuery } from "../schemas/schemas.ts";

async function list({ storage, branch, query, signal }: HiveRequest): Promise<Versioned<Uint8Array>> {
  const asked = check(historyQuery, query, "query");
  const found = await listHistory(storage, branch, { ...asked, ...toOffsetLimit(asked), signal });
  return rendered(found, ["history", branch, asked], ({ entries, total }) => {
    const response: HistoryResponse = {
      data: entries.map(toHistoryEntry),
      meta: toMeta(asked, total),
    };
    return toJson(response);
  });
}

async function show(request: HiveRequest): Promise<Versioned<Uint8Array>> {
  const { storage, branch, param, query, signal } = request;
  const asked = check(pageQuery, query, "query");
  const shown = await showCommit(storage, branch, param("commit"), toOffsetLimit(asked), signal);
  return rendered(shown, ["show", branch, asked], ({ entry, changes, total }) => {
    const response: ChangesResponse = {
      commit: toHistoryEntry(entry),
      data: changes.map(toKeyChange),
      meta: toMeta(asked, total),
    };
    return toJson(response);
  });
}

const path = "/api/hives/:slug/history";

const commitExample: HistoryEntryResponse = {
  commit: "1b2c3d4e5f60718293a4b5c6d7e8f90123456789",
  time: "2026-01-31T09:30:00Z",
  author: { name: "CI", email: "4fQ2xZ@tokens.skep.invalid" },
  subject: "Import source strings: 1 created, 1 updated",
  message: null,
  operation: "import",
  token: "4fQ2xZ",
  strategy: "keep",
  ref: "https://ci.example.org/runs/42",
  counts: { created: 1, updated: 1 },
};

const pageExample = { current_page: 1, last_page: 1, per_page: 100, total: 1 };

export const historyRoutes: readonly HiveRoute[] = [
  {
    kind: "hive-read",
    method: "GET",
    path,
    takesBranch: true,
    ability: "read",
    handler: list,
    isSlow: () => true,
    docs: {
      id: "listHistory",
      group: "History",
      summary: "List commits",
      description:
        "The commits of `main`, newest first. Of a merge, the commits that it brought in are left out.",
      query: historyQuery,
      response: withExample(historyResponse, { data: [commitExample], meta: pageExample }),
    },
  },
  {
    kind: "hive-read",
    method: "GET",
    path: `${path}/:commit`,
    takesBranch: true,
    ability: "read",
    handler: show,
    isSlow: () => true,
    docs: {
      id: "getCommit",
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
        meta: pageExample,
      }),
    },
  },
];
