/** The listening server: time-outs, answers to what is no HTTP, and an orderly end. */
import { Server, STATUS_CODES, type IncomingMessage, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { serve } from "srvx";
import type { App } from "./app.ts";
import { inTurns } from "./read-turns.ts";
import { transportCodes } from "./schemas/error-codes.ts";
import type { ErrorResponse } from "./schemas/schemas.ts";

export interface ServerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly timeouts?: Partial<Timeouts>;
}

/** How long is waited for what, in milliseconds. */
export interface Timeouts {
  /** Headers come at once or not at all. */
  readonly headers: number;
  /** A slow body may take as long as a large one over a slow line. */
  readonly request: number;
  /** How often the two above are looked after. */
  readonly check: number;
  /** For a further request on a connection. */
  readonly keepAlive: number;
  /** For anything to come or go on a busy connection: longer than a write waits for its turn. */
  readonly stalled: number;
  /** For a client to take its last answer and close the connection. */
  readonly linger: number;
  /** For a body that was still coming in when the server was told to stop. */
  readonly unfinished: number;
  /** For an answer when the server was told to stop: longer than a write waits for its turn. */
  readonly closing: number;
}

const defaultTimeouts: Timeouts = {
  headers: 10_000,
  request: 120_000,
  check: 5_000,
  keepAlive: 10_000,
  stalled: 120_000,
  linger: 1_000,
  unfinished: 3_000,
  closing: 45_000,
};

export interface RunningServer {
  /** Where it listens, without a slash at the end. */
  readonly url: string;
  /** Stops accepting, lets the requests in flight end, and resolves when all connections are closed. */
  readonly close: () => Promise<void>;
}

const maxConnections = 4_096;
/** Room for a commit message of 1,000 characters of any script, and whatever proxies add. */
const maxHeaderBytes = 65_536;

/** Listens. @throws the system's error when the address cannot be had. */
export async function listen(
  { fetch, answerAtOnce }: Pick<App, "fetch" | "answerAtOnce">,
  { host, port, timeouts }: ServerOptions,
): Promise<RunningServer> {
  const limits = { ...defaultTimeouts, ...timeouts };
  const server = serve({
    fetch,
    hostname: host,
    port,
    manual: true,
    silent: true,
    gracefulShutdown: false,
    node: {
      headersTimeout: limits.headers,
      requestTimeout: limits.request,
      connectionsCheckingInterval: limits.check,
      keepAliveTimeout: limits.keepAlive,
      maxHeaderSize: maxHeaderBytes,
      // Node's own refusal has no body; the application refuses too.
      requireHostHeader: false,
      // Not the first one of two: what is written twice is no token, and no host.
      joinDuplicateHeaders: true,
    },
  });
  const { server: node, handler } = server.node ?? {};
  if (!(node instanceof Server) || handler === undefined) throw new Error("not an HTTP server of node");
  // Until here that is `handler` alone.
  node.removeAllListeners("request");
  node.on(
    "request",
    inTurns((request, response) => {
      if (!answerAtOnce(request, response)) void handler(request, response);
    }),
  );
  node.maxConnections = maxConnections;
  node.timeout = limits.stalled;
  node.on("clientError", (error: Error & { code?: string }, socket: Duplex) =>
    refuse(error, socket, limits.linger),
  );
  // CONNECT is no request to node: without a listener it hangs up without an answer.
  node.on("connect", (_: IncomingMessage, socket: Duplex) => endWith(socket, 400, limits.linger));
  node.on("checkExpectation", (_: IncomingMessage, response: ServerResponse) => answer(response, 417));
  node.prependListener("request", refuseTarget);
  const unfinished = trackUnfinished(node);
  await server.serve();
  return { url: (server.url ?? "").replace(/\/$/, ""), close: () => close(node, unfinished, limits) };
}

/** What a request is answered that the application never sees. */
type TransportStatus = keyof typeof transportCodes;

function toBody(status: TransportStatus): string {
  const body: ErrorResponse = {
    message: `${STATUS_CODES[status] ?? "Error"}.`,
    code: transportCodes[status],
  };
  return JSON.stringify(body);
}

function answer(response: ServerResponse, status: TransportStatus): void {
  const body = toBody(status);
  response.writeHead(status, { "content-type": "application/json", "content-length": body.length }).end(body);
}

/** Answers a request for what is no address of HTTP before srvx does, which says nothing. */
function refuseTarget({ url = "" }: IncomingMessage, response: ServerResponse): void {
  if (url.startsWith("/") || url === "*") return;
  const { protocol, host } = URL.canParse(url) ? new URL(url) : { protocol: "", host: "" };
  if (!["http:", "https:"].includes(protocol) || host === "") answer(response, 400);
}

/** Answers what cannot be read as HTTP in the form of every other error. */
function refuse(error: Error & { code?: string }, socket: Duplex, lingerMs: number): void {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const statuses = new Map<string | undefined, TransportStatus>([
    ["HPE_HEADER_OVERFLOW", 431],
    ["ERR_HTTP_REQUEST_TIMEOUT", 408],
  ]);
  endWith(socket, statuses.get(error.code) ?? 400, lingerMs);
}

/**
 * Answers on a bare connection, and closes it. Node leaves it half open for as long as the client likes; closing it
 * at once could lose the answer where the client is still sending. So it has a moment to take it.
 */
function endWith(socket: Duplex, status: TransportStatus, lingerMs: number): void {
  const body = toBody(status);
  const last = setTimeout(() => socket.destroy(), lingerMs);
  // Node listens to a connection no more once it has asked for a tunnel.
  socket.on("error", () => {}).once("close", () => clearTimeout(last));
  socket
    .resume()
    .end(
      [
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
        "Content-Type: application/json",
        `Content-Length: ${body.length}`,
        "Connection: close",
        "",
        body,
      ].join("\r\n"),
    );
}

/** The requests that were not received to the end yet. */
function trackUnfinished(server: Server): ReadonlySet<IncomingMessage> {
  const requests = new Set<IncomingMessage>();
  server.on("request", (request: IncomingMessage) => {
    const { "content-length": length, "transfer-encoding": encoding } = request.headers;
    if (length === undefined && encoding === undefined) return;
    requests.add(request);
    request.once("end", () => requests.delete(request)).once("close", () => requests.delete(request));
  });
  return requests;
}

function close(server: Server, unfinished: ReadonlySet<IncomingMessage>, limits: Timeouts): Promise<void> {
  return new Promise((resolve) => {
    const timers = [
      // A connection that was busy when the server stopped listening is idle once its request has ended.
      setInterval(() => server.closeIdleConnections(), 50),
      setTimeout(() => {
        for (const request of unfinished) request.destroy();
      }, limits.unfinished),
      setTimeout(() => server.closeAllConnections(), limits.closing),
    ];
    server.close(() => {
      for (const timer of timers) clearTimeout(timer);
      resolve();
    });
  });
}
