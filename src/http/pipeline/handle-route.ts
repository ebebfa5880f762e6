/** Answers a request to a route: authorises it, reads its input and calls the handler. */
import type { H3Event } from "h3";
import { allows } from "../../domain/access/token.ts";
import type { Slowly } from "../../service/slow-reads.ts";
import { teamWriteContext } from "../../service/write-context.ts";
import { respondJson, respondRead } from "../responses/respond.ts";
import { check } from "../schemas/schemas.ts";
import { refusePreconditions } from "../schemas/write-preconditions.ts";
import { accessHive, accessTeam, bearerToken, refusingUnknownBranch } from "./access.ts";
import { handleWrite } from "./handle-write.ts";
import { checkQuery, commitMetadataOf, paramOf, queryOf, withBody } from "./input.ts";
import type { CallerRoute, HiveRoute, Route, TeamRoute } from "./route.ts";
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

function credentialOf({ req }: H3Event): string | undefined {
  return bearerToken(req.headers.get("authorization"));
}

/** Answers a request about a Hive. */
async function handleHive(route: HiveRoute, event: H3Event, shared: Shared): Promise<Response> {
  const { responses, streams } = shared;
  const { query: given, branch: named, minCommit } = queryOf(event, route);
  const isWrite = route.kind === "hive-write";
  const answer = async (): Promise<Response> => {
    const access = await accessHive(event, shared, credentialOf(event), {
      slug: paramOf(event, "slug"),
      ability: route.ability,
      branch: isWrite && route.changesBranchInPath === true ? paramOf(event, "branch") : named,
      minCommit,
    });
    const { hive, branch } = access;
    const common = {
      event,
      storage: shared.options.storage,
      responses,
      streams,
      hive,
      caller: access.caller,
      branch,
      canRead: allows(access.caller.principal, "read"),
      param: (name: string) => paramOf(event, name),
    };
    const slowly: Slowly = (read) => shared.slowReads.run(hive.team, event.req.signal, read);
    if (route.kind === "hive-write") {
      const query = checkQuery(route, given);
      const write = (): Promise<Response> => handleWrite(route, { ...common, query }, shared);
      return query.dry_run === true ? slowly(write) : write();
    }
    if (route.kind === "hive-stream") {
      return route.handler({ ...common, query: check(route.query, given, "query") });
    }
    const query = checkQuery(route, given);
    const read = async (signal?: AbortSignal): Promise<Response> => {
      const result = await route.handler({ ...common, query, signal });
      // Equal contents have equal versions, whatever revision was given.
      const question = [event.url.pathname, { ...query, at: undefined }];
      return respondRead(event.req, result, question, shared, access);
    };
    return route.isSlow?.(query) === true ? slowly(read) : read();
  };
  return isWrite && named !== undefined ? refusingUnknownBranch(answer) : answer();
}

/** Answers a request about the caller's team. Some of these require a token that reaches all of its Hives. */
async function handleTeam(route: TeamRoute, event: H3Event, shared: Shared): Promise<Response> {
  const { method, ability, requiresAllHives, status } = route;
  const { headers } = event.req;
  const { caller, grant } = await accessTeam(event, shared, credentialOf(event), ability, requiresAllHives);
  if (method !== "GET") refusePreconditions(headers);
  const query = checkQuery(route, queryOf(event, route).query);
  const { streams, options } = shared;
  const { storage } = options;
  return withBody(event, grant.team, shared, async (given) => {
    const { body } = await given.read(route.body);
    const context = teamWriteContext(storage, grant, commitMetadataOf(headers));
    const param = (name: string): string => paramOf(event, name);
    const slowly: Slowly = (read) => shared.slowReads.run(grant.team, event.req.signal, read);
    const { publicUrl } = options;
    const request = {
      event,
      storage,
      streams,
      param,
      query,
      body,
      caller,
      grant,
      context,
      slowly,
      publicUrl,
    };
    const answer = await route.handler(request);
    if (answer instanceof Response) return answer;
    return respondJson(answer.result, { status, commit: answer.commit });
  });
}

/** Answers a request that any token with the ability may make. */
async function handleCaller(route: CallerRoute, event: H3Event, shared: Shared): Promise<Response> {
  const access = await accessTeam(event, shared, credentialOf(event), route.ability);
  checkQuery(route, queryOf(event, route).query);
  const { caller } = access;
  const slowly: Slowly = (read) => shared.slowReads.run(caller.team.name, event.req.signal, read);
  const result = await route.handler(shared.options.storage, caller, slowly);
  return respondRead(event.req, result, route.path, shared, access);
}
