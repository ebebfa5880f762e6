/** Lets pages of other origins use the API: see the Fetch standard, "CORS protocol". */
import { FastResponse } from "srvx";
import { commitHeader } from "./headers.ts";
import { requestIdHeader } from "../requests/trace.ts";

/** The origins whose pages may read responses, or `*` for all. */
export type CorsOrigins = "*" | ReadonlySet<string>;

/** Handles a request as the application does. */
export type FetchHandler = (request: Request) => Response | Promise<Response>;
type Header = readonly [name: string, value: string];

const exposed = [commitHeader, "etag", requestIdHeader, "idempotency-replayed", "retry-after"].join(", ");
const preflightHeaders: readonly Header[] = [
  ["access-control-allow-methods", "GET, HEAD, POST, PUT, PATCH, DELETE"],
  [
    "access-control-allow-headers",
    // `*` would not cover Authorization. The last four are sent by git clients and by clients of the Model Context
    // Protocol in browsers.
    "authorization, content-type, if-match, if-none-match, last-event-id, idempotency-key, x-commit-message, x-commit-ref, x-commit-origin, x-commit-model, x-commit-prompt, x-request-id, content-encoding, git-protocol, mcp-protocol-version, mcp-session-id",
  ],
  ["access-control-max-age", "600"],
];

function show(origin: string): readonly Header[] {
  return [
    ["access-control-allow-origin", origin],
    ["access-control-expose-headers", exposed],
  ];
}

/** The beginning of the paths of published files. */
const publicPath = "/p/";

/** Whether a path is the address of a published file, which needs no token. */
export function isPublished(path: string): boolean {
  return path.startsWith(publicPath);
}

/** Makes the CORS headers of responses, and answers preflight requests. */
export class Cors {
  readonly #origins: CorsOrigins;
  readonly #allowed = new Map<string, readonly Header[]>();
  readonly #refused: readonly Header[];

  constructor(origins: CorsOrigins) {
    this.#origins = origins;
    if (origins === "*") {
      this.#refused = show("*");
      return;
    }
    // Sent for all origins, and without one: a cache must not give one origin's response to another.
    this.#refused = [["vary", "Origin"]];
    for (const origin of origins) this.#allowed.set(origin, [...this.#refused, ...show(origin)]);
  }

  /** @param origin the request's `Origin`. */
  headersFor(origin: string | null | undefined): readonly Header[] {
    return this.#allowed.get(origin ?? "") ?? this.#refused;
  }

  /** Wraps a handler: answers preflight requests, which have no token, and adds CORS headers to other responses. */
  wrap(handler: FetchHandler): FetchHandler {
    return async (request) => {
      const { method, headers } = request;
      const headersHere = this.headersFor(headers.get("origin"));
      const isPreflight = method === "OPTIONS" && headers.has("access-control-request-method");
      if (isPreflight && this.#allows(headers.get("origin"))) {
        return new FastResponse(null, {
          status: 204,
          headers: [...headersHere, ...preflightHeaders].map(([name, value]) => [name, value]),
        });
      }
      const response = await handler(request);
      for (const [name, value] of headersHere) response.headers.append(name, value);
      return response;
    };
  }

  #allows(origin: string | null): boolean {
    return origin !== null && (this.#origins === "*" || this.#origins.has(origin));
  }
}

/** For published files, which pages of all origins may read. */
export const publicCors = new Cors("*");
