/** The Model Context Protocol over streamable HTTP, without sessions: each request is answered by itself. */
import { createMcpHandler } from "@modelcontextprotocol/server";
import type { H3Event } from "h3";
import { failure, isFailure } from "../../domain/errors.ts";
import { authenticate, type Caller } from "../../service/access.ts";
import { oauthChallenge } from "../oauth/oauth.ts";
import { bearerToken } from "../pipeline/access.ts";
import { withBody } from "../pipeline/input.ts";
import type { AppOptions, Shared } from "../pipeline/shared.ts";
import { parseBody } from "../requests/body.ts";
import { addToTrace, requestIdOf } from "../requests/trace.ts";
import { toErrorResponse } from "../responses/error-response.ts";
import { respondJson } from "../responses/respond.ts";
import { readVersion } from "../routes/server-info.ts";
import { makeMcpServer, type ToolAnswer, type ToolRequest } from "./tools.ts";

/** Answers requests to the REST interface. */
type Fetch = (request: Request) => Response | Promise<Response>;

/** Answers a request. @throws SkepError */
type McpEndpoint = (event: H3Event) => Promise<Response>;

/** The headers of a request that its tools send, too: who calls, and who or what made the texts. */
const passedOn = ["authorization", "host", "x-commit-origin", "x-commit-model", "x-commit-prompt"];

/**
 * Makes the endpoint. It throws `forbidden` for a page of another site, `unauthenticated`, and what reading a body throws.
 * @param fetch takes the requests of tools.
 */
export async function makeMcpEndpoint(shared: Shared, fetch: Fetch): Promise<McpEndpoint> {
  const version = await readVersion();
  const { storage, bodyValues, bodyLimit } = shared.options;
  const handler = createMcpHandler(
    ({ requestInfo }) =>
      makeMcpServer(version, (request) => {
        if (requestInfo === undefined) throw new TypeError("a tool was called without a request");
        return callFor(requestInfo, request, fetch);
      }),
    // There is nothing that a client could subscribe to.
    { maxSubscriptions: 0, maxRequestBodySize: bodyLimit },
  );
  return async (event) => {
    const { req } = event;
    requireKnownOrigin(req, shared.options);
    const token = bearerToken(req.headers.get("authorization"));
    let caller: Caller;
    try {
      caller = await authenticate(storage, token);
    } catch (error) {
      if (!isFailure(error, "unauthenticated")) throw error;
      addToTrace(req, { code: error.code });
      return toErrorResponse(error, requestIdOf(req), { challenge: oauthChallenge(shared) });
    }
    const { principal, team } = caller;
    addToTrace(req, { token: principal.token, person: principal.person });
    return withBody(event, team.name, shared, async (body) => {
      let parsedBody: unknown;
      try {
        parsedBody = await parseBody(await body.bytes(), bodyValues);
      } catch (error) {
        if (!isFailure(error, "malformed")) throw error;
        return refuse(req, parseError, error.message);
      }
      if (Array.isArray(parsedBody))
        return refuse(req, invalidRequest, "Send one message: batches are not supported.");
      const { url, method, headers, signal } = req;
      return handler.fetch(new Request(url, { method, headers, signal }), { parsedBody });
    });
  };
}

const parseError = -32_700;
const invalidRequest = -32_600;

/** Refuses a body that is no message, by an error of JSON-RPC: the REST interface's errors are none of the protocol. */
function refuse(req: Request, code: number, message: string): Response {
  addToTrace(req, { code: "malformed" });
  return respondJson({ jsonrpc: "2.0", id: null, error: { code, message } }, { status: 400 });
}

/** Sends the request of a tool for the caller of another request. */
async function callFor(
  { url, headers: given }: Request,
  { method, path, body, signal }: ToolRequest,
  fetch: Fetch,
): Promise<ToolAnswer> {
  const headers = new Headers({ "x-commit-origin": "model" });
  for (const name of passedOn) {
    const value = given.get(name);
    if (value !== null) headers.set(name, value);
  }
  if (body !== undefined) headers.set("content-type", "application/json");
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const response = await fetch(new Request(new URL(path, url), { method, headers, body: sent, signal }));
  return { isError: !response.ok, body: await response.json() };
}

/**
 * Refuses what a page of another site sends, also where a foreign name was made to lead to this machine.
 * @throws SkepError `forbidden`.
 */
function requireKnownOrigin(
  { headers, url }: Request,
  { corsOrigin, publicUrl }: Pick<AppOptions, "corsOrigin" | "publicUrl">,
): void {
  const origin = headers.get("origin");
  if (origin === null || corsOrigin === "*" || corsOrigin?.has(origin) === true) return;
  if (publicUrl !== undefined && new URL(publicUrl).origin === origin) return;
  const { host, hostname } = new URL(url);
  if (loopback.has(hostname) && URL.canParse(origin) && new URL(origin).host === host) return;
  throw failure("forbidden", "Pages of this origin may not use the server; --cors-origin can allow it.");
}

const loopback = new Set(["localhost", "127.0.0.1", "[::1]"]);
