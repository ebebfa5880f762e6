/** One request to a Hive, from the token to the answer. */
import type { H3Event } from "h3";
import { allows } from "../../domain/access/token.ts";
import { reachHive } from "../../service/access.ts";
import { answerKept, type AuthContext } from "../responses/answer-kept.ts";
import { note } from "../requests/trace.ts";
import { answerWrite } from "./answer-write.ts";
import { authorize } from "./authorize.ts";
import { paramOf, withInput } from "./input.ts";
import type { Endpoint, HiveRequest, ReadEndpoint } from "./route.ts";
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
    const request: HiveRequest = { ...input, answers: shared.answers, hive, canRead };
    const answer = (signal?: AbortSignal): Promise<Response> =>
      endpoint.kind === "hive-write"
        ? answerWrite(endpoint, request, shared.underWay)
        : answerRead(endpoint, { ...request, signal }, shared, auth);
    return isSlow(endpoint, request) ? shared.slowReads.run(hive.team, event.req.signal, answer) : answer();
  });
}

/** Whether an answer may cost seconds, and is not waited for under a lock. */
function isSlow(endpoint: Endpoint, { query }: HiveRequest): boolean {
  return endpoint.kind === "hive-write" ? query.dry_run !== undefined : endpoint.isSlow?.(query) === true;
}

async function answerRead(
  { handler }: ReadEndpoint,
  request: HiveRequest,
  shared: Shared,
  auth: AuthContext,
): Promise<Response> {
  const { event, hive } = request;
  const { commit, past, answer } = await handler(request);
  const head = past === undefined ? commit : past.head;
  const heads = head === undefined ? undefined : [{ slug: hive.slug, head, tag: past?.tag }];
  return answerKept(event, { answer, heads, commit, isFixed: past?.isFixed === true }, shared, auth);
}
