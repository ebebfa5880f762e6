/** The end of every read: the result as bytes, cached, encoded as the client asks, and remembered for the fast path. */
import type { H3Event } from "h3";
import type { Caller } from "../../service/access.ts";
import type { Versioned } from "../../service/content/queries.ts";
import { encodingFor } from "./compression.ts";
import { readName, type ReadFastPath } from "./read-fast-path.ts";
import { respondWith, toResponseHeaders } from "./respond.ts";
import type { ResponseCache } from "./response-cache.ts";
import { findingsOf, note } from "../requests/trace.ts";

/** Who sent a request, and the version of the settings before they were looked up. */
export interface AuthContext {
  readonly caller: Caller;
  readonly settings: string | undefined;
}

/**
 * A result as the bytes of a response.
 * @param question what was asked; with the result's version it names the response in the cache.
 * @param toBytes runs only where the response is not cached.
 */
export function rendered<T>(
  result: Versioned<T>,
  question: readonly unknown[],
  toBytes: (value: T) => Uint8Array | Promise<Uint8Array>,
): Versioned<Uint8Array> {
  const version = JSON.stringify([...question, result.version]);
  return { ...result, version, read: async () => toBytes(await result.read()) };
}

/** Responds to a read, and remembers that the same request may be answered so again. */
export async function respondRead(
  { req }: H3Event,
  { version, read, commit, heads, isFixed = false }: Versioned<Uint8Array>,
  { responses, fastPath }: { readonly responses: ResponseCache; readonly fastPath: ReadFastPath },
  { caller, settings }: AuthContext,
): Promise<Response> {
  const plain = await responses.get(version, read);
  const response = await responses.encoded(plain, encodingFor(req.headers.get("accept-encoding")));
  const headers = toResponseHeaders(response, commit, isFixed);
  note(req, { commit });
  const node = req.runtime?.node?.req;
  const name = node && readName(node);
  if (name !== undefined && settings !== undefined && heads !== undefined) {
    const { expires } = caller.token;
    fastPath.remember(name, {
      settings,
      expires: expires === undefined ? Infinity : Date.parse(expires),
      heads,
      response: response.key,
      headers: { whole: headers.whole.flat(), notModified: headers.notModified.flat() },
      findings: findingsOf(req),
    });
  }
  return respondWith(req, response, headers);
}
