/** History: the commits of a Hive, and what each changed. */
import { listHistory, showCommit } from "../../service/history.ts";
import { toHistoryEntry, toKeyChange } from "../history-entry.ts";
import { toMeta, toStretch } from "../page.ts";
import { historyQuery, type ChangesResponse, type HistoryResponse } from "../past-schemas.ts";
import { toJson } from "../respond.ts";
import type { Endpoint, HiveRequest, Reading } from "../route.ts";
import { check, pageQuery } from "../schemas.ts";

async function list({ storage, answers, hive, query }: HiveRequest): Promise<Reading> {
  const asked = check(historyQuery, query, "query");
  const { version, read, ...from } = await listHistory(storage, hive.slug, { ...asked, ...toStretch(asked) });
  const answer = await answers.get(["history", hive.slug, version, asked], async () => {
    const { entries, total } = await read();
    const response: HistoryResponse = {
      data: entries.map(toHistoryEntry),
      meta: toMeta({ page: asked.page, perPage: asked.per_page, total }),
    };
    return toJson(response);
  });
  return { answer, ...from };
}

async function show({ storage, answers, hive, param, query }: HiveRequest): Promise<Reading> {
  const asked = check(pageQuery, query, "query");
  const shown = await showCommit(storage, hive.slug, param("commit"), toStretch(asked));
  const { version, read, ...from } = shown;
  const answer = await answers.get(["show", hive.slug, version, asked], async () => {
    const { entry, changes, total } = await read();
    const response: ChangesResponse = {
      commit: toHistoryEntry(entry),
      data: changes.map(toKeyChange),
      meta: toMeta({ page: asked.page, perPage: asked.per_page, total }),
    };
    return toJson(response);
  });
  return { answer, ...from };
}

const path = "/api/hives/:slug/history";

export const historyEndpoints: readonly Endpoint[] = [
  { method: "GET", path, ability: "read", read: list },
  { method: "GET", path: `${path}/:commit`, ability: "read", read: show },
];
