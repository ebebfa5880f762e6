/** On a follower: what becomes of the requests that only the primary can answer. */
import { once } from "node:events";
import * as http from "node:http";
import * as https from "node:https";
import { Readable } from "node:stream";
import { FastResponse, type ServerRequest } from "srvx";
import { SkepError } from "../../domain/errors.ts";
import { isHiveSlug } from "../../domain/names.ts";
import type { Following } from "../../service/replication/follower.ts";
import type { PassOnOptions } from "../pipeline/shared.ts";
import { requestIdHeader, requestIdOf } from "../requests/trace.ts";
import { toErrorResponse } from "../responses/error-response.ts";
import { isChange } from "./changes.ts";
import { withTimeout } from "../../deadline.ts";

/** Headers about one connection, and those that the follower sets itself; see RFC 9110, 7.6.1. */
const ownHeaders = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "host",
  "expect",
  requestIdHeader,
]);
/** How long nothing may come from the primary: longer than a write waits for its lock. */
const idleMs = 120_000;
/** How long a response waits for the follower to have the result. */
const catchUpMs = 5_000;

export class PassOn {
  readonly #options: PassOnOptions;
  readonly #following: Following | undefined;

  constructor(options: PassOnOptions, { following }: { readonly following?: Following }) {
    this.#options = options;
    this.#following = following;
  }

  /** Handles a request that is for the primary; undefined for one that is handled here. */
  handle(request: ServerRequest): Response | Promise<Response> | undefined {
    const { pathname, search, searchParams } = new URL(request.url);
    const isPush = searchParams.get("service") === "git-receive-pack";
    if (!isPush && !isChange(request, pathname)) return undefined;
    const { url, forwardTo } = this.#options;
    if (forwardTo !== undefined)
      return this.#forward(request, new URL(forwardTo + pathname + search), pathname);
    const body = JSON.stringify({ message: `Changes are made at ${url}.`, code: "read_only" });
    return new FastResponse(body, {
      status: 307,
      headers: [
        ["location", url + pathname + search],
        ["content-type", "application/json"],
        ["cache-control", "no-store"],
      ],
    });
  }

  /** Forwards a request, and responds when the result is here, too. Never rejects. */
  async #forward(request: ServerRequest, to: URL, pathname: string): Promise<Response> {
    const id = requestIdOf(request);
    try {
      const incoming = await send(request, to, id);
      const { statusCode: status = 502 } = incoming;
      if (status < 300 && isChange(request, pathname)) await this.#catchUp(pathname, request.signal);
      return new FastResponse(incoming, { status, headers: passedHeaders(incoming.headersDistinct) });
    } catch (cause) {
      await dropBody(request);
      const isSent = !(cause instanceof Error && "code" in cause && cause.code === "ECONNREFUSED");
      const outcome = isSent ? "whether anything was changed is not known" : "nothing was changed";
      const message = `The primary did not answer; ${outcome}.`;
      return toErrorResponse(new SkepError("busy", message, { retryAfter: 5 }, { cause }), id);
    }
  }

  /** Waits until a client finds the result of its change here. If that takes too long, the response is sent all the same. */
  async #catchUp(pathname: string, gone: AbortSignal): Promise<void> {
    const [, slug = ""] = /^\/(?:api\/)?hives\/([^/.]+)/.exec(pathname) ?? [];
    const signal = withTimeout(gone, catchUpMs);
    await this.#following?.catchUp(isHiveSlug(slug) ? slug : undefined, signal);
  }
}

function send(request: ServerRequest, to: URL, id: string): Promise<http.IncomingMessage> {
  const { method, headers, signal } = request;
  const node = request.runtime?.node?.req;
  const sent = Object.fromEntries(Array.from(headers).filter(([name]) => !ownHeaders.has(name)));
  const client = node?.socket.remoteAddress;
  const hops = [headers.get("x-forwarded-for"), client].filter((hop) => hop != null).join(", ");
  return new Promise((resolve, reject) => {
    const { request: begin } = to.protocol === "https:" ? https : http;
    const outgoing = begin(to, {
      method,
      signal,
      headers: { ...sent, [requestIdHeader]: id, ...(hops === "" ? {} : { "x-forwarded-for": hops }) },
    });
    outgoing.once("response", resolve).once("error", reject);
    outgoing.setTimeout(idleMs, () => outgoing.destroy(new Error("the primary does not answer")));
    // Reading `body` of a request with a socket would begin to read from that, too.
    const source = node ?? (request.body === null ? Readable.from([]) : Readable.fromWeb(request.body));
    source.once("error", (error: Error) => outgoing.destroy(error));
    source.pipe(outgoing);
  });
}

/** Reads and drops the rest of a body: most clients read a response only when they have sent all of their request. */
async function dropBody({ runtime }: ServerRequest): Promise<void> {
  const source = runtime?.node?.req;
  if (source === undefined || source.complete || source.destroyed) return;
  source.resume();
  // The server ends a request that takes too long.
  await once(source, "close").catch(() => undefined);
}

function passedHeaders(headers: NodeJS.Dict<string[]>): [string, string][] {
  return Object.entries(headers).flatMap(([name, values = []]) =>
    ownHeaders.has(name) ? [] : values.map((value): [string, string] => [name, value]),
  );
}
