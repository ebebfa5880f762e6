/** The glossary of a Hive and the styles of its locales. */
import { codeOf } from "../../../domain/hives/locale.ts";
import { changeTerms, deleteTerm, listTerms } from "../../../service/context/glossary.ts";
import { changeStyle, readStyle } from "../../../service/context/style.ts";
import { withExample } from "../../openapi/route-docs.ts";
import { orPreview } from "../../pipeline/preview.ts";
import { hiveRead, hiveWrite, type HiveRoute } from "../../pipeline/route.ts";
import { converted } from "../../responses/respond.ts";
import {
  glossaryQuery,
  glossaryResponse,
  glossaryWriteQuery,
  styleBody,
  styleResponse,
  termDeletedResponse,
  termsBody,
  termsMergedResponse,
  termsSyncedResponse,
  toTerms,
  toTermResponse,
} from "../../schemas/glossary-schemas.ts";
import { metaExample, toMeta, toOffsetLimit } from "../../schemas/page.ts";

const path = "/api/hives/:slug/glossary";
const stylePath = "/api/hives/:slug/style/:locale";
const termsExample = {
  terms: [
    { source: "file", translations: { fr: { text: "fichier", forbidden: ["archive"] } } },
    { source: "Skep", keep: true, match: "exact" as const },
  ],
};
const styleExample = { locale: "fr", text: "Say vous. No exclamation marks." };

export const glossaryRoutes: readonly HiveRoute[] = [
  hiveRead({
    id: "listTerms",
    path,
    group: "Glossary",
    summary: "List the terms of a Hive's glossary",
    description:
      "In the order of their spellings. The terms of the Hive whose glossary it uses are that Hive's. The glossary of all branches is that of main.",
    query: glossaryQuery,
    response: withExample(glossaryResponse, {
      data: [
        {
          id: "k3v9x1q0d2ab",
          source: "file",
          part_of_speech: "noun",
          meaning: null,
          case: false,
          match: "word",
          keep: false,
          translations: { fr: { text: "fichier", accepted: [], forbidden: ["archive"], keep: false } },
        },
      ],
      meta: metaExample,
    }),
    async handler({ storage, hive, query }) {
      const { search } = query;
      const result = await listTerms(storage, hive.slug, { ...toOffsetLimit(query), search });
      return converted(result, ({ terms, total, settings }) => ({
        data: terms.map((term) => toTermResponse(term, settings)),
        meta: toMeta(query, total),
      }));
    },
  }),
  hiveWrite({
    id: "mergeTerms",
    method: "POST",
    path,
    ability: "write",
    isRepeatable: true,
    group: "Glossary",
    summary: "Merge terms into the glossary",
    description:
      "Adds terms, and changes those that are there: a member that is not given stays as it is. All terms of the glossary that are not named stay.",
    query: glossaryWriteQuery,
    body: withExample(termsBody, termsExample),
    response: withExample(orPreview(termsMergedResponse, "GlossaryImportResult"), {
      created: 2,
      updated: 0,
      unchanged: 0,
    }),
    async handler({ storage, hive, body, context }) {
      const { result, ...committed } = await changeTerms(
        storage,
        hive.slug,
        await toTerms(body.terms),
        "merge",
        context,
      );
      const { created, updated, unchanged } = result;
      return { ...committed, result: { created, updated, unchanged } };
    },
  }),
  hiveWrite({
    id: "syncTerms",
    method: "PUT",
    path,
    ability: "write",
    isRepeatable: true,
    group: "Glossary",
    summary: "Replace the glossary",
    description:
      "The glossary becomes what is given: terms that are not named are deleted. Known terms keep their ids.",
    query: glossaryWriteQuery,
    body: withExample(termsBody, termsExample),
    response: withExample(orPreview(termsSyncedResponse, "GlossarySyncResult"), {
      created: 2,
      updated: 0,
      deleted: 0,
      unchanged: 0,
    }),
    async handler({ storage, hive, body, context }) {
      return changeTerms(storage, hive.slug, await toTerms(body.terms), "sync", context);
    },
  }),
  hiveWrite({
    id: "deleteTerm",
    method: "DELETE",
    path: `${path}/:id`,
    ability: "write",
    group: "Glossary",
    summary: "Delete a term",
    query: glossaryWriteQuery,
    response: withExample(orPreview(termDeletedResponse, "TermDeletionResult"), { deleted: 1 }),
    errors: ["not-found"],
    handler: ({ storage, hive, param, context }) => deleteTerm(storage, hive.slug, param("id"), context),
  }),
  hiveRead({
    id: "readStyle",
    path: stylePath,
    group: "Glossary",
    summary: "Read the style of a locale",
    response: withExample(styleResponse, styleExample),
    async handler({ storage, hive, param }) {
      const result = await readStyle(storage, hive.slug, param("locale"));
      return converted(result, ({ locale, text }) => ({ locale: codeOf(locale), text }));
    },
  }),
  hiveWrite({
    id: "setStyle",
    method: "PUT",
    path: stylePath,
    ability: "write",
    group: "Glossary",
    summary: "Set the style of a locale",
    description: "An empty text removes it.",
    query: glossaryWriteQuery,
    body: withExample(styleBody, { text: styleExample.text }),
    response: withExample(orPreview(styleResponse, "StyleResult"), styleExample),
    async handler({ storage, hive, param, body, context }) {
      const { result, ...committed } = await changeStyle(
        storage,
        hive.slug,
        param("locale"),
        body.text,
        context,
      );
      return { ...committed, result: { locale: codeOf(result.locale), text: result.text } };
    },
  }),
];
