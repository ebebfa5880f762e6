/** Stale translations: list, confirm. */
import { codeOf } from "../../domain/hives/locale.ts";
import type { Versioned } from "../../service/content/queries.ts";
import { confirmStale, listStale, type StalePage } from "../../service/content/stale.ts";
import { withExample } from "../openapi/route-docs.ts";
import { toMeta, toOffsetLimit, type PageQuery } from "../schemas/page.ts";
import { respondJson, toJson } from "../responses/respond.ts";
import { rendered } from "../responses/respond-read.ts";
import type { HiveRoute, HiveRequest, WriteRequest } from "../pipeline/route.ts";
import { check } from "../schemas/schemas.ts";
import {
  confirmBody,
  confirmResponse,
  staleQuery,
  staleResponse,
  type ConfirmResponse,
  type StaleResponse,
} from "../schemas/stale-schemas.ts";

async function list({ storage, branch, query }: HiveRequest): Promise<Versioned<Uint8Array>> {
  const asked = check(staleQuery, query, "query");
  const { page, per_page: perPage, locale } = asked;
  const stale = await listStale(storage, branch, { ...toOffsetLimit(asked), locale });
  return rendered(stale, ["stale", page, perPage, locale], (found) => toJson(toList(found, asked)));
}

function toList({ translations, total }: StalePage, page: PageQuery): StaleResponse {
  return {
    data: translations.map(({ locale, file, key, translatedFrom, source, translation }) => ({
      locale: codeOf(locale),
      file,
      key,
      old_source_value: translatedFrom,
      source_value: source,
      translation,
    })),
    meta: toMeta(page, total),
  };
}

async function confirmTranslations({ storage, branch, readJson, context }: WriteRequest): Promise<Response> {
  const request = check(confirmBody, await readJson(), "body");
  const { result, commit } = await confirmStale(storage, branch, request, context);
  const response: ConfirmResponse = result;
  return respondJson(response, { commit });
}

export const staleRoutes: readonly HiveRoute[] = [
  {
    kind: "hive-read",
    method: "GET",
    path: "/api/hives/:slug/stale",
    takesBranch: true,
    ability: "read",
    handler: list,
    docs: {
      id: "listStale",
      group: "Translations",
      summary: "List stale translations",
      description: "Translations whose source text has changed since they were made.",
      query: staleQuery,
      response: withExample(staleResponse, {
        data: [
          {
            locale: "pt_BR",
            file: "auth.php",
            key: "failed",
            old_source_value: "Bad password.",
            source_value: "Wrong password.",
            translation: "Senha errada.",
          },
        ],
        meta: { current_page: 1, last_page: 1, per_page: 100, total: 1 },
      }),
    },
  },
  {
    kind: "hive-write",
    method: "POST",
    path: "/api/hives/:slug/stale/confirm",
    takesBranch: true,
    ability: "write",
    isRepeatable: true,
    handler: confirmTranslations,
    docs: {
      id: "confirmStale",
      group: "Translations",
      summary: "Confirm stale translations",
      description:
        "Marks translations as correct for the current source text, so that they are no longer stale.",
      body: withExample(confirmBody, { locale: "pt_BR", file: "auth.php", keys: ["failed"] }),
      response: withExample(confirmResponse, { confirmed: 1, unknown: 0 }),
    },
  },
];
