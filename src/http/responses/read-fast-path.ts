/**
 * The fast path for repeated reads. It caches recent reads with everything that their responses depend on: the
 * version of the settings under which the token was checked, the token's expiry, and the HEADs of the Hives. As long as
 * these stay the same, the same request has the same response. Finding it costs a hash and two look-ups, and it is sent
 * by node's own objects, without making web requests and responses of them. This is most of the speed of reading.
 */
import { hash } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { LRUCache } from "lru-cache";
import type { NodeServerRequest, ServerRequest } from "srvx";
import type { HiveHead } from "../../service/content/queries.ts";
import type { Storage } from "../../service/storage.ts";
import { isPublished, publicCors, type Cors } from "./cors.ts";
import type { CachedResponse, ResponseCache } from "./response-cache.ts";
import { isOneHost } from "../requests/client-address.ts";
import { isHeld, type ResponseHeaders } from "./headers.ts";
import {
  traceFieldsOf,
  requestIdHeader,
  toRequestId,
  type TraceFields,
  type RequestObserver,
} from "../requests/trace.ts";

/** Answers a request from memory if possible. @returns false if it did not, and left both objects as they were. */
export type RespondFast = (request: NodeServerRequest, response: ServerResponse) => boolean;

/** The conditions under which a response is current. Without a version or heads, it is never answered here. */
export interface ReadBasis {
  /** The version of the settings when the token was checked. */
  readonly settings: string | undefined;
  /** When its token expires, in milliseconds since 1970; no read is cached longer than to the end of its day. */
  readonly expires: number;
  /** The HEAD of each Hive that the response is about. */
  readonly heads: readonly HiveHead[] | undefined;
}

interface CachedRead {
  readonly settings: string;
  readonly expires: number;
  readonly heads: readonly HiveHead[];
  /** The key of the response in the cache, which may have been evicted. */
  readonly response: string;
  readonly headers: ResponseHeaders<string>;
  readonly traceFields: TraceFields;
}

const maxReads = 8_192;
const maxPublicReads = 2_048;
const dayMs = 86_400_000;
/** The most Hives of one read: for more, checking all HEADs takes as long as the normal path. */
const maxHeads = 32;
/** The longest key of a read, in characters. */
const maxLength = 1_024;

/** The last token of each connection and its hash: connections keep their token, and hashing is most of the cost. */
const hashed = new WeakMap<Socket, { readonly authorization: string; readonly hash: string }>();

function hashOf(authorization: string, socket: Socket): string {
  const last = hashed.get(socket);
  if (last?.authorization === authorization) return last.hash;
  const current = { authorization, hash: hash("sha256", authorization, "base64") };
  hashed.set(socket, current);
  return current.hash;
}

/**
 * The key that identifies a read; undefined for requests that are not cached. It contains the token's hash instead of
 * the token, so that the time of a look-up reveals nothing about a token. A published file has one key for all callers,
 * and none if it is requested with a query, because a client could make any number of queries.
 */
function readName({ method, headers, url = "", socket }: NodeServerRequest): string | undefined {
  const { authorization, host, "accept-encoding": encodings = "" } = headers;
  if (method !== "GET" || !isOneHost(host)) return undefined;
  const isOpen = isPublished(url);
  if (isOpen ? url.includes("?") : authorization === undefined) return undefined;
  const who = isOpen || authorization === undefined ? "" : hashOf(authorization, socket);
  // The URL as received: parsing it costs as much as everything else.
  const name = `${who} ${url} ${encodings}`;
  return name.length > maxLength ? undefined : name;
}

/** Counts reads as sizes: with `max`, the library would reserve memory for all of them at once. */
function atMost(maxSize: number) {
  return { maxSize, sizeCalculation: () => 1 };
}

function isPublic(name: string): boolean {
  return name.startsWith(" ");
}

interface FastPathOptions {
  readonly storage: Storage;
  readonly responses: ResponseCache;
  /** They are called after the requests that were answered here. */
  readonly observers: readonly RequestObserver[];
  /** Adds headers if pages of other origins may read responses. */
  readonly cors: Cors | undefined;
}

export class ReadFastPath {
  readonly #options: FastPathOptions;
  readonly #reads = new LRUCache<string, CachedRead>(atMost(maxReads));
  /** Reads without a token, with which strangers cannot push out those with one. */
  readonly #publicReads = new LRUCache<string, CachedRead>(atMost(maxPublicReads));

  constructor(options: FastPathOptions) {
    this.#options = options;
  }

  /** Answers as the application would, and calls observers as it would. */
  readonly respond: RespondFast = (request, response) => {
    const current = this.#find(request);
    if (current === undefined) return false;
    const { cached, read } = current;
    const { headers, method = "", url = "" } = request;
    const id = toRequestId(headers[requestIdHeader]);
    const isNotModified = isHeld(cached.etag, headers["if-none-match"]);
    const status = isNotModified ? 304 : 200;
    const own = isNotModified ? read.headers.notModified : read.headers.whole;
    // Without a reason phrase, as in all other responses.
    const all = [...own, requestIdHeader, id];
    // This may add a second `Vary` header, which is allowed.
    const cors = isPublished(url) ? publicCors : this.#options.cors;
    if (cors !== undefined) all.push(...cors.headersFor(headers.origin).flat());
    response.writeHead(status, "", all);
    response.end(isNotModified ? undefined : cached.body);
    const trace = { id, method, target: url, node: request, fields: read.traceFields };
    for (const observer of this.#options.observers) observer.responded(trace, status, undefined);
    return true;
  };

  /** Remembers a request and its response, so that the same request can be answered here. */
  cache(
    req: ServerRequest,
    { key }: CachedResponse,
    { whole, notModified }: ResponseHeaders,
    { settings, expires, heads }: ReadBasis,
  ): void {
    const { storage } = this.#options;
    const node = req.runtime?.node?.req;
    const name = node && readName(node);
    if (name === undefined || settings === undefined || heads === undefined) return;
    if (heads.length > maxHeads) return;
    const reads = isPublic(name) ? this.#publicReads : this.#reads;
    // Once a day a read takes the normal path, which notes that its token is in use.
    const endOfDay = (Math.floor(storage.now() / dayMs) + 1) * dayMs;
    reads.set(name, {
      settings,
      expires: Math.min(expires, endOfDay),
      heads,
      response: key,
      headers: { whole: whole.flat(), notModified: notModified.flat() },
      traceFields: traceFieldsOf(req),
    });
  }

  /** A cached read whose response is still current; never throws. */
  #find(
    request: NodeServerRequest,
  ): { readonly read: CachedRead; readonly cached: CachedResponse } | undefined {
    const name = readName(request);
    if (name === undefined) return undefined;
    const reads = isPublic(name) ? this.#publicReads : this.#reads;
    const read = reads?.get(name);
    if (read === undefined) return undefined;
    const cached = this.#isCurrent(read) ? this.#options.responses.cached(read.response) : undefined;
    if (cached !== undefined) return { read, cached };
    reads?.delete(name);
    return undefined;
  }

  #isCurrent({ settings, expires, heads }: CachedRead): boolean {
    const { registry, hives, now } = this.#options.storage;
    try {
      return (
        registry.version.recent() === settings &&
        expires > now() &&
        heads.every(({ branch, head, tag }) => hives.opened(branch)?.isAt(head, tag) === true)
      );
    } catch {
      // The disk fails; the normal path reports it.
      return false;
    }
  }
}
