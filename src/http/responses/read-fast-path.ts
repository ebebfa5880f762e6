/**
 * The fast path for repeated reads: those that were answered lately, with everything that their responses depend on:
 * the settings under which the token was checked, when it expires, and where HEAD was. While these are the same, the
 * same request has the same response. Finding it costs a hash and two look-ups, and sending it on node's own objects
 * less than making others of them: that is most of the speed of reading.
 */
import { hash } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { LRUCache } from "lru-cache";
import type { NodeServerRequest } from "srvx";
import type { HiveHead } from "../../service/content/queries.ts";
import type { Storage } from "../../service/storage.ts";
import type { Cors } from "./cors.ts";
import type { CachedResponse, ResponseCache } from "./response-cache.ts";
import { isOneHost } from "../requests/client-address.ts";
import { isHeld, type ResponseHeaders } from "./respond.ts";
import { requestIdHeader, toRequestId, type Findings, type RequestObserver } from "../requests/trace.ts";

/** Answers a request if that can be done at once. @returns whether it did; otherwise both are as they were. */
export type AnswerAtOnce = (request: NodeServerRequest, response: ServerResponse) => boolean;

export interface RememberedRead {
  /** The version of the settings when the token was checked. */
  readonly settings: string;
  /** When its token expires, in milliseconds since 1970. */
  readonly expires: number;
  /** Where HEAD was in each Hive that the response is about. */
  readonly heads: readonly HiveHead[];
  /** The key of the response, which is cached elsewhere and may go. */
  readonly response: string;
  readonly headers: ResponseHeaders<string>;
  /** What logs and metrics tell of it. */
  readonly findings: Findings;
}

const maxReads = 8_192;
/** Of one read: a response about more Hives is made the long way, which is mostly looking at each HEAD too. */
const maxHeads = 32;
/** Of what identifies a read, in characters. */
const maxLength = 1_024;

/** The last token of each connection and its hash: connections go on with the same, and hashing it costs the most. */
const hashed = new WeakMap<Socket, { readonly authorization: string; readonly hash: string }>();

function hashOf(authorization: string, socket: Socket): string {
  const last = hashed.get(socket);
  if (last?.authorization === authorization) return last.hash;
  const found = { authorization, hash: hash("sha256", authorization, "base64") };
  hashed.set(socket, found);
  return found.hash;
}

/**
 * What identifies a read, or undefined for a request that is not remembered. It holds the token's hash, not the token:
 * how long looking it up takes tells nothing about a token.
 */
export function readName({ method, headers, url, socket }: NodeServerRequest): string | undefined {
  const { authorization, host, "accept-encoding": encodings = "" } = headers;
  if (method !== "GET" || authorization === undefined || !isOneHost(host)) return undefined;
  // The address as it came: parsing it costs as much as all the rest.
  const name = `${hashOf(authorization, socket)} ${url} ${encodings}`;
  return name.length > maxLength ? undefined : name;
}

export class ReadFastPath {
  readonly #storage: Storage;
  readonly #responses: ResponseCache;
  readonly #observers: readonly RequestObserver[];
  readonly #cors: Cors | undefined;
  readonly #reads = new LRUCache<string, RememberedRead>({ max: maxReads });

  /**
   * @param observers hear of what was answered, and of nothing else.
   * @param cors where pages of other origins may read responses.
   */
  constructor(
    storage: Storage,
    responses: ResponseCache,
    observers: readonly RequestObserver[],
    cors: Cors | undefined,
  ) {
    this.#storage = storage;
    this.#responses = responses;
    this.#observers = observers;
    this.#cors = cors;
  }

  /** Answers with the bytes that the application would send, and tells observers what it would tell them. */
  readonly answer: AnswerAtOnce = (request, response) => {
    const found = this.#find(request);
    if (found === undefined) return false;
    const { cached, read } = found;
    const { headers, method = "", url = "" } = request;
    const id = toRequestId(headers[requestIdHeader]);
    const isNotModified = isHeld(cached.etag, headers["if-none-match"]);
    const status = isNotModified ? 304 : 200;
    const own = isNotModified ? read.headers.notModified : read.headers.whole;
    // No reason phrase, as in all other responses.
    const all = [...own, requestIdHeader, id];
    // A second `Vary` is as good as a longer one.
    if (this.#cors !== undefined) all.push(...this.#cors.headersFor(headers.origin).flat());
    response.writeHead(status, "", all);
    response.end(isNotModified ? undefined : cached.body);
    const trace = { id, method, target: url, node: request, findings: read.findings };
    for (const observer of this.#observers) observer.answered(trace, status, undefined);
    return true;
  };

  remember(name: string, read: RememberedRead): void {
    if (read.heads.length <= maxHeads) this.#reads.set(name, read);
  }

  /** A read that was answered before and would be answered the same now, with its response; never throws. */
  #find(
    request: NodeServerRequest,
  ): { readonly read: RememberedRead; readonly cached: CachedResponse } | undefined {
    const name = readName(request);
    const read = name === undefined ? undefined : this.#reads.get(name);
    if (name === undefined || read === undefined) return undefined;
    const cached = this.#isCurrent(read) ? this.#responses.cached(read.response) : undefined;
    if (cached !== undefined) return { read, cached };
    this.#reads.delete(name);
    return undefined;
  }

  #isCurrent({ settings, expires, heads }: RememberedRead): boolean {
    const { registry, hives, now } = this.#storage;
    try {
      return (
        registry.recentVersion() === settings &&
        expires > now() &&
        heads.every(({ slug, head, tag }) => hives.isAt(slug, head, tag))
      );
    } catch {
      // The long way tells what is wrong with the disk.
      return false;
    }
  }
}
