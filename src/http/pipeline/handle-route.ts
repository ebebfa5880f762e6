/** Answers a request to a route: authenticates, authorises, reads the input and calls the handler. */
import type { H3Event } from "h3";
import { allows } from "../../domain/access/token.ts";
import { isBranchName, mainBranch } from "../../domain/commits/branch-name.ts";
import { reachHive, reachTeam } from "../../service/access.ts";
import type { Slowly } from "../../service/slow-reads.ts";
import { teamWriteContext } from "../../service/write-context.ts";
import { respondRead } from "../responses/respond-read.ts";
import { note } from "../requests/trace.ts";
import { refusePreconditions } from "../schemas/write-preconditions.ts";
import { handleWrite } from "./handle-write.ts";
import { authorize } from "./authorize.ts";
import { requireCopiedHive, requireCopiedTeam } from "./copied.ts";
import { commitMetadataOf, paramOf, queryOf, withInput } from "./input.ts";
import { minCommitOf, hiveBranchOf, refusingUnknownBranch } from "./hive-branch.ts";
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

/** Answers a request about a Hive, which must be within the token's reach. */
async function handleHive(route: HiveRoute, event: H3Event, shared: Shared): Promise<Response> {
  const auth = await authorize(event, route.ability, shared.options.storage);
  requireCopiedHive(shared.options.following, auth.caller, paramOf(event, "slug"));
  const hive = reachHive(auth.caller, paramOf(event, "slug"), route.ability);
  note(event.req, { hive: hive.slug });
  const { following } = shared.options;
  const { hives } = shared.options.storage;
  return withInput(event, route, hive.team, shared, async ({ branch: named, minCommit, ...input }) => {
    if (minCommit !== undefined) {
      const wanted = minCommitOf(minCommit);
      const at = typeof named === "string" && isBranchName(named) ? named : mainBranch;
      const read = at === mainBranch ? hive.slug : { slug: hive.slug, branch: at };
      await shared.commitWaits.wait(hive.team, read, wanted, event.req.signal);
    }
    following?.requireFresh(hive.slug);

    const canRead = allows(auth.caller.token, "read");
    return refusingUnknownBranch(route.kind === "hive-write" && named !== undefined, async () => {
      const isInPath = route.kind === "hive-write" && route.changesBranchInPath === true;
      const branch = hiveBranchOf(hives, hive.slug, isInPath ? input.param("branch") : named);
      if (typeof branch !== "string") note(event.req, { branch: branch.branch });
      const { responses, streams } = shared;
      const request: HiveRequest = { ...input, responses, streams, hive, branch, canRead };
      if (route.kind === "hive-stream") return route.handler(request);
      const respond = async (signal?: AbortSignal): Promise<Response> =>
        route.kind === "hive-write"
          ? handleWrite(route, request, shared.underWay)
          : respondRead(event, await route.handler({ ...request, signal }), shared, auth);
      return isSlow(route, request) ? shared.slowReads.run(hive.team, event.req.signal, respond) : respond();
    });
  });
}

/** Whether an answer may take seconds without holding a lock. */
function isSlow(route: HiveReadRoute | HiveWriteRoute, { query }: HiveRequest): boolean {
  return route.kind === "hive-write" ? query.dry_run !== undefined : route.isSlow?.(query) === true;
}

/** Answers a request about the caller's team. Some of these require a token that reaches all of its Hives. */
async function handleTeam(
  { method, ability, requiresAllHives, handler, docs }: TeamRoute,
  event: H3Event,
  shared: Shared,
): Promise<Response> {
  const { caller } = await authorize(event, ability, shared.options.storage);
  const grant = reachTeam(caller, ability, requiresAllHives);
  requireCopiedTeam(shared.options.following, caller);
  const { headers } = event.req;
  if (method !== "GET") refusePreconditions(headers);
  return withInput(event, { docs }, grant.team, shared, (input) => {
    const context = teamWriteContext(input.storage, grant, commitMetadataOf(headers));
    return handler({ ...input, streams: shared.streams, caller, grant, context });
  });
}

/** Answers a request that any token with the ability may make. */
async function handleCaller(
  { ability, handler, docs }: CallerRoute,
  event: H3Event,
  shared: Shared,
): Promise<Response> {
  const { storage, following } = shared.options;
  const auth = await authorize(event, ability, storage);
  requireCopiedTeam(following, auth.caller);
  // This refuses all parameters, since none of these routes has any.
  queryOf(event, { docs });
  const { caller } = auth;
  const slowly: Slowly = (read) => shared.slowReads.run(caller.team.name, event.req.signal, read);
  return respondRead(event, await handler({ storage, caller, slowly }), shared, auth);
}
