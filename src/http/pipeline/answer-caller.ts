/** One request that is not about one Hive, from the token to the answer. */
import { getQuery, type H3Event } from "h3";
import { requireAbility } from "../../service/access.ts";
import type { Shared } from "./answer-hive.ts";
import { answerKept } from "../responses/answer-kept.ts";
import { callerOf } from "./auth.ts";
import type { CallerEndpoint } from "./route.ts";
import { refuseQuery } from "./query.ts";
import { note } from "../requests/trace.ts";

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
  // Before the token is looked at: what is remembered may be older than what it was made from, never newer.
  const settings = storage.registry.recentVersion();
  const caller = await callerOf(storage, event.req.headers.get("authorization"));
  note(event.req, { token: caller.token.id });
  requireAbility(caller, ability);
  refuseQuery(docs, getQuery(event));
  const answer = await handler({ storage, answers: shared.answers, caller });
  return answerKept(event, answer, shared, { caller, settings });
}
