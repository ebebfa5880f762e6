/** Whether the server can serve. */
import { z } from "zod";
import { withExample } from "../openapi/route-docs.ts";
import { respondJson } from "../respond.ts";
import type { OpenEndpoint } from "../route.ts";

const healthResponse = z.object({ status: z.literal("ok") }).meta({ id: "Health" });

export const healthEndpoints: readonly OpenEndpoint[] = [
  {
    method: "GET",
    path: "/healthz",
    answer: async () => respondJson({ status: "ok" }),
    docs: {
      id: "getHealth",
      group: "Server",
      summary: "Whether the server can serve",
      answer: withExample(healthResponse, { status: "ok" }),
    },
  },
];
