/** One request to a Hive, from the token to the answer. */
import type { H3Event } from "h3";
import { allows } from "../../domain/access/token.ts";
import { reachHive } from "../../service/access.ts";
import { respondRead } from "../responses/respond-read.ts";
import { note } from "../requests/trace.ts";
import { answerWrite } from "./answer-write.ts";
import { authorize } from "./authorize.ts";
import { paramOf, withInput } from "./input.ts";
import type { Endpoint, HiveRequest } from "./route.ts";
import type { Shared } from "./shared.ts";

/**
 * Answers a request to an endpoint: the token first, then its ability, then whether the Hive is within reach.
 * @throws SkepError for every answer that is an error.
 */
export async function answerHive(endpoint: Endpoint, event: H3Event, shared: Shared): Promise<Response> {
  const auth = await authorize(event, endpoint.ability, shared.options.storage);
  const hive = reachHive(auth.caller, paramOf(event, "slug"), endpoint.ability);
  note(event.req, { hive: hive.slug });
  return withInput(event, endpoint.docs, hive.team, shared, (input) => {
    const canRead = allows(auth.caller.token, "read");
    const request: HiveRequest = { ...input, responses: shared.responses, hive, canRead };
    const answer = async (signal?: AbortSignal): Promise<Response> =>
      endpoint.kind === "hive-write"
        ? answerWrite(endpoint, request, shared.underWay)
        : respondRead(event, await endpoint.handler({ ...request, signal }), shared, auth);
    return isSlow(endpoint, request) ? shared.slowReads.run(hive.team, event.req.signal, answer) : answer();
  });
}

/** Whether an answer may cost seconds, and is not waited for under a lock. */
function isSlow(endpoint: Endpoint, { query }: HiveRequest): boolean {
  return endpoint.kind === "hive-write" ? query.dry_run !== undefined : endpoint.isSlow?.(query) === true;
}
