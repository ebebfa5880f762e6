/** One write to a Hive: kept to what its caller guards it by, and done once where its caller named it. */
import { hash } from "node:crypto";
import { failure, invalid, isFailure } from "../../domain/errors.ts";
import { reauthoriseHive } from "../../service/access.ts";
import { guarded } from "../../service/content/guarded.ts";
import { respondJson } from "../responses/respond.ts";
import type { WriteEndpoint, HiveRequest } from "./route.ts";
import { expectedHead, idempotencyKey } from "../schemas/write-guards.ts";

/**
 * Answers a write.
 * @param underWay the named requests that are being answered by this process.
 * @throws SkepError for every answer that is an error.
 */
export async function answerWrite(
  endpoint: WriteEndpoint,
  request: HiveRequest,
  underWay: Set<string>,
): Promise<Response> {
  const { event, hive } = request;
  const expected = expectedHead(event.req.headers);
  const key = idempotencyKey(event.req.headers);
  const storage = guarded(request.storage, {
    expected,
    confirm: () => reauthoriseHive(request.storage, hive),
  });
  if (key === undefined) return endpoint.handler({ ...request, storage });

  if (endpoint.isRepeatable !== true) throw invalid("Idempotency-Key", "cannot be used here");
  const { pathname, search } = event.url;
  const name = hash("sha256", JSON.stringify([hive.token, event.req.method, pathname, search, key]), "hex");
  if (underWay.has(name)) {
    throw failure("conflict", "A request with this Idempotency-Key is under way; repeat it later.");
  }
  underWay.add(name);
  try {
    const body = hash("sha256", await request.readBody(), "hex");
    const once = guarded(storage, { request: { key: name, body } });
    // The history may have to be read for it, which is better done before there is a lock to hold.
    await once.hives.checkGuards(hive.slug);
    return await endpoint.handler({ ...request, storage: once });
  } catch (error) {
    if (!isFailure(error, "done-before")) throw error;
    const { commit, counts } = error.data;
    return respondJson(Object.fromEntries(counts), { commit, isReplay: true });
  } finally {
    underWay.delete(name);
  }
}
