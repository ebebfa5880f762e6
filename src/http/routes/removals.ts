/** Translations: removed by their keys. */
import { toKeyLists } from "../../domain/payload.ts";
import { removeTranslations } from "../../service/translation-removal.ts";
import {
  translationRemovalBody,
  translationsRemovedResponse,
  type TranslationsRemovedResponse,
} from "../management-schemas.ts";
import { withExample } from "../openapi/route-docs.ts";
import { respondJson } from "../respond.ts";
import type { Endpoint, HiveRequest } from "../route.ts";
import { check } from "../schemas.ts";

async function remove({ storage, hive, param, readJson, words }: HiveRequest): Promise<Response> {
  const { files } = check(translationRemovalBody, await readJson(), "body");
  const request = { locale: param("locale"), files: toKeyLists(files) };
  const { result, commit } = await removeTranslations(storage, hive, request, words);
  const response: TranslationsRemovedResponse = result;
  return respondJson(response, { commit });
}

export const removalEndpoints: readonly Endpoint[] = [
  {
    method: "DELETE",
    path: "/api/hives/:slug/translations/:locale",
    ability: "write",
    act: remove,
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
