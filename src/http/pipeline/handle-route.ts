/** Answers a request to a route: authorises it, reads its input and calls the handler. Detects repeated writes. */
import type { H3Event } from "h3";
import { allows } from "../../domain/access/token.ts";
import type { RunSlowRead } from "../../service/slow-reads.ts";
import { teamWriteContext, hiveWriteContext, type WriteContext } from "../../service/access.ts";
import { respondJson, respondRead } from "../responses/respond.ts";
import { encode } from "../../domain/json-codec.ts";
import { check, ignoredMembers } from "../schemas/schemas.ts";
import { refusePreconditions, expectedHead, idempotencyKey } from "../schemas/write-preconditions.ts";
import { accessHive, accessTeam, bearerToken, refusingUnknownBranch, type Credential } from "./access.ts";
import {
  branchParams,
  checkQuery,
  commitMetadataOf,
  paramOf,
  queryOf,
  withBody,
  type RequestBody,
} from "./input.ts";
import type {
  CallerRoute,
  HiveRoute,
  Route,
  TeamRoute,
  HiveRequest,
  HiveWriteRoute,
  Query,
  WriteOptions,
} from "./route.ts";
import type { Shared } from "./shared.ts";
import { hash } from "node:crypto";
import { failure, invalid, isFailure } from "../../domain/errors.ts";
import { previewOf } from "./preview.ts";

/**
 * Answers a request to a route. The token is checked first, then its ability, then its reach.
 * @param credential the token of the request if not given.
 * @throws SkepError for every error response.
 */
export function handleRoute(
  route: Route,
  event: H3Event,
  shared: Shared,
  credential: Credential = bearerToken(event.req.headers.get("authorization")),
): Promise<Response> {
  if (route.kind === "open") return route.handler(event, shared);
  if (route.kind === "caller") return handleCaller(route, event, shared, credential);
  if (route.kind === "team") return handleTeam(route, event, shared, credential);
  return handleHive(route, event, shared, credential);
}

async function handleHive(
  route: HiveRoute,
  event: H3Event,
  shared: Shared,
  credential: Credential,
): Promise<Response> {
  const { responses, streams } = shared;
  const { query: given, branch: named, minCommit } = queryOf(event, route);
  const isWrite = route.kind === "hive-write";
  const param = (name: string): string => paramOf(event, name);
  const answer = async (): Promise<Response> => {
    const access = await accessHive(event, shared, credential, {
      slug: param("slug"),
      ability: route.ability,
      branch: isWrite && route.changesBranchInPath === true ? param("branch") : named,
      minCommit,
      mayBeDeleted: isWrite && route.isRepeatable === true && idempotencyKey(event.req.headers) !== undefined,
    });
    const { hive, branch, caller } = access;
    const { storage } = shared.options;
    const canRead = allows(caller.principal, "read");
    const common = { event, storage, responses, streams, hive, caller, branch, canRead, param };
    const runSlowRead: RunSlowRead = (read) => shared.slowReads.run(hive.team, event.req.signal, read);
    if (route.kind === "hive-write") {
      const query = checkQuery(route, given);
      const write = (): Promise<Response> => handleWrite(route, { ...common, query }, shared);
      return query.dry_run === true ? runSlowRead(write) : write();
    }
    if (route.kind === "hive-stream") {
      return route.handler({ ...common, query: check(route.query, given, "query", branchParams(route)) });
    }
    const query = checkQuery(route, given);
    const read = async (signal?: AbortSignal): Promise<Response> => {
      const result = await route.handler({ ...common, query, signal });
      // Equal contents have equal versions, whatever revision was given.
      const dependsOn = [event.url.pathname, { ...query, at: undefined }];
      return respondRead(event.req, result, { schema: route.response, dependsOn }, shared, access);
    };
    return route.isSlow?.(query) === true ? runSlowRead(read) : read();
  };
  return isWrite && named !== undefined ? refusingUnknownBranch(answer) : answer();
}

