/** The glossary of a Hive and the styles of its locales. */
import { z } from "zod";
import { givenTermSchema, termAnswer } from "../../../domain/glossary/term-schema.ts";
import { maxTerms } from "../../../domain/glossary/term.ts";
import type { SentTerm } from "../../../domain/glossary/glossary-plan.ts";
import { maxStyle } from "../../../domain/glossary/style.ts";
import { Issues } from "../../../domain/errors.ts";
import { decode } from "../../../domain/json-codec.ts";
import { pause } from "../../../slices.ts";
import {
  changeTerms,
  deleteTerm,
  listTerms,
  changeStyle,
  readStyle,
} from "../../../service/context/glossary.ts";
import { withShownCodes } from "../../../service/context/glossary-files.ts";
import { count, jsonObject, named, pageOf, text, queryParam } from "../../../api/objects.ts";
import { dryRunQuery } from "../../schemas/write-preconditions.ts";
import { codeOf } from "../../../domain/hives/locale.ts";
import { withExample } from "../../../api/operation.ts";
import { orPreview } from "../../pipeline/preview.ts";
import { hiveGroup, type HiveRoute } from "../../pipeline/route.ts";
import { converted } from "../../responses/respond.ts";
import { pageQuery, toPage, toOffsetLimit } from "../../../api/page.ts";

const limited = <Element extends z.ZodType>(element: Element) =>
  z.array(element, "must be a list of terms").max(maxTerms, `must have at most ${maxTerms} elements`);

/** The terms of a request, which {@link toTerms} checks: all at once they would hold up other requests. */
const termsBody = named("TermList", {
  terms: limited(z.unknown()).meta({ ...z.toJSONSchema(limited(givenTermSchema), { io: "input" }) }),
});

/** How many faulty terms are reported; the others are not checked. */
const maxFaulty = 20;
const termsPerStep = 256;

/** Checks the terms of a request. @throws SkepError `invalid` on the member of a term. */
export async function toTerms(given: readonly unknown[]): Promise<readonly SentTerm[]> {
  const issues = new Issues();
  const terms: SentTerm[] = [];
  let faulty = 0;
  for (const [i, value] of given.entries()) {
    if (i % termsPerStep === 0) await pause();
    const { data, error } = givenTermSchema.safeParse(value);
    if (data !== undefined) terms.push(decode(givenTermSchema, data));
    for (const { path, message } of error?.issues ?? []) issues.add(["terms", i, ...path].join("."), message);
    if (error !== undefined && ++faulty === maxFaulty) break;
  }
  issues.throwIfAny();
  return terms;
}

export const glossaryQuery = pageQuery.extend({
  search: queryParam(
    "Only terms of which the source, the meaning or a translation contains this text, whatever its case.",
    "file",
  ),
});

/** Terms are no texts of the Hive, which checks could refuse. */
const glossaryWriteQuery = dryRunQuery.pick({ dry_run: true });

const glossaryResponse = pageOf("TermPage", termAnswer);

const termsMergedResponse = jsonObject({ created: count, updated: count, unchanged: count });

const termsSyncedResponse = termsMergedResponse.extend({ deleted: count });

const termDeletedResponse = jsonObject({ deleted: count });

const styleText = text.meta({
  maxLength: maxStyle,
  description: "How to address the reader, the tone, the punctuation; empty where nothing is said.",
});

const styleBody = named("StyleUpdate", { text: styleText });

const styleResponse = named("Style", { locale: z.string(), text: styleText });

const path = "/api/hives/:slug/glossary";
const stylePath = "/api/hives/:slug/style/:locale";
const termsExample = {
  terms: [
    { source: "file", translations: { fr: { text: "fichier", forbidden: ["archive"] } } },
    { source: "Skep", keep: true, match: "exact" as const },
  ],
};
const ofTerms = { query: glossaryWriteQuery, isRepeatable: true, body: withExample(termsBody, termsExample) };

const { hiveRead, hiveWrite } = hiveGroup("Glossary", "write");

export const glossaryRoutes: readonly HiveRoute[] = [
  hiveRead("listTerms", path, {
    summary: "List the terms of a Hive's glossary",
    description:
      "In the order of their spellings. The terms of the Hive whose glossary it uses are that Hive's. The glossary of all branches is that of main.",
    query: glossaryQuery,
    response: glossaryResponse,
    async handler({ storage, hive, query }) {
      const { search } = query;
      const result = await listTerms(storage, hive.slug, { ...toOffsetLimit(query), search });
      return converted(result, ({ settings, ...terms }) =>
        toPage(terms, query, (each) => withShownCodes(each, settings)),
      );
    },
  }),
  hiveWrite("mergeTerms", "POST", path, {
    ...ofTerms,
    summary: "Merge terms into the glossary",
    description:
      "Adds terms, and changes those that are there: a member that is not given stays as it is. All terms of the glossary that are not named stay.",
    response: orPreview(termsMergedResponse, "GlossaryImportResult"),
    async handler({ storage, hive, body, context }) {
      return changeTerms(storage, hive.slug, await toTerms(body.terms), "merge", context);
    },
  }),
  hiveWrite("syncTerms", "PUT", path, {
    ...ofTerms,
    summary: "Replace the glossary",
    description:
      "The glossary becomes what is given: terms that are not named are deleted. Known terms keep their ids.",
    response: orPreview(termsSyncedResponse, "GlossarySyncResult"),
    async handler({ storage, hive, body, context }) {
      return changeTerms(storage, hive.slug, await toTerms(body.terms), "sync", context);
    },
  }),
  hiveWrite("deleteTerm", "DELETE", `${path}/:id`, {
    query: glossaryWriteQuery,
    summary: "Delete a term",
    response: orPreview(termDeletedResponse, "TermDeletionResult"),
    handler: ({ storage, hive, param, context }) => deleteTerm(storage, hive.slug, param("id"), context),
  }),
  hiveRead("readStyle", stylePath, {
    summary: "Read the style of a locale",
    response: styleResponse,
    async handler({ storage, hive, param }) {
      const result = await readStyle(storage, hive.slug, param("locale"));
      return converted(result, (style) => ({ ...style, locale: codeOf(style.locale) }));
    },
  }),
  hiveWrite("setStyle", "PUT", stylePath, {
    query: glossaryWriteQuery,
    summary: "Set the style of a locale",
    description: "An empty text removes it.",
    body: withExample(styleBody, { text: "Say vous. No exclamation marks." }),
    response: orPreview(styleResponse, "StyleResult"),
    async handler({ storage, hive: { slug }, param, body, context }) {
      const changed = await changeStyle(storage, slug, param("locale"), body.text, context);
      return { ...changed, result: { ...changed.result, locale: codeOf(changed.result.locale) } };
    },
  }),
];
