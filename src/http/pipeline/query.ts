/** Query parameters of endpoints that take none. */
import { z } from "zod";
import type { RouteDocs } from "../openapi/route-docs.ts";
import { check } from "../schemas/schemas.ts";

const noQuery = z.strictObject({});

/**
 * Refuses query parameters where an endpoint takes none. One that takes some checks them itself, by a schema that
 * knows no others: a parameter that is misspelt must neither write nor pass for an answer to what was asked.
 * @throws SkepError `invalid` naming every parameter.
 */
export function refuseQuery({ query: schema }: RouteDocs, query: Readonly<Record<string, unknown>>): void {
  if (schema === undefined) check(noQuery, query, "query");
}
