/** Answers a write to a Hive: makes its context from the request's headers and query, and detects repeated requests. */
import { hash } from "node:crypto";
import { failure, invalid, isFailure } from "../../domain/errors.ts";
import { hiveWriteContext, type WriteContext } from "../../service/write-context.ts";
import { respondJson } from "../responses/respond.ts";
import { ignoredMembers } from "../schemas/schemas.ts";
import { expectedHead, idempotencyKey } from "../schemas/write-preconditions.ts";
import { commitMetadataOf, withBody, type RequestBody } from "./input.ts";
import { previewOf } from "./preview.ts";
import type { HiveRequest, HiveWriteRoute, Query, WriteOptions } from "./route.ts";
import type { Shared } from "./shared.ts";

type UnreadWrite = HiveRequest<Query & WriteOptions>;

/** Answers a write. @throws SkepError for every error response. */
export function handleWrite(route: HiveWriteRoute, request: UnreadWrite, shared: Shared): Promise<Response> {
  const { event, storage, hive, query } = request;
  const { headers } = event.req;
  const context: WriteContext = {
    ...hiveWriteContext(storage, hive, commitMetadataOf(headers)),
    expectedHead: expectedHead(headers),
    dryRun: query.dry_run,
    maxDeletions: query.max_deletions,
    allowFindings: query.checks === "warn",
  };
  const key = idempotencyKey(headers);
  if (key !== undefined && route.isRepeatable !== true)
    throw invalid("Idempotency-Key", "cannot be used here");
  return withBody(event, hive.team, shared, (body) =>
    key === undefined
      ? answer(route, request, context, body)
      : answerOnce(route, request, context, body, key, shared.underWay),
  );
}

async function answer(
  route: HiveWriteRoute,
  request: UnreadWrite,
  context: WriteContext,
  given: RequestBody,
): Promise<Response> {
  const { sent, body } = await given.read(route.body);
  const { result, status = route.status, ...committed } = await route.handler({ ...request, context, body });
  // Only the responses of routes with dry runs have findings.
  const isPreviewable = route.query !== undefined && "dry_run" in route.query.shape;
  const warnings = route.body === undefined ? [] : ignoredMembers(route.body.schema, sent);
  const preview = isPreviewable ? previewOf(committed, request.canRead, warnings) : {};
  return respondJson({ ...result, ...preview }, { status, commit: committed.commit });
}

/** @param underWay the requests with an idempotency key that this process is answering. */
async function answerOnce(
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
    return await answer(route, request, once, given);
  } catch (error) {
    if (!isFailure(error, "done-before")) throw error;
    const { commit, counts } = error.data;
    const others = await route.repeated?.({ ...request, context, ...(await given.read(route.body)) }, commit);
    return respondJson(
      { ...Object.fromEntries(counts), ...others },
      {
        commit,
        headers: [["idempotency-replayed", "true"]],
      },
    );
  } finally {
    underWay.delete(name);
  }
}
