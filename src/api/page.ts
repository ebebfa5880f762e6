/** Switches in queries, and pages of lists: their query, as an offset and a limit, and in responses. */
import { z } from "zod";
import { pageOf, type OffsetLimit, type Page } from "../domain/pagination.ts";
import type { PageMeta } from "./objects.ts";

/** A parameter that is a whole number from 1. */
export const positiveInteger = z
  .string("must be given once")
  .regex(/^[1-9][0-9]*$/, "must be a positive integer")
  // A number that JSON cannot express exactly is beyond the last page in any case.
  .transform((text) => Math.min(Number(text), Number.MAX_SAFE_INTEGER));

/** A parameter that is true or false, or not given. */
export function optionalFlag(description: string) {
  return z
    .enum(["true", "false", "1", "0"], "must be true, false, 1 or 0, and given once")
    .transform((text) => text === "true" || text === "1")
    .optional()
    .meta({ type: "boolean", enum: undefined, description });
}

/** A parameter that is on or off, and off if not given. */
export function flag(description: string) {
  return z
    .enum(["true", "false", "1", "0"], "must be true, false, 1 or 0, and given once")
    .transform((text) => text === "true" || text === "1")
    .default(false)
    .meta({ type: "boolean", enum: undefined, default: false, description });
}

/** The query of writes that have dry runs. */
export const dryRunParam = z.strictObject({
  dry_run: flag("With `true` or `1`, nothing is written, and the response describes what would change."),
});

/** Describes the parameter as an integer in the document, although in a URL it is text. */
export const asInteger = { type: "integer", minimum: 1, pattern: undefined } as const;

export const pageQuery = z.strictObject({
  page: positiveInteger
    .default(1)
    .meta({ ...asInteger, default: 1, description: "The number of the page, from 1." }),
  // A page larger than the maximum is a page of the maximum.
  per_page: positiveInteger
    .transform((perPage) => Math.min(perPage, 500))
    .default(100)
    .meta({
      ...asInteger,
      default: 100,
      description: "The number of entries on a page, at most 500; a larger value counts as 500.",
    }),
});

export type PageQuery = Pick<z.infer<typeof pageQuery>, "page" | "per_page">;

/** The part of a list that a page is. */
export function toOffsetLimit({ page, per_page: limit }: PageQuery): OffsetLimit {
  return { offset: (page - 1) * limit, limit };
}

/** The body of a response with a page, whose entries are converted. */
export function toPage<T, Entry>(
  { entries, total }: Page<T>,
  query: PageQuery,
  toEntry: (value: T, index: number) => Entry,
) {
  return { data: entries.map(toEntry), meta: toMeta(query, total) };
}

/** The body of a response with a page of a whole list. */
export function toPageOf<T, Entry>(list: readonly T[], query: PageQuery, toEntry: (value: T) => Entry) {
  return toPage(pageOf(list, toOffsetLimit(query)), query, (value) => toEntry(value));
}

/** The `meta` member of a response with a page; there is always at least one page. */
export function toMeta({ page, per_page: perPage }: PageQuery, total: number): PageMeta {
  const last = Math.max(1, Math.ceil(total / perPage));
  return { current_page: page, last_page: last, per_page: perPage, total };
}
