/** One request about the caller's team, from the token to the answer. */
import type { H3Event } from "h3";
import { reachTeam } from "../../service/access.ts";
import { teamWriteContext } from "../../service/write-context.ts";
import { refusePreconditions } from "../schemas/write-preconditions.ts";
import { authorize } from "./authorize.ts";
import { commitMetadataOf, withInput } from "./input.ts";
import type { TeamEndpoint } from "./route.ts";
import type { Shared } from "./shared.ts";

/**
 * Answers a request to an endpoint: the token first, then its ability, then whether it reaches far enough.
 * @throws SkepError for every answer that is an error.
 */
export async function answerTeam(
  { method, ability, requiresAllHives, handler, docs }: TeamEndpoint,
  event: H3Event,
  shared: Shared,
): Promise<Response> {
  const { caller } = await authorize(event, ability, shared.options.storage);
  const reached = reachTeam(caller, ability, requiresAllHives);
  const { headers } = event.req;
  if (method !== "GET") refusePreconditions(headers);
  return withInput(event, docs, reached.team, shared, (input) => {
    const context = teamWriteContext(input.storage, reached, commitMetadataOf(headers));
    return handler({ ...input, caller, reached, context });
  });
}
