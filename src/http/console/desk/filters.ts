/** What the page of work is asked for: the filters of its queue, and the string to show. */
import { z } from "zod";
import { toWantedTags } from "../../../domain/notes/note-tags.ts";
import { defaultWant, workStates, type WorkState } from "../../../domain/work/work.ts";
import type { PageRequest } from "../../../service/work/work-page.ts";
import { once } from "../../schemas/schemas.ts";
import type { LinkQuery } from "../requests/links.ts";

/** The query parameters of the page: `at` is the string to show, `after` the one behind which to go on, as `file:key`. */
export const translateQuery = z.strictObject({
  want: z.enum(workStates, `must be one of ${workStates.join(", ")}`).optional(),
  file: once,
  tag: once,
  q: once,
  beside: once,
  at: once,
  after: once,
});

export type TranslateQuery = z.output<typeof translateQuery>;

/** The names of the fields of the filters. */
export const filterFields = ["want", "file", "tag", "q", "beside"] as const;

/** What people call the states. */
export const stateNames: Readonly<Record<WorkState, string>> = {
  missing: "missing",
  stale: "stale",
  failing: "failing",
  review: "waiting for a review",
  asked: "asked about",
};

/** The filters of a query, without the string that is shown. */
export function filtersOf({ want, file, tag, q, beside }: TranslateQuery): LinkQuery {
  return { want, file, tag, q, beside };
}

/** @throws SkepError `invalid` on `tag`. */
export function toPageRequest(
  locale: string,
  { want, file, tag, q, beside, at, after }: TranslateQuery,
  canWrite: boolean,
): PageRequest {
  return {
    locale,
    // Whoever may only approve has nothing to translate.
    want: want === undefined ? (canWrite ? defaultWant : ["review"]) : [want],
    file,
    tags: tag === undefined ? undefined : toWantedTags(tag),
    text: q,
    beside,
    at: at === undefined ? undefined : addressIn(at),
    after: after === undefined ? undefined : addressIn(after),
  };
}

/** A string as a query parameter; the name of a file has no colon. */
export function nameOf({ file, key }: { readonly file: string; readonly key: string }): string {
  return `${file}:${key}`;
}

function addressIn(text: string): { readonly file: string; readonly key: string } {
  const colon = text.indexOf(":");
  return { file: text.slice(0, Math.max(0, colon)), key: text.slice(colon + 1) };
}
