/** Serves published files without a token, in a form that shared caches can keep. */
import { z } from "zod";
import type { H3Event } from "h3";
import { isFailure } from "../../domain/errors.ts";
import { findPublished, notPublished } from "../../service/channels/published.ts";
import { openRoute, type OpenRoute } from "../pipeline/route.ts";
import type { Shared } from "../pipeline/shared.ts";
import { addToTrace } from "../requests/trace.ts";
import { joinPieces } from "../responses/json-bytes.ts";
import { toPublicError } from "../responses/error-response.ts";
import { noSniff, publicImmutable, respondCached, respondJson } from "../responses/respond.ts";

/** The addresses of all published files, whose names may have slashes. */
export const publishedPaths = "/p/**";

/** A published file: texts by key, or the manifest. */
const publishedResponse = z.record(z.string(), z.unknown()).meta({ id: "PublishedFile" });

const defaultMaxAgeMs = 2_000;
/** For how long caches may answer when the server does not, in seconds. */
const staleIfErrorSeconds = 86_400;

/**
 * How caches keep a file of a channel. A shared cache keeps it for `s-maxage`, and a browser keeps its copy of that for
 * `max-age`; each may use it for `stale-while-revalidate` longer.
 */
function cacheControl(maxAgeMs = defaultMaxAgeMs): string {
  const seconds = Math.ceil(maxAgeMs / 1_000);
  const half = Math.ceil(seconds / 2);
  return `public, max-age=${half}, s-maxage=${seconds}, stale-while-revalidate=${half}, stale-if-error=${staleIfErrorSeconds}`;
}

/**
 * Answers a request for a published file. Caches keep a 404 as long as a file, and it replaces the file that they had. So
 * a file that was removed does not come back when the server cannot be reached.
 */
export async function servePublishedFile(event: H3Event, shared: Shared): Promise<Response> {
  try {
    return await findAndServe(event, shared);
  } catch (error) {
    if (!isFailure(error, "not-found")) throw error;
    addToTrace(event.req, { code: error.code });
    const { status, body } = toPublicError(error, "");
    return respondJson(body, { status, cacheControl: cacheControl(shared.options.channelMaxAge) });
  }
}

/** @throws SkepError `not-found` when nothing is published at the address. */
async function findAndServe({ req, url }: H3Event, shared: Shared): Promise<Response> {
  const { options, responses, fastPath, slowReads } = shared;
  const { storage, channelMaxAge } = options;
  const [id = "", ...path] = namesIn(url.pathname);
  // Read before the channel: a cached response may be kept under an older version than it was made from, never a newer.
  const settings = storage.registry.version.recent();
  const file = await findPublished(storage, id, path);
  const { version, commit, heads, isImmutable = false, isSlow, slug, team } = file;
  addToTrace(req, { hive: slug, commit });
  const make = async (): Promise<Uint8Array> => {
    const text = await file.read();
    return joinPieces(text.map((piece) => Buffer.from(piece)));
  };
  const response = {
    key: version,
    // Only a file that is not in the cache takes a place among the slow reads.
    make: () => (isSlow ? slowReads.run(team, req.signal, make) : make()),
    cacheControl: isImmutable ? publicImmutable : cacheControl(channelMaxAge),
    commit,
    headers: [noSniff],
  };
  const basis = { settings, expires: Infinity, heads };
  return respondCached(req, response, { responses, fastPath, basis });
}

/** The names in a path below `/p/`. @throws SkepError `not-found` for one that cannot be decoded. */
function namesIn(pathname: string): readonly string[] {
  try {
    return pathname.split("/").slice(2).map(decodeURIComponent);
  } catch {
    throw notPublished();
  }
}

/** The addresses of whole locales. The addresses of single files have one more name. */
export const publishedRoutes: readonly OpenRoute[] = [
  openRoute("getPublishedFile", "GET", "/p/:publication/:channel/:file", {
    handler: servePublishedFile,
    group: "Channels",
    summary: "Get a published file",
    description:
      "`fr.json` has all texts of a locale, `fr/auth.json` those of one file of the Hive. `manifest.json` names the content address of each locale, `/p/{publication}/c/{address}/fr.json`, which never changes; `fr/auth.json` is below it, too. All origins may read them.",
    hasETag: true,
    hasCommit: true,
    response: publishedResponse,
    errors: ["content-invalid"],
  }),
];
