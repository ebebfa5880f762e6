/** Stale translations: list, confirm. */
import { codeOf } from "../../domain/hives/locale.ts";
import { confirmStale, listStale } from "../../service/content/stale.ts";
import { withExample } from "../openapi/route-docs.ts";
import { hiveRead, hiveWrite, type HiveRoute } from "../pipeline/route.ts";
import { converted } from "../responses/respond.ts";
import { metaExample, toMeta, toOffsetLimit } from "../schemas/page.ts";
import { confirmBody, confirmResponse, staleQuery, staleResponse } from "../schemas/stale-schemas.ts";

export const staleRoutes: readonly HiveRoute[] = [
  hiveRead({
    id: "listStale",
    path: "/api/hives/:slug/stale",
    takesBranch: true,
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
      meta: metaExample,
    }),
    async handler({ storage, branch, query }) {
      const result = await listStale(storage, branch, { ...toOffsetLimit(query), locale: query.locale });
      return converted(result, ({ translations, total }) => ({
        data: translations.map(({ locale, file, key, translatedFrom, source, translation }) => ({
          locale: codeOf(locale),
          file,
          key,
          old_source_value: translatedFrom,
          source_value: source,
          translation,
        })),
        meta: toMeta(query, total),
      }));
    },
  }),
  hiveWrite({
    id: "confirmStale",
    method: "POST",
    path: "/api/hives/:slug/stale/confirm",
    takesBranch: true,
    ability: "write",
    isRepeatable: true,
    group: "Translations",
    summary: "Confirm stale translations",
    description:
      "Marks translations as correct for the current source text, so that they are no longer stale.",
    body: withExample(confirmBody, { locale: "pt_BR", file: "auth.php", keys: ["failed"] }),
    response: withExample(confirmResponse, { confirmed: 1, unknown: 0 }),
    handler: ({ storage, branch, body, context }) => confirmStale(storage, branch, body, context),
  }),
];
