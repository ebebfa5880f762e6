/** Answers a write to a Hive: makes its context from the request's headers, and detects repeated requests. */
import { hash } from "node:crypto";
import { failure, invalid, isFailure } from "../../domain/errors.ts";
import { hiveWriteContext } from "../../service/write-context.ts";
import { respondJson } from "../responses/respond.ts";
import { expectedHead, idempotencyKey } from "../schemas/write-preconditions.ts";
import { commitMetadataOf } from "./input.ts";
import type { HiveRequest, HiveWriteRoute } from "./route.ts";

/**
 * Answers a write.
 * @param underWay the requests with an idempotency key that this process is answering.
 * @throws SkepError for every error response.
 */
export async function handleWrite(
  route: HiveWriteRoute,
  request: HiveRequest,
  underWay: Set<string>,
): Promise<Response> {
  const { event, storage, hive, branch } = request;
  const { headers } = event.req;
  const context = {
    ...hiveWriteContext(storage, hive, commitMetadataOf(headers)),
    expectedHead: expectedHead(headers),
    allowFindings: request.query.checks === "warn",
  };
  const key = idempotencyKey(headers);
  if (key === undefined) return route.handler({ ...request, context });

  if (route.isRepeatable !== true) throw invalid("Idempotency-Key", "cannot be used here");
  const { pathname, search } = event.url;
  const name = hash("sha256", JSON.stringify([hive.token, event.req.method, pathname, search, key]), "hex");
  if (underWay.has(name)) {
    throw failure("conflict", "A request with this Idempotency-Key is under way; repeat it later.", {
      publicCode: "request_under_way",
    });
  }
  underWay.add(name);
  try {
    const body = hash("sha256", await request.readBody(), "hex");
    const once = { ...context, idempotency: { key: name, body } };
    // Checked before the lock is taken, because this may have to read the history.
    await once.caller?.reauthorise();
    await storage.writer.checkPreconditions(branch, once);
    return await route.handler({ ...request, context: once });
  } catch (error) {
    if (!isFailure(error, "done-before")) throw error;
    const { commit, counts } = error.data;
    const others = await route.repeated?.({ ...request, context }, commit);
    return respondJson({ ...Object.fromEntries(counts), ...others }, { commit, isReplay: true });
  } finally {
    underWay.delete(name);
  }
}
