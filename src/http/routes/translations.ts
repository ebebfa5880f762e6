/** Translations: export and import. */
import { toTranslationFiles } from "../../domain/payload.ts";
import { importTranslations } from "../../service/imports.ts";
import { exportFiles } from "../../service/queries.ts";
import { respondJson, respondWith } from "../respond.ts";
import type { Endpoint, HiveRequest } from "../route.ts";
import { check, exportQuery, noQuery, translationsBody, type TranslationsResponse } from "../schemas.ts";

async function exportTranslations({ event, storage, answers, hive, query }: HiveRequest): Promise<Response> {
  const asked = check(exportQuery, query, "query");
  const files = await exportFiles(storage, hive.slug, asked);
  const key = JSON.stringify(["export", files.version, asked.format, asked.locale]);
  const answer = await answers.get(key, async () => ({ files: Object.fromEntries(await files.read()) }));
  return respondWith(event, answer);
}

async function importLocale({
  storage,
  hive,
  param,
  query,
  readJson,
  words,
}: HiveRequest): Promise<Response> {
  check(noQuery, query, "query");
  const body = check(translationsBody, await readJson(), "body");
  const request = {
    locale: param("locale"),
    files: toTranslationFiles(body.files),
    overwriteStrategy: body.overwrite_strategy,
  };
  const response: TranslationsResponse = await importTranslations(storage, hive, request, words);
  return respondJson(response);
}

export const translationEndpoints: readonly Endpoint[] = [
  { method: "GET", path: "/api/hives/:slug/export", ability: "read", answer: exportTranslations },
  { method: "POST", path: "/api/hives/:slug/translations/:locale", ability: "write", answer: importLocale },
];
