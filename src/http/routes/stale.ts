/** Stale translations: list, confirm. */
import { codeOf } from "../../domain/locale.ts";
import { confirmStale, listStale, type StalePage } from "../../service/stale.ts";
import { toMeta, toStretch } from "../page.ts";
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
  const asked = check(staleQuery, query, "query");
  const { page, per_page: perPage, locale } = asked;
  const stale = await listStale(storage, hive.slug, { ...toStretch(asked), locale });
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
    meta: toMeta({ page, perPage, total }),
  };
}

async function confirm({ storage, hive, query, readJson, words }: HiveRequest): Promise<Response> {
  check(noQuery, query, "query");
  const request = check(confirmBody, await readJson(), "body");
  const { result, commit } = await confirmStale(storage, hive, request, words);
  const response: ConfirmResponse = result;
  return respondJson(response, { commit });
}

export const staleEndpoints: readonly Endpoint[] = [
  { method: "GET", path: "/api/hives/:slug/stale", ability: "read", read: list },
  { method: "POST", path: "/api/hives/:slug/stale/confirm", ability: "write", act: confirm },
];
