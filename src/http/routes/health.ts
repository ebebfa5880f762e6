/** Health checks for monitoring: whether the server runs, and whether its storage is writable. */
import { z } from "zod";
import { SkepError } from "../../domain/errors.ts";
import { withExample } from "../openapi/route-docs.ts";
import { respondJson } from "../responses/respond.ts";
import type { OpenRoute } from "../pipeline/route.ts";
import { named } from "../schemas/objects.ts";

const healthResponse = named("Health", { status: z.literal("ok") });
const readinessResponse = named("Readiness", {
  status: z.literal("ready"),
  lag_seconds: z.number().optional().meta({
    description: "Of a follower: how old its copy may be at most, where no Hive is being fetched.",
  }),
  pending_hives: z
    .number()
    .int()
    .optional()
    .meta({ description: "Of a follower: how many Hives are not yet as the primary has them." }),
});
type ReadinessResponse = z.infer<typeof readinessResponse>;

/** The `Retry-After` of a failed check, in seconds. */
const retryAfter = 1;

export const healthRoutes: readonly OpenRoute[] = [
  {
    kind: "open",
    method: "GET",
    path: "/healthz",
    handler: async () => respondJson({ status: "ok" }),
    id: "getHealth",
    group: "Server",
    summary: "Check that the server is running",
    response: withExample(healthResponse, { status: "ok" }),
  },
  {
    kind: "open",
    method: "GET",
    path: "/readyz",
    handler: async (_, { readiness, options: { following } }) => {
      const isFresh = following?.isFresh() !== false;
      const problem = isFresh ? await readiness.problem() : "This copy is older than it may be.";
      if (problem !== undefined)
        throw new SkepError("busy", problem, { retryAfter }, { publicCode: "not_ready" });
      const { lagSeconds = Infinity, pending } = following ?? {};
      const response: ReadinessResponse = {
        status: "ready",
        lag_seconds: Number.isFinite(lagSeconds) ? Number(lagSeconds.toFixed(3)) : undefined,
        pending_hives: pending,
      };
      return respondJson(response);
    },
    id: "getReadiness",
    group: "Server",
    summary: "Check that the storage is writable",
    description:
      "The storage is checked at most once a second; requests in between get the last result. A follower is ready as long as its copy is no older than it may be.",
    response: withExample(readinessResponse, { status: "ready" }),
    errors: ["busy"],
  },
];