/** Answers a request about the caller's team. Some of these require a token that reaches all of its Hives. */
async function handleTeam(
  route: TeamRoute,
  event: H3Event,
  shared: Shared,
  credential: Credential,
): Promise<Response> {
  const { method, ability, requiresAllHives, status } = route;
  const { headers, signal } = event.req;
  const { streams, options, slowReads } = shared;
  const { storage, publicUrl, mailing } = options;
  const { caller, grant } = await accessTeam(event, shared, credential, ability, requiresAllHives);
  if (method !== "GET") refusePreconditions(headers);
  const query = checkQuery(route, queryOf(event, route).query);
  const param = (name: string): string => paramOf(event, name);
  const runSlowRead: RunSlowRead = (read) => slowReads.run(grant.team, signal, read);
  return withBody(event, grant.team, shared, async (given) => {
    const { body } = await given.read(route.body);
    const context = teamWriteContext(storage, grant, commitMetadataOf(headers));
    const about = { event, storage, streams, caller, grant, publicUrl, mailing };
    const answered = await route.handler({ ...about, param, query, body, context, runSlowRead });
    if (answered instanceof Response) return answered;
    return respondJson(encode(route.response, answered.result), { status, commit: answered.commit });
  });
}

/** Answers a request that any token with the ability may make. */
async function handleCaller(
  route: CallerRoute,
  event: H3Event,
  shared: Shared,
  credential: Credential,
): Promise<Response> {
  const access = await accessTeam(event, shared, credential, route.ability);
  checkQuery(route, queryOf(event, route).query);
  const { caller } = access;
  const runSlowRead: RunSlowRead = (read) => shared.slowReads.run(caller.team.name, event.req.signal, read);
  const result = await route.handler(shared.options.storage, caller, runSlowRead);
  const about = { schema: route.response, dependsOn: route.path };
  return respondRead(event.req, result, about, shared, access);
}

type UnreadWrite = HiveRequest<Query & WriteOptions>;

/** Answers a write: makes its context from the request's headers and query, and detects repeated requests. */
function handleWrite(route: HiveWriteRoute, request: UnreadWrite, shared: Shared): Promise<Response> {
  const { event, storage, hive, query } = request;
  const { headers } = event.req;
  const context: WriteContext = {
    ...hiveWriteContext(storage, hive, commitMetadataOf(headers)),
    expectedHead: expectedHead(headers),
    dryRun: query.dry_run,
    // The owner of the storage has no limit, as a person who can undo it.
    maxDeletions: query.max_deletions ?? (hive.command === undefined ? undefined : Infinity),
    allowFindings: query.checks === "warn",
  };
  const key = idempotencyKey(headers);
  if (key !== undefined && route.isRepeatable !== true)
    throw invalid("Idempotency-Key", "cannot be used here");
  return withBody(event, hive.team, shared, (body) =>
    key === undefined
      ? writeOnce(route, request, context, body)
      : writeWithKey(route, request, context, body, key, shared.underWay),
  );
}

async function writeOnce(
  route: HiveWriteRoute,
  request: UnreadWrite,
  context: WriteContext,
  given: RequestBody,
): Promise<Response> {
  const { sent, body } = await given.read(route.body);
  const { result, status = route.status, ...committed } = await route.handler({ ...request, context, body });
  const warnings = route.body === undefined ? [] : ignoredMembers(route.body.schema, sent);
  // Only the responses of routes with dry runs have findings.
  const preview = route.hasDryRun === true ? previewOf(committed, request.canRead, warnings) : {};
  const encoded = encode(route.response, Object.assign({}, result, preview));
  return respondJson(encoded, { status, commit: committed.commit });
}

/** @param underWay the requests with an idempotency key that this process is answering. */
async function writeWithKey(
  route: HiveWriteRoute,
  request: UnreadWrite,
  context: WriteContext,
  given: RequestBody,
  key: string,
  underWay: Set<string>,
): Promise<Response> {
  const { event, storage, hive, branch } = request;
  const { pathname, search } = event.url;
  const by = hive.token ?? `person ${hive.person}`;
  const name = hash("sha256", JSON.stringify([by, event.req.method, pathname, search, key]), "hex");
  if (underWay.has(name)) {
    throw failure("conflict", "A request with this Idempotency-Key is under way; repeat it later.", {
      publicCode: "request_under_way",
    });
  }
  underWay.add(name);
  try {
    const once = { ...context, idempotency: { key: name, body: hash("sha256", await given.bytes(), "hex") } };
    // Checked before the lock is taken, because this may have to read the history.
    await once.caller.reauthorise();
    await storage.writer.checkPreconditions(branch, once);
    return await writeOnce(route, request, once, given);
  } catch (error) {
    if (!isFailure(error, "done-before")) throw error;
    const { commit, counts } = error.data;
    const others = await route.repeated?.({ ...request, context, ...(await given.read(route.body)) }, commit);
    const body = encode(route.response, { ...Object.fromEntries(counts), ...others });
    return respondJson(body, { commit, headers: [["idempotency-replayed", "true"]] });
  } finally {
    underWay.delete(name);
  }
}
