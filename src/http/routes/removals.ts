/** Translations: removed by their keys. */
import { toKeyLists } from "../../domain/strings/payload.ts";
import { removeTranslations } from "../../service/content/translation-removal.ts";
import {
  translationRemovalBody,
  translationsRemovedResponse,
  type TranslationsRemovedResponse,
} from "../schemas/management-schemas.ts";
import { withExample } from "../openapi/route-docs.ts";
import { respondJson } from "../responses/respond.ts";
import type { HiveRoute, WriteRequest } from "../pipeline/route.ts";
import { check } from "../schemas/schemas.ts";

async function remove({ storage, hive, param, readJson, context }: WriteRequest): Promise<Response> {
  const { files } = check(translationRemovalBody, await readJson(), "body");
  const request = { locale: param("locale"), files: toKeyLists(files) };
  const { result, commit } = await removeTranslations(storage, hive.slug, request, context);
  const response: TranslationsRemovedResponse = result;
  return respondJson(response, { commit });
}

export const removalRoutes: readonly HiveRoute[] = [
  {
    kind: "hive-write",
    method: "DELETE",
    path: "/api/hives/:slug/translations/:locale",
    ability: "write",
    handler: remove,
    docs: {
      id: "removeTranslations",
      group: "Translations",
      summary: "Remove translations by their keys",
      description:
        "Files and keys are found as an import finds them. deleted + skipped (nothing was there) + unknown is the number of keys sent. One commit, which can be undone.",
      body: withExample(translationRemovalBody, { files: { "auth.php": ["failed", "nav.home"] } }),
      answer: withExample(translationsRemovedResponse, { deleted: 1, skipped: 1, unknown: 0 }),
    },
  },
];
