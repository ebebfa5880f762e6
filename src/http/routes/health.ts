/** Health checks for monitoring: whether the server runs, and whether its storage is writable. */
import { z } from "zod";
import { SkepError } from "../../domain/errors.ts";
import { withExample } from "../openapi/route-docs.ts";
import { respondJson } from "../responses/respond.ts";
import type { OpenRoute } from "../pipeline/route.ts";

const healthResponse = z.object({ status: z.literal("ok") }).meta({ id: "Health" });
const readinessResponse = z.object({ status: z.literal("ready") }).meta({ id: "Readiness" });

/** The `Retry-After` of a failed check, in seconds. */
const retryAfter = 1;

export const healthRoutes: readonly OpenRoute[] = [
  {
    kind: "open",
    method: "GET",
    path: "/healthz",
    handler: async () => respondJson({ status: "ok" }),
    docs: {
      id: "getHealth",
      group: "Server",
      summary: "Check that the server is running",
      answer: withExample(healthResponse, { status: "ok" }),
    },
  },
  {
    kind: "open",
    method: "GET",
    path: "/readyz",
    handler: async (_, { readiness }) => {
      const problem = await readiness.problem();
      if (problem !== undefined)
        throw new SkepError("busy", problem, { retryAfter }, { publicCode: "not_ready" });
      return respondJson({ status: "ready" });
    },
    docs: {
      id: "getReadiness",
      group: "Server",
      summary: "Check that the storage is writable",
      description: "The storage is checked at most once a second; requests in between get the last result.",
      answer: withExample(readinessResponse, { status: "ready" }),
      errors: ["busy"],
    },
  },
];
