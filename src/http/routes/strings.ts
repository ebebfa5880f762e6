/** Source strings: list, import, sync. */
import { toSourceFiles } from "../../domain/payload.ts";
import type { SourceCounts } from "../../domain/source-import.ts";
import { importSource } from "../../service/imports.ts";
import { listStrings, type StringPage } from "../../service/queries.ts";
import { respondJson, toJson } from "../respond.ts";
import type { Endpoint, HiveRequest, Reading } from "../route.ts";
import {
  check,
  listQuery,
  noQuery,
  sourceBody,
  type ImportResponse,
  type ListResponse,
  type SyncResponse,
} from "../schemas.ts";

const path = "/api/hives/:slug/strings";

async function list({ storage, answers, hive, query }: HiveRequest): Promise<Reading> {
  const { page, per_page: perPage, file } = check(listQuery, query, "query");
  const strings = await listStrings(storage, hive.slug, {
    offset: (page - 1) * perPage,
    limit: perPage,
    file,
  });
  const answer = await answers.get(["list", strings.version, page, perPage, file], async () =>
    toJson(toList(await strings.read(), page, perPage)),
  );
  return { answer, commit: strings.commit };
}

function toList({ strings, total }: StringPage, page: number, perPage: number): ListResponse {
  return {
    data: strings.map(({ key, text, isPlural, file }) => ({
      key,
      source_value: text,
      is_plural: isPlural,
      file,
    })),
    meta: {
      current_page: page,
      last_page: Math.max(1, Math.ceil(total / perPage)),
      per_page: perPage,
      total,
    },
  };
}

async function change(
  { storage, hive, query, readJson, words }: HiveRequest,
  mode: "import" | "sync",
): Promise<SourceCounts> {
  check(noQuery, query, "query");
  const body = check(sourceBody, await readJson(), "body");
  const files = toSourceFiles(body.files);
  return importSource(storage, hive, { files, mode, conflictStrategy: body.conflict_strategy }, words);
}

function toImportResponse({
  created,
  updated,
  unchanged,
  translationsCleared,
}: SourceCounts): ImportResponse {
  return { created, updated, unchanged, translations_cleared: translationsCleared };
}

async function importStrings(request: HiveRequest): Promise<Response> {
  return respondJson(toImportResponse(await change(request, "import")));
}

async function sync(request: HiveRequest): Promise<Response> {
  const counts = await change(request, "sync");
  const response: SyncResponse = { ...toImportResponse(counts), deleted: counts.deleted };
  return respondJson(response);
}

export const stringEndpoints: readonly Endpoint[] = [
  { method: "GET", path, ability: "read", read: list },
  { method: "POST", path, ability: "write", act: importStrings },
  { method: "PUT", path, ability: "write", act: sync },
];
