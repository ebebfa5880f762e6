/** Source strings: list, import, sync. */
import { toSourceFiles } from "../../domain/payload.ts";
import type { SourceCounts } from "../../domain/source-import.ts";
import { importSource, type Changed } from "../../service/imports.ts";
import { listStrings, type StringPage } from "../../service/queries.ts";
import { toMeta, toStretch } from "../page.ts";
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
  const asked = check(listQuery, query, "query");
  const { page, per_page: perPage, file, at } = asked;
  const { version, read, ...from } = await listStrings(storage, hive.slug, { ...toStretch(asked), file, at });
  const answer = await answers.get(["list", version, page, perPage, file], async () =>
    toJson(toList(await read(), page, perPage)),
  );
  return { answer, ...from };
}

function toList({ strings, total }: StringPage, page: number, perPage: number): ListResponse {
  return {
    data: strings.map(({ key, text, isPlural, file }) => ({
      key,
      source_value: text,
      is_plural: isPlural,
      file,
    })),
    meta: toMeta({ page, perPage, total }),
  };
}

async function change(
  { storage, hive, query, readJson, words }: HiveRequest,
  mode: "import" | "sync",
): Promise<Changed<SourceCounts>> {
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
  const { result, commit } = await change(request, "import");
  return respondJson(toImportResponse(result), { commit });
}

async function sync(request: HiveRequest): Promise<Response> {
  const { result, commit } = await change(request, "sync");
  const response: SyncResponse = { ...toImportResponse(result), deleted: result.deleted };
  return respondJson(response, { commit });
}

export const stringEndpoints: readonly Endpoint[] = [
  { method: "GET", path, ability: "read", read: list },
  { method: "POST", path, ability: "write", act: importStrings },
  { method: "PUT", path, ability: "write", act: sync },
];
