/** One request that is not about one Hive, from the token to the answer. */
import { getQuery, type H3Event } from "h3";
import { respondRead } from "../responses/respond-read.ts";
import { authorize } from "./authorize.ts";
import { refuseQuery } from "./query.ts";
import type { CallerEndpoint } from "./route.ts";
import type { Shared } from "./shared.ts";

/**
 * Answers what any token with the ability may ask.
 * @throws SkepError for every answer that is an error.
 */
export async function answerCaller(
  { ability, handler, docs }: CallerEndpoint,
  event: H3Event,
  shared: Shared,
): Promise<Response> {
  const { storage } = shared.options;
  const auth = await authorize(event, ability, storage);
  refuseQuery(docs, getQuery(event));
  return respondRead(event, await handler({ storage, caller: auth.caller }), shared, auth);
}
