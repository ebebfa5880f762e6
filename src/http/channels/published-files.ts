/** Serves what is published, without a token, in a form that shared caches can keep. */
import type { H3Event } from "h3";
import { isFailure } from "../../domain/errors.ts";
import { findPublished, notPublished } from "../../service/channels/published.ts";
import { inSlices } from "../../slices.ts";
import { withExample } from "../openapi/route-docs.ts";
import type { OpenRoute } from "../pipeline/route.ts";
import type { Shared } from "../pipeline/shared.ts";
import { note } from "../requests/trace.ts";
import { joinPieces } from "../responses/json-bytes.ts";
import { toPublicError } from "../responses/error-response.ts";
import { noSniff, publicImmutable, respondCached, respondJson } from "../responses/respond.ts";
import { publishedResponse } from "../schemas/channel-schemas.ts";

/** All of them: names of files may have slashes. */
export const publishedPaths = "/p/**";

const defaultMaxAgeMs = 2_000;
/** For how long caches may answer when the server does not, in seconds. */
const staleIfErrorSeconds = 86_400;

/**
 * How caches keep a file of a channel. The spans add up: what a shared cache holds may be as old as the first and the
 * last, and a browser may hold that for the second and the last.
 */
function cacheControl(maxAgeMs = defaultMaxAgeMs): string {
  const seconds = Math.ceil(maxAgeMs / 1_000);
  const half = Math.ceil(seconds / 2);
  return `public, max-age=${half}, s-maxage=${seconds}, stale-while-revalidate=${half}, stale-if-error=${staleIfErrorSeconds}`;
}

/**
 * Answers a request for a published file. That there is none caches keep as long as a file, and in its place: nothing that
 * was removed comes back when the server cannot be reached.
 */
export async function servePublishedFile(event: H3Event, shared: Shared): Promise<Response> {
  try {
    return await findAndServe(event, shared);
  } catch (error) {
    if (!isFailure(error, "not-found")) throw error;
    await requireComplete(event, shared.options);
    note(event.req, { code: error.code });
    const { status, body } = toPublicError(error, "");
    return respondJson(body, { status, cacheControl: cacheControl(shared.options.channelMaxAge) });
  }
}

/** Nobody is told, and caches do not keep, that there is none of what a copy has not got yet. */
async function requireComplete({ url }: H3Event, options: Shared["options"]): Promise<void> {
  const { storage, following } = options;
  const [id = ""] = url.pathname.split("/").slice(2);
  const publication = following && (await storage.publications.by(id));
  if (publication !== undefined) following?.requireComplete(publication.slug);
}

/** @throws SkepError `not-found` for all that is not published. */
async function findAndServe({ req, url }: H3Event, shared: Shared): Promise<Response> {
  const { options, responses, fastPath, slowReads } = shared;
  const { storage, channelMaxAge } = options;
  const [id = "", ...path] = namesIn(url.pathname);
  // Read before the channel: what is cached may be older than its version, never newer.
  const settings = storage.registry.version.recent();
  const found = await findPublished(storage, id, path);
  const { version, commit, heads, isImmutable = false, isSlow, slug, team } = found;
  note(req, { hive: slug, commit });
  options.following?.requireFresh(slug);
  const make = async (): Promise<Uint8Array> => {
    const text = await found.read();
    return inSlices(joinPieces(text.map((piece) => Buffer.from(piece))));
  };
  const response = {
    key: version,
    // Only what is not in the cache takes a place among the slow reads.
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

/** The addresses of whole locales; those of single files, with one more name, are served likewise. */
export const publishedRoutes: readonly OpenRoute[] = [
  {
    kind: "open",
    method: "GET",
    path: "/p/:publication/:channel/:file",
    handler: servePublishedFile,
    id: "getPublishedFile",
    group: "Channels",
    summary: "Get a published file",
    description:
      "`fr.json` has all texts of a locale, `fr/auth.json` those of one file of the Hive. `manifest.json` names the content address of each locale, `/p/{publication}/c/{address}/fr.json`, which never changes; `fr/auth.json` is below it, too. All origins may read them.",
    hasETag: true,
    hasCommit: true,
    response: withExample(publishedResponse, { auth: { failed: "Échec." } }),
    errors: ["not-found", "busy", "content-invalid"],
  },
];
