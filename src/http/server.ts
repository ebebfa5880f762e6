/**
 * The listening server: timeouts, responses to malformed requests, fairness between reads and writes, and graceful
 * shutdown.
 */
import { once } from "node:events";
import { Server, STATUS_CODES, type IncomingMessage, type ServerResponse } from "node:http";
import net, { type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises";
import { serve } from "srvx";
import { hasDotSegment } from "../domain/url-path.ts";
import { beginPollPhase } from "../ticks.ts";
import type { App } from "./app.ts";
import { transportCodes } from "./schemas/error-codes.ts";
import type { ErrorResponse } from "./schemas/schemas.ts";
import { executionAsyncResource } from "node:async_hooks";

export interface Address {
  readonly host: string;
  /** 0 chooses a free port. */
  readonly port: number;
}

interface ServerOptions {
  /** How many connections may be open; further ones are closed at once. */
  readonly maxConnections?: number;
  /** How long a read may take, in milliseconds; its connection has no traffic meanwhile. */
  readonly slowReadTimeout?: number;
  readonly timeouts?: Partial<Timeouts>;
}

/** Timeouts in milliseconds. */
export interface Timeouts {
  readonly headers: number;
  /** For a whole request: long enough for a large body over a slow line. */
  readonly request: number;
  /** How often the two above are checked. */
  readonly check: number;
  /** For a further request on a connection. */
  readonly keepAlive: number;
  /** For a busy connection without any traffic: longer than a write waits for its lock. */
  readonly stalled: number;
  /** For a client to read its last response and close the connection. */
  readonly linger: number;
  /** For a body that is still arriving when the server is told to stop. */
  readonly unfinished: number;
  /** For the responses to running requests when the server is told to stop: longer than a write waits for its lock. */
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
  /** The URL that it listens on, without a slash at the end. */
  readonly url: string;
  /** Ends it; resolves when all connections are closed. */
  readonly close: Close;
}

/**
 * Ends a server. For a while it goes on as before, but each response closes its connection, so that clients and proxies
 * send nothing more on connections which they keep. Then it stops to listen, closes idle connections, and lets running
 * requests finish.
 * @param drainMs how long that while is; none by default.
 */
type Close = (drainMs?: number) => Promise<void>;

const usualConnections = 4_096;
/** Room for a commit message of 1,000 characters of any script, and whatever proxies add. */
const maxHeaderBytes = 65_536;

/**
 * @param flag the setting of the port, which the error of a port in use names.
 * @returns its URL, without a slash at the end.
 * @throws the system's error when it cannot.
 */
export async function listenAt(
  server: net.Server,
  { host, port }: Address,
  flag = "--port",
): Promise<string> {
  server.listen({ port, host, exclusive: true });
  await once(server, "listening").catch((cause: unknown) => {
    if (!(cause instanceof Error && "code" in cause && cause.code === "EADDRINUSE")) throw cause;
    const problem = `${flag}: the port ${port} of ${host} is in use by another program; give another port, or end that program`;
    throw new Error(problem, { cause });
  });
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("not an address of the network");
  const shown = net.isIPv6(address.address) ? `[${address.address}]` : address.address;
  return `http://${shown}:${address.port}`;
}

type AnsweringApp = Pick<App, "fetch" | "respondFast"> & Partial<Pick<App, "admit">>;

/** Starts the server. @throws the system's error when it cannot listen on the address. */
export async function listen(
  { fetch, admit, respondFast }: AnsweringApp,
  { host, port, maxConnections = usualConnections, slowReadTimeout = 0, timeouts }: Address & ServerOptions,
): Promise<RunningServer> {
  void keepTickObject();
  const limits = { ...defaultTimeouts, ...timeouts };
  const server = serve({
    fetch,
    // Otherwise srvx would look for one in the environment.
    port: 0,
    manual: true,
    silent: true,
    gracefulShutdown: false,
    node: {
      headersTimeout: limits.headers,
      requestTimeout: limits.request,
      connectionsCheckingInterval: limits.check,
      keepAliveTimeout: limits.keepAlive,
      maxHeaderSize: maxHeaderBytes,
      // Node's own refusal has no body; the application refuses such requests itself.
      requireHostHeader: false,
      // Otherwise node would use the first of two headers; joined, they are an invalid token or host.
      joinDuplicateHeaders: true,
    },
  });
  const { server: node, handler } = server.node ?? {};
  if (!(node instanceof Server) || handler === undefined) throw new Error("not an HTTP server of node");
  // Otherwise node would drop all headers behind the first 2,000: an `If-Match`, for example. Their bytes are limited.
  node.maxHeadersCount = 0;
  // So far `handler` is the only listener.
  node.removeAllListeners("request");
  node.on("request", beginPollPhase);
  const answer = limitReads((request, response) => {
    if (!respondFast(request, response)) void handler(request, response);
  });
  const connections = limitConnections(node, maxConnections);
  let isDraining = false;
  node.on("request", (request, response) => {
    connections.set(request.socket, response);
    if (isDraining) response.shouldKeepAlive = false;
    if (!isTarget(request.url)) return respondWithStatus(response, 400);
    const admission = admit?.(request);
    if (admission === undefined) answer(request, response);
    // What is cached may be too old where it did not pass.
    else void admission.then((passed) => (passed ? answer : handler)(request, response));
  });
  node.timeout = Math.max(limits.stalled, slowReadTimeout + limits.check);
  node.on("clientError", (error: Error & { code?: string }, socket: Duplex) =>
    refuse(error, socket, limits.linger),
  );
  // Node closes the connection of a CONNECT request without a response if there is no listener.
  node.on("connect", (_: IncomingMessage, socket: Duplex) => endWith(socket, 400, limits.linger));
  node.on("checkExpectation", (_: IncomingMessage, response: ServerResponse) =>
    respondWithStatus(response, 417),
  );
  const unfinished = trackUnfinished(node);
  const close: Close = async (drainMs = 0) => {
    isDraining = true;
    for (const response of connections.values()) if (response !== undefined) response.shouldKeepAlive = false;
    if (drainMs > 0) await delay(drainMs);
    // Connections that the system has accepted for a busy process would be reset: they are taken before listening ends.
    await nextTurn();
    await nextTurn();
    await end(node, { connections, unfinished, limits });
  };
  return { url: await listenAt(node, { host, port }), close };
}

/**
 * Closes connections beyond a number at once.
 * @returns the open ones, each with the response to its last request.
 */
function limitConnections(server: Server, most: number): Map<Socket, ServerResponse | undefined> {
  const open = new Map<Socket, ServerResponse | undefined>();
  server.prependListener("connection", (socket: Socket) => {
    if (open.size >= most) {
      socket.destroy();
      return;
    }
    open.set(socket, undefined);
    socket.once("close", () => open.delete(socket));
  });
  return open;
}

/** The statuses of responses to requests that the application never sees. */
type TransportStatus = keyof typeof transportCodes;

function toBody(status: TransportStatus): string {
  const body: ErrorResponse = {
    message: `${STATUS_CODES[status] ?? "Error"}.`,
    code: transportCodes[status],
  };
  return JSON.stringify(body);
}

function respondWithStatus(response: ServerResponse, status: TransportStatus): void {
  const body = toBody(status);
  response.writeHead(status, { "content-type": "application/json", "content-length": body.length }).end(body);
}

/**
 * Whether the target of a request is an address, for which srvx would answer without a body, and the one that it seems
 * to be: what is about a part of a Hive must not be about the Hive.
 */
function isTarget(target = ""): boolean {
  if (hasDotSegment(target)) return false;
  if (target.startsWith("/") || target === "*") return true;
  const { protocol, host } = URL.canParse(target) ? new URL(target) : { protocol: "", host: "" };
  return ["http:", "https:"].includes(protocol) && host !== "";
}

/** Answers malformed requests in the form of all other errors. */
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
 * Answers on a raw connection and closes it. Node would leave it half open for as long as the client likes, and closing
 * it at once could lose the response if the client is still sending. So the client gets a moment to read it.
 */
function endWith(socket: Duplex, status: TransportStatus, lingerMs: number): void {
  const body = toBody(status);
  const last = setTimeout(() => socket.destroy(), lingerMs);
  // Node removes its own error listener when a client asks for a tunnel.
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

/** Tracks the requests that were not received completely yet. */
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

interface Closing {
  readonly connections: ReadonlyMap<Socket, unknown>;
  readonly unfinished: ReadonlySet<IncomingMessage>;
  readonly limits: Timeouts;
}

async function end(server: Server, { connections, unfinished, limits }: Closing): Promise<void> {
  const timers = [
    // Connections that were busy when the server stopped listening become idle when their requests end.
    setInterval(() => server.closeIdleConnections(), 50),
    setTimeout(() => {
      for (const request of unfinished) request.destroy();
    }, limits.unfinished),
    setTimeout(() => server.closeAllConnections(), limits.closing),
  ];
  server.close();
  for (const connection of connections.keys()) {
    await new Promise<void>((resolve) => void connection.once("close", () => resolve()));
  }
  for (const timer of timers) clearTimeout(timer);
}

/** How many reads are answered per tick while a write is under way. Fewer would make reads slower as well. */
const readsPerTick = 8;

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Answers requests; while a write is under way, only some reads in each tick of the event loop, and the others in later
 * ticks. A commit takes dozens of ticks, and in each of them all connections with a request would be served first. With a
 * thousand connections this made six commits a second; now it is more than twenty, with as many reads as before.
 */
export function limitReads(listener: Listener): Listener {
  const waiting: Parameters<Listener>[] = [];
  let writes = 0;
  let left = readsPerTick;

  const nextTick = (): void => {
    const admitted = waiting.splice(0, readsPerTick);
    left = readsPerTick - admitted.length;
    if (left === 0) setImmediate(nextTick);
    for (const [request, response] of admitted) listener(request, response);
  };

  return (request, response) => {
    if (request.method !== "GET" && request.method !== "HEAD") {
      writes++;
      response.once("close", () => writes--);
    } else if (left === 0) {
      waiting.push([request, response]);
      return;
      // Counted across ticks: the end of a tick only matters when there are many reads.
    } else if (writes > 0 && --left === 0) setImmediate(nextTick);
    listener(request, response);
  };
}

let kept: Promise<object> | undefined;

/**
 * Keeps one of the objects alive that node makes for each call of `process.nextTick`. When a collection of garbage finds
 * none, V8 forgets their shape, and from then on node makes them without optimisation. Answering a request takes seven of
 * these calls, which then cost as much as all of the fast path.
 * @returns the object; the same one each time.
 */
export function keepTickObject(): Promise<object> {
  return (kept ??= new Promise((resolve) => process.nextTick(() => resolve(executionAsyncResource()))));
}
