/** The filters of strings: their query parameters, their fields, and what they search for. */
import { z } from "zod";
import { asRevision, once } from "../../../api/objects.ts";
import { pageQuery } from "../../../api/page.ts";
import { originKinds } from "../../../domain/commits/origin.ts";
import { toWantedTags } from "../../../domain/notes/note-tags.ts";
import { searchedStates } from "../../../domain/queries/string-search.ts";
import type { StringSearchQuery } from "../../../service/content/string-search.ts";
import { originField } from "../../../api/content/commits.ts";
import type { FormState } from "../requests/form.ts";
import { t } from "../texts/texts.ts";
import type { FormField } from "./fields.tsx";

/** How many files are suggested. */
const maxFiles = 500;

/** The filters of strings as query parameters. */
export const stringsQuery = pageQuery.pick({ page: true }).extend({
  locale: once,
  q: once,
  exact: z.enum(["true"], "must be true").optional(),
  state: z.enum(searchedStates, `must be ${searchedStates.join(", ")}`).optional(),
  file: once,
  since: once.meta(asRevision),
  tag: once,
  origin: originField,
});

/** The filters of a list of strings. */
export type ListFilters = Partial<z.output<typeof stringsQuery>>;

/** What filters of strings search for. @throws SkepError `invalid` on `tag`. */
export function toSearch(filters: ListFilters): Omit<StringSearchQuery, "offset" | "limit"> {
  const { exact, q: text, tag, state, file, since, origin } = filters;
  const tags = tag === undefined ? undefined : toWantedTags(tag);
  return { state, file, since, origin, text, isExact: exact !== undefined, tags };
}

/**
 * The fields of filters of strings, but for the search and the locale.
 * @param suggested the names of files, of states and of tags.
 */
export function stringFields(
  suggested: {
    readonly files: readonly string[];
    readonly states: readonly string[];
    readonly tags: readonly string[];
  },
  { values }: Pick<FormState, "values">,
): readonly FormField[] {
  const { files, states, tags } = suggested;
  const all = t("common.all");
  const hasTags = tags.length > 0 || values["tag"] !== undefined;
  return [
    { kind: "one", name: "state", all, options: searchedStates },
    { kind: "one", name: "origin", all, options: originKinds },
    { name: "file", options: files.slice(0, maxFiles) },
    { name: "since", placeholder: t("strings.a_tag_or_date"), options: states, isWhole: true },
    ...(hasTags ? [{ name: "tag", options: tags, isWhole: true } as const] : []),
    { kind: "switch", name: "exact" },
  ];
}
