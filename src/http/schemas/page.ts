/** Converts the page of a query to an offset and a limit, and describes it in responses. */
import type { z } from "zod";
import type { OffsetLimit } from "../../domain/pagination.ts";
import type { pageQuery } from "./schemas.ts";
import type { PageMeta } from "./objects.ts";

/** The page of a query. */
export type PageQuery = Pick<z.infer<typeof pageQuery>, "page" | "per_page">;

/** A page as an offset and a limit. */
export function toOffsetLimit({ page, per_page: limit }: PageQuery): OffsetLimit {
  return { offset: (page - 1) * limit, limit };
}

/** One page of a list, as a response has it. */
export function toPage<T, Entry>(
  list: readonly T[],
  query: PageQuery,
  toEntry: (value: T) => Entry,
): { readonly data: Entry[]; readonly meta: PageMeta } {
  const { offset, limit } = toOffsetLimit(query);
  return { data: list.slice(offset, offset + limit).map(toEntry), meta: toMeta(query, list.length) };
}

/** The `meta` member of the example of a response with one entry. */
export const metaExample: PageMeta = { current_page: 1, last_page: 1, per_page: 100, total: 1 };

/** The `meta` member of a response with a page; there is always at least one page. */
export function toMeta({ page, per_page: perPage }: PageQuery, total: number): PageMeta {
  const last = Math.max(1, Math.ceil(total / perPage));
  return { current_page: page, last_page: last, per_page: perPage, total };
}
