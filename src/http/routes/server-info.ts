/** The name and version of the server, and the document of its API. A browser gets the console at the same address. */
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { toDocument } from "../openapi/document.ts";
import { withExample, type DescribedRoute } from "../openapi/route-docs.ts";
import type { OpenRoute } from "../pipeline/route.ts";
import { respondJson, respondStatic, toJson } from "../responses/respond.ts";
import { named } from "../schemas/objects.ts";

const serverResponse = named("Server", {
  name: z.literal("skep"),
  version: z.string(),
  docs: z.string().meta({ description: "Where the API reference is, for people." }),
  openapi: z.string().meta({ description: "Where the OpenAPI document is." }),
});
type ServerResponse = z.infer<typeof serverResponse>;

/** Skep's version, from its package. */
export async function readVersion(): Promise<string> {
  const file = await readFile(new URL("../../../package.json", import.meta.url), "utf8");
  const { version }: { version: string } = JSON.parse(file);
  return version;
}

async function show(): Promise<Response> {
  const response: ServerResponse = {
    name: "skep",
    version: await readVersion(),
    docs: "/docs",
    openapi: "/openapi.json",
  };
  return respondJson(response);
}

export const serverRoutes: readonly OpenRoute[] = [
  {
    kind: "open",
    method: "GET",
    path: "/",
    handler: show,
    id: "getServer",
    group: "Server",
    summary: "Get the server's name and version",
    description: "A browser, which asks for HTML, gets the console here.",
    response: withExample(serverResponse, {
      name: "skep",
      version: "0.1.0",
      docs: "/docs",
      openapi: "/openapi.json",
    }),
  },
];

/** Serves the OpenAPI document. @param routes gives all that the document is about, once it is asked for. */
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
    id: "getDocument",
    group: "Server",
    summary: "Get this document",
    hasETag: true,
    response: withExample(z.looseObject({ openapi: z.string() }).meta({ id: "Document" }), {
      openapi: "3.1.1",
    }),
  };
}
