/** The name and version of the server, the document of its API, and health checks. */
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { toDocument } from "../openapi/document.ts";
import type { DescribedRoute } from "../openapi/route-docs.ts";
import { openRoute, type OpenRoute } from "../pipeline/route.ts";
import { respondJson, respondStatic, toJson } from "../responses/respond.ts";
import { named } from "../../api/objects.ts";
import { SkepError } from "../../domain/errors.ts";
import { ownFile } from "../../own-files.ts";

const serverResponse = named("Server", {
  name: z.literal("skep"),
  version: z.string(),
  docs: z.string().meta({ description: "Where the API reference is, for people." }),
  openapi: z.string().meta({ description: "Where the OpenAPI document is." }),
});

/** Skep's version, from its package. */
export async function readVersion(): Promise<string> {
  const file = await readFile(ownFile("../package.json"), "utf8");
  const { version }: { version: string } = JSON.parse(file);
  return version;
}

const group = "Server";

/** The path at which a proxy has the server, without a slash at its end. */
function pathOf(publicUrl: string | undefined): string {
  const path = publicUrl === undefined ? "/" : new URL(publicUrl).pathname;
  return path === "/" ? path : path.replace(/\/$/, "");
}

/** The routes that need no token. @param routes gives all that the document is about, once it is asked for. */
export const serverRoutes = (routes: () => readonly DescribedRoute[]): readonly OpenRoute[] => [
  openRoute("getServer", "GET", "/", {
    group,
    summary: "Get the server's name and version",
    description: "A browser, which asks for HTML, gets the console here.",
    response: serverResponse,
    handler: async () =>
      respondJson({
        name: "skep",
        version: await readVersion(),
        docs: "/docs",
        openapi: "/openapi.json",
      } satisfies z.infer<typeof serverResponse>),
  }),
  openRoute("getHealth", "GET", "/healthz", {
    group,
    summary: "Check that the server is running",
    response: named("Health", { status: z.literal("ok") }),
    handler: async () => respondJson({ status: "ok" }),
  }),
  openRoute("getReadiness", "GET", "/readyz", {
    group,
    summary: "Check that the storage is writable",
    description: "The storage is checked at most once a second; requests in between get the last result.",
    response: named("Readiness", { status: z.literal("ready") }),
    errors: ["busy"],
    async handler(_, { readiness }) {
      const problem = await readiness.problem();
      if (problem === undefined) return respondJson({ status: "ready" });
      throw new SkepError("busy", problem, { retryAfter: 1 }, { publicCode: "not_ready" });
    },
  }),
  openRoute("getDocument", "GET", "/openapi.json", {
    group,
    summary: "Get this document",
    hasETag: true,
    response: z.looseObject({ openapi: z.string() }).meta({ id: "Document" }),
    handler: ({ req }, { responses, options: { publicUrl } }) =>
      respondStatic(req, responses, {
        name: "openapi.json",
        type: "application/json",
        make: async () => toJson(toDocument(routes(), await readVersion(), pathOf(publicUrl))),
      }),
  }),
];
