/** What the operations of terms and styles do. */
import { styles, terms } from "../../api/content/glossary.ts";
import { toOffsetLimit, toPage } from "../../api/page.ts";
import { Issues } from "../../domain/errors.ts";
import type { SentTerm } from "../../domain/glossary/glossary-plan.ts";
import { givenTermSchema } from "../../domain/glossary/term-schema.ts";
import { codeOf } from "../../domain/hives/locale.ts";
import { decode } from "../../domain/json-codec.ts";
import { withShownCodes } from "../../service/context/glossary-files.ts";
import {
  changeStyle,
  changeTerms,
  deleteTerm,
  listTerms,
  readStyle,
} from "../../service/context/glossary.ts";
import { pause } from "../../slices.ts";
import { converted } from "../responses/respond.ts";
import { implementOnHive } from "../operations/implement.ts";

/** How many faulty terms are reported; the others are not checked. */
const maxFaulty = 20;
const termsPerStep = 256;

/** Checks the terms of a request. @throws SkepError `invalid` on the member of a term. */
export async function toTerms(given: readonly unknown[]): Promise<readonly SentTerm[]> {
  const issues = new Issues();
  const checked: SentTerm[] = [];
  let faulty = 0;
  for (const [i, value] of given.entries()) {
    if (i % termsPerStep === 0) await pause();
    const { data, error } = givenTermSchema.safeParse(value);
    if (data !== undefined) checked.push(decode(givenTermSchema, data));
    for (const { path, message } of error?.issues ?? []) issues.add(["terms", i, ...path].join("."), message);
    if (error !== undefined && ++faulty === maxFaulty) break;
  }
  issues.throwIfAny();
  return checked;
}

export const termOperations = implementOnHive(terms, {
  listTerms: async ({ storage, hive, query }) => {
    const result = await listTerms(storage, hive.slug, { ...toOffsetLimit(query), search: query.search });
    return converted(result, ({ settings, ...page }) =>
      toPage(page, query, (each) => withShownCodes(each, settings)),
    );
  },
  mergeTerms: async ({ storage, hive, body, context }) =>
    changeTerms(storage, hive.slug, await toTerms(body.terms), "merge", context),
  syncTerms: async ({ storage, hive, body, context }) =>
    changeTerms(storage, hive.slug, await toTerms(body.terms), "sync", context),
  deleteTerm: ({ storage, hive, param, context }) => deleteTerm(storage, hive.slug, param("id"), context),
});

export const styleOperations = implementOnHive(styles, {
  readStyle: async ({ storage, hive, param }) => {
    const result = await readStyle(storage, hive.slug, param("locale"));
    return converted(result, (style) => ({ ...style, locale: codeOf(style.locale) }));
  },
  setStyle: async ({ storage, hive, param, body, context }) => {
    const changed = await changeStyle(storage, hive.slug, param("locale"), body.text, context);
    return { ...changed, result: { ...changed.result, locale: codeOf(changed.result.locale) } };
  },
});
