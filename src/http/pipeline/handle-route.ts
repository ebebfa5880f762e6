/** Answers a request to a route: authenticates, authorises, reads the input and calls the handler. */
import type { H3Event } from "h3";
import { allows } from "../../domain/access/token.ts";
import type { Slowly } from "../../service/slow-reads.ts";
import { teamWriteContext } from "../../service/write-context.ts";
import { respondRead } from "../responses/respond-read.ts";
import { refusePreconditions } from "../schemas/write-preconditions.ts";
import { handleWrite } from "./handle-write.ts";
import { accessHive, accessTeam, bearerToken, refusingUnknownBranch } from "./access.ts";
import { checkQuery, commitMetadataOf, paramOf, queryOf, withInput } from "./input.ts";
import type {
  CallerRoute,
  HiveReadRoute,
  HiveRequest,
  HiveRoute,
  HiveWriteRoute,
  Route,
  TeamRoute,
} from "./route.ts";
import type { Shared } from "./shared.ts";

/**
 * Answers a request to a route. The token is checked first, then its ability, then its reach.
 * @throws SkepError for every error response.
 */
export function handleRoute(route: Route, event: H3Event, shared: Shared): Promise<Response> {
  if (route.kind === "open") return route.handler(event, shared);
  if (route.kind === "caller") return handleCaller(route, event, shared);
  if (route.kind === "team") return handleTeam(route, event, shared);
  return handleHive(route, event, shared);
}

/** Answers a request about a Hive. */
async function handleHive(route: HiveRoute, event: H3Event, shared: Shared): Promise<Response> {
  const { responses, streams } = shared;
  const { query, branch: named, minCommit } = queryOf(event, route);
  const isWrite = route.kind === "hive-write";
  const answer = async (): Promise<Response> => {
    const access = await accessHive(event, shared, bearerToken(event.req.headers.get("authorization")), {
      slug: paramOf(event, "slug"),
      ability: route.ability,
      branch: isWrite && route.changesBranchInPath === true ? paramOf(event, "branch") : named,
      minCommit,
    });
    const { hive, branch } = access;
    const canRead = allows(access.caller.token, "read");
    return withInput(event, route.docs, query, hive.team, shared, async (input) => {
      const request: HiveRequest = { ...input, responses, streams, hive, branch, canRead };
      if (route.kind === "hive-stream") return route.handler(request);
      const respond = async (signal?: AbortSignal): Promise<Response> =>
        route.kind === "hive-write"
          ? handleWrite(route, request, shared.underWay)
          : respondRead(event, await route.handler({ ...request, signal }), shared, access);
      return isSlow(route, request) ? shared.slowReads.run(hive.team, event.req.signal, respond) : respond();
    });
  };
  return isWrite && named !== undefined ? refusingUnknownBranch(answer) : answer();
}

/** Whether an answer may take seconds without holding a lock. */
function isSlow(route: HiveReadRoute | HiveWriteRoute, { query }: HiveRequest): boolean {
  return route.kind === "hive-write" ? query.dry_run !== undefined : route.isSlow?.(query) === true;
}

/** Answers a request about the caller's team. Some of these require a token that reaches all of its Hives. */
async function handleTeam(route: TeamRoute, event: H3Event, shared: Shared): Promise<Response> {
  const { method, ability, requiresAllHives, handler, docs } = route;
  const { headers } = event.req;
  const credential = bearerToken(headers.get("authorization"));
  const { caller, grant } = await accessTeam(event, shared, credential, ability, requiresAllHives);
  if (method !== "GET") refusePreconditions(headers);
  return withInput(event, docs, queryOf(event, route).query, grant.team, shared, (input) => {
    const context = teamWriteContext(input.storage, grant, commitMetadataOf(headers));
    return handler({ ...input, streams: shared.streams, caller, grant, context });
  });
}

/** Answers a request that any token with the ability may make. */
async function handleCaller(route: CallerRoute, event: H3Event, shared: Shared): Promise<Response> {
  const credential = bearerToken(event.req.headers.get("authorization"));
  const access = await accessTeam(event, shared, credential, route.ability);
  checkQuery(route.docs, queryOf(event, route).query);
  const { caller } = access;
  const slowly: Slowly = (read) => shared.slowReads.run(caller.team.name, event.req.signal, read);
  const { storage } = shared.options;
  return respondRead(event, await route.handler({ storage, caller, slowly }), shared, access);
}
