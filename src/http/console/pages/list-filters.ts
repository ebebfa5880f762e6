/** The filters of the list of strings, which the pages of its strings take with them. */
import { z } from "zod";
import { isFailure } from "../../../domain/errors.ts";
import { codeOf } from "../../../domain/hives/locale.ts";
import { toWantedTags } from "../../../domain/notes/note-tags.ts";
import { searchedStates, type Neighbours } from "../../../domain/strings/string-search.ts";
import {
  searchBeside,
  type StringInAllLocales,
  type StringSearchQuery,
} from "../../../service/content/string-search.ts";
import { asRevision, once, originField, pageQuery } from "../../schemas/schemas.ts";
import type { LinkQuery } from "../requests/links.ts";
import type { HiveRequest } from "../requests/page.ts";

/** The query parameters of the list. */
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

export type ListFilters = Partial<z.output<typeof stringsQuery>>;

/** What the filters of the list search for. */
export function toSearch({
  exact,
  q: text,
  tag,
  state,
  file,
  since,
  origin,
}: ListFilters): Omit<StringSearchQuery, "offset" | "limit"> {
  const tags = tag === undefined ? undefined : toWantedTags(tag);
  return { state, file, since, origin, text, isExact: exact !== undefined, tags };
}

/** The strings beside one in a list with filters; undefined where it has none, or cannot be shown any more. */
export async function besideIn(
  { storage, branch, signal }: HiveRequest,
  back: string | undefined,
  string: StringInAllLocales,
): Promise<Neighbours | undefined> {
  const { locale, page: _, ...filters } = filtersIn(back) ?? {};
  if (Object.values(filters).every((value) => value === undefined)) return undefined;
  const isSource = locale === codeOf(string.settings.sourceLocale);
  const search = { ...toSearch(filters), locale: isSource ? undefined : locale, signal };
  try {
    return await searchBeside(storage, branch, search, string);
  } catch (error) {
    if (isFailure(error, "invalid")) return undefined;
    throw error;
  }
}

/** The query of the list that contained a form; undefined if there was none. */
export function listOf(back: string | undefined): LinkQuery | undefined {
  const filters = filtersIn(back);
  return filters && { ...filters, page: filters.page === 1 ? undefined : filters.page };
}

/** The filters that a text names; none where it is no list's. */
function filtersIn(back: string | undefined): ListFilters | undefined {
  if (back === undefined || back === "") return undefined;
  try {
    const given: unknown = JSON.parse(back);
    // In an address, the number of a page is a text.
    const texts = Object.entries(z.record(z.string(), z.union([z.string(), z.number()])).parse(given));
    return stringsQuery
      .partial()
      .parse(Object.fromEntries(texts.map(([name, value]) => [name, String(value)])));
  } catch {
    return {};
  }
}
