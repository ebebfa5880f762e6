/** Serves the OpenAPI document. */
import { z } from "zod";
import { toDocument } from "../openapi/document.ts";
import { withExample, type DescribedRoute } from "../openapi/route-docs.ts";
import type { OpenRoute } from "../pipeline/route.ts";
import { respondStatic, toJson } from "../responses/respond.ts";
import { readVersion } from "./server-info.ts";

/** @param routes gives all that the document is about, once it is asked for. */
export function toOpenApiRoute(routes: () => readonly DescribedRoute[]): OpenRoute {
  return {
    kind: "open",
    method: "GET",
    path: "/openapi.json",
    handler: ({ req }, { responses }) =>
      respondStatic(req, responses, {
        name: "openapi.json",
        type: "application/json",
        make: async () => toJson(toDocument(routes(), await readVersion())),
      }),
    docs: {
      id: "getDocument",
      group: "Server",
      summary: "Get this document",
      hasETag: true,
      response: withExample(z.looseObject({ openapi: z.string() }).meta({ id: "Document" }), {
        openapi: "3.1.1",
      }),
    },
  };
}
