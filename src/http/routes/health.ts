/** Whether the server is alive, and whether it can do its work; for those who watch it. */
import { z } from "zod";
import { SkepError } from "../../domain/errors.ts";
import { withExample } from "../openapi/route-docs.ts";
import { respondJson } from "../responses/respond.ts";
import type { OpenRoute } from "../pipeline/route.ts";

const healthResponse = z.object({ status: z.literal("ok") }).meta({ id: "Health" });
const readinessResponse = z.object({ status: z.literal("ready") }).meta({ id: "Readiness" });

/** How soon to ask again, in seconds. */
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
      summary: "Whether the server can serve",
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
      summary: "Whether the storage can be written to",
      description: "Looked at at most once a second, however often it is asked.",
      answer: withExample(readinessResponse, { status: "ready" }),
      errors: ["busy"],
    },
  },
];
