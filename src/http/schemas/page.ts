/** Pages: where they begin, and what their answers say about them. */
import type { OffsetLimit } from "../../domain/pagination.ts";
import type { PageMeta } from "./schemas.ts";

/** A page as an offset and a limit. */
export function toOffsetLimit({
  page,
  per_page: perPage,
}: {
  readonly page: number;
  readonly per_page: number;
}): OffsetLimit {
  return { offset: (page - 1) * perPage, limit: perPage };
}

/** What an answer says about its page; there is always at least one. */
export function toMeta({
  page,
  perPage,
  total,
}: {
  readonly page: number;
  readonly perPage: number;
  readonly total: number;
}): PageMeta {
  return {
    current_page: page,
    last_page: Math.max(1, Math.ceil(total / perPage)),
    per_page: perPage,
    total,
  };
}
