/** Untranslated texts. */
import { findUntranslated } from "../../service/content/untranslated.ts";
import { withExample } from "../openapi/route-docs.ts";
import { hiveRead, type HiveRoute } from "../pipeline/route.ts";
import { converted } from "../responses/respond.ts";
import { metaExample, toMeta, toOffsetLimit } from "../schemas/page.ts";
import { toIncludedNotes } from "../schemas/note-fields.ts";
import { untranslatedQuery, untranslatedResponse } from "../schemas/untranslated-schemas.ts";

export const untranslatedRoutes: readonly HiveRoute[] = [
  hiveRead({
    id: "listUntranslated",
    path: "/api/hives/:slug/untranslated",
    takesBranch: true,
    isSlow: ({ at }) => at !== undefined,
    group: "Translations",
    summary: "List missing and stale translations of a locale",
    description:
      "Each plural form that the language needs for whole numbers is listed by itself; the source text of a form that the " +
      "source language lacks is that of `other`. Strings with an empty source text, or a note to keep them as they are, are not listed.",
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
      meta: { ...metaExample, total: 2 },
    }),
    async handler({ storage, branch, query, signal }) {
      const { locale, state, file, tag: tags, include, at } = query;
      const question = { ...toOffsetLimit(query), locale, states: new Set(state), file, tags, at, signal };
      return converted(await findUntranslated(storage, branch, question), ({ texts, total, notes }) => ({
        data: texts.map(({ source, translation = null, translatedFrom = null, ...text }, i) => ({
          file: text.file,
          key: text.key,
          source_value: source,
          state: text.state,
          translation,
          old_source_value: translatedFrom,
          notes: include && toIncludedNotes(notes[i]),
        })),
        meta: toMeta(query, total),
      }));
    },
  }),
];
