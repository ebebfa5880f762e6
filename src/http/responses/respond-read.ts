/** Responds to reads: renders and caches the result, encodes it for the client, and remembers it for the fast path. */
import type { H3Event } from "h3";
import type { Caller } from "../../service/access.ts";
import type { Versioned } from "../../service/content/queries.ts";
import { encodingFor } from "./compression.ts";
import { readName, type ReadFastPath, type CachedRead } from "./read-fast-path.ts";
import { respondWith, toResponseHeaders, type ResponseHeaders } from "./respond.ts";
import type { CachedResponse, ResponseCache } from "./response-cache.ts";
import { findingsOf, note } from "../requests/trace.ts";

/**
 * Renders a result to the body of a response.
 * @param question the parameters of the read; together with the result's version they are the key in the cache.
 * @param toBytes runs only if the response is not cached.
 */
export function rendered<T>(
  result: Versioned<T>,
  question: readonly unknown[],
  toBytes: (value: T) => Uint8Array | Promise<Uint8Array>,
): Versioned<Uint8Array> {
  const version = JSON.stringify([...question, result.version]);
  return { ...result, version, read: async () => toBytes(await result.read()) };
}

/** Responds to a read, and remembers it for the fast path. */
export async function respondRead(
  { req }: H3Event,
  { version, read, commit, heads, isImmutable = false }: Versioned<Uint8Array>,
  { responses, fastPath }: { readonly responses: ResponseCache; readonly fastPath: ReadFastPath },
  { caller, settings }: { readonly caller: Caller; readonly settings: string | undefined },
): Promise<Response> {
  const plain = await responses.get(version, read);
  const response = await responses.encoded(plain, encodingFor(req.headers.get("accept-encoding")));
  const headers = toResponseHeaders(response, commit, isImmutable);
  note(req, { commit });
  const expires = caller.token.expires === undefined ? Infinity : Date.parse(caller.token.expires);
  return respondRemembered(req, { response, headers }, { settings, expires, heads }, fastPath);
}

/**
 * Responds with a cached response, and remembers it for the fast path.
 * @param basis what the response holds for: the version of the settings that was read first, how long it holds at most,
 * and the heads that it depends on; it is not cached where the first or the last is undefined.
 */
export function respondRemembered(
  req: H3Event["req"],
  { response, headers }: { readonly response: CachedResponse; readonly headers: ResponseHeaders },
  basis: {
    readonly settings: string | undefined;
    readonly expires: number;
    readonly heads: CachedRead["heads"] | undefined;
  },
  fastPath: ReadFastPath,
): Response {
  const { settings, expires, heads } = basis;
  const node = req.runtime?.node?.req;
  const name = node && readName(node);
  if (name !== undefined && settings !== undefined && heads !== undefined) {
    fastPath.cache(name, {
      settings,
      expires,
      heads,
      response: response.key,
      headers: { whole: headers.whole.flat(), notModified: headers.notModified.flat() },
      findings: findingsOf(req),
    });
  }
  return respondWith(req, response, headers);
}
