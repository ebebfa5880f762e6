/** Untranslated texts. */
import type { UntranslatedPage } from "../../domain/strings/untranslated.ts";
import type { Versioned } from "../../service/content/queries.ts";
import { findUntranslated } from "../../service/content/untranslated.ts";
import { withExample } from "../openapi/route-docs.ts";
import type { HiveRequest, HiveRoute } from "../pipeline/route.ts";
import { toJson } from "../responses/respond.ts";
import { rendered } from "../responses/respond-read.ts";
import { toMeta, toOffsetLimit, type PageQuery } from "../schemas/page.ts";
import { check } from "../schemas/schemas.ts";
import {
  untranslatedQuery,
  untranslatedResponse,
  type UntranslatedResponse,
} from "../schemas/untranslated-schemas.ts";

async function list({ storage, branch, query, signal }: HiveRequest): Promise<Versioned<Uint8Array>> {
  const asked = check(untranslatedQuery, query, "query");
  const { page, per_page: perPage, locale, state, file, at } = asked;
  const question = { ...toOffsetLimit(asked), locale, states: new Set(state), file, at, signal };
  const found = await findUntranslated(storage, branch, question);
  const name = ["untranslated", page, perPage, locale, state.join(), file];
  return rendered(found, name, (texts) => toJson(toList(texts, asked)));
}

function toList({ texts, total }: UntranslatedPage, page: PageQuery): UntranslatedResponse {
  return {
    data: texts.map(({ file, key, source, state, translation = null, translatedFrom = null }) => ({
      file,
      key,
      source_value: source,
      state,
      translation,
      old_source_value: translatedFrom,
    })),
    meta: toMeta(page, total),
  };
}

export const untranslatedRoutes: readonly HiveRoute[] = [
  {
    kind: "hive-read",
    method: "GET",
    path: "/api/hives/:slug/untranslated",
    takesBranch: true,
    ability: "read",
    handler: list,
    isSlow: ({ at }) => at !== undefined,
    docs: {
      id: "listUntranslated",
      group: "Translations",
      summary: "List missing and stale translations of a locale",
      description:
        "Each plural form that the language needs for whole numbers is listed by itself; the source text of a form that the " +
        "source language lacks is that of `other`. Strings with an empty source text are not listed.",
      query: untranslatedQuery,
      response: withExample(untranslatedResponse, {
        data: [
          {
            file: "auth.php",
            key: "failed",
            source_value: "Wrong password.",
            state: "stale",
            translation: "Senha errada.",
            old_source_value: "Bad password.",
          },
          {
            file: "auth.php",
            key: "nav.home",
            source_value: "Home",
            state: "missing",
            translation: null,
            old_source_value: null,
          },
        ],
        meta: { current_page: 1, last_page: 1, per_page: 100, total: 2 },
      }),
    },
  },
];
