/** Stale translations: list, confirm. */
import { codeOf } from "../../domain/locale.ts";
import { confirmStale, listStale, type StalePage } from "../../service/stale.ts";
import { respondJson, toJson } from "../respond.ts";
import type { Endpoint, HiveRequest, Reading } from "../route.ts";
import {
  check,
  confirmBody,
  noQuery,
  staleQuery,
  type ConfirmResponse,
  type StaleResponse,
} from "../schemas.ts";

async function list({ storage, answers, hive, query }: HiveRequest): Promise<Reading> {
  const { page, per_page: perPage, locale } = check(staleQuery, query, "query");
  const stale = await listStale(storage, hive.slug, { offset: (page - 1) * perPage, limit: perPage, locale });
  const answer = await answers.get(["stale", stale.version, page, perPage, locale], async () =>
    toJson(toList(await stale.read(), page, perPage)),
  );
  return { answer, commit: stale.commit };
}

function toList({ translations, total }: StalePage, page: number, perPage: number): StaleResponse {
  return {
    data: translations.map(({ locale, file, key, madeFor, source, translation }) => ({
      locale: codeOf(locale),
      file,
      key,
      old_source_value: madeFor,
      source_value: source,
      translation,
    })),
    meta: {
      current_page: page,
      last_page: Math.max(1, Math.ceil(total / perPage)),
      per_page: perPage,
      total,
    },
  };
}

async function confirm({ storage, hive, query, readJson, words }: HiveRequest): Promise<Response> {
  check(noQuery, query, "query");
  const request = check(confirmBody, await readJson(), "body");
  const response: ConfirmResponse = await confirmStale(storage, hive, request, words);
  return respondJson(response);
}

export const staleEndpoints: readonly Endpoint[] = [
  { method: "GET", path: "/api/hives/:slug/stale", ability: "read", read: list },
  { method: "POST", path: "/api/hives/:slug/stale/confirm", ability: "write", act: confirm },
];
