/** One request about the caller's team, from the token to the answer. */
import { getQuery, type H3Event } from "h3";
import { reachTeam, requireAbility } from "../../service/access.ts";
import { wordsOf, type Shared } from "./answer-hive.ts";
import { callerOf } from "./auth.ts";
import { parseJson, readJsonBody } from "../requests/body.ts";
import type { TeamEndpoint } from "./route.ts";
import { refuseQuery } from "./query.ts";
import { note } from "../requests/trace.ts";
import { refuseGuards } from "../schemas/write-guards.ts";

/**
 * Answers a request to an endpoint: the token first, then its ability, then whether it reaches far enough.
 * @throws SkepError for every answer that is an error.
 */
export async function answerTeam(
  { method, ability, requiresAllHives, handler, docs }: TeamEndpoint,
  event: H3Event,
  { options, budget }: Shared,
): Promise<Response> {
  const { storage, bodyLimit, bodyValues } = options;
  const caller = await callerOf(storage, event.req.headers.get("authorization"));
  note(event.req, { token: caller.token.id });
  requireAbility(caller, ability);
  const reached = reachTeam(caller, ability, requiresAllHives);
  if (method !== "GET") refuseGuards(event.req.headers);
  const query = getQuery(event);
  refuseQuery(docs, query);
  const share = budget.open(reached.team);
  try {
    return await handler({
      event,
      storage,
      caller,
      reached,
      param: (name) => decodeURIComponent(event.context.params?.[name] ?? ""),
      query,
      readJson: async () => parseJson(await readJsonBody(event, bodyLimit, share), bodyValues),
      words: wordsOf(event.req.headers),
    });
  } finally {
    share.release();
  }
}
