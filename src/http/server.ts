/** The listening server: time-outs, answers to what is no HTTP, and an orderly end. */
import type { Socket } from "node:net";
import { Server, STATUS_CODES } from "node:http";
import { serve, type H3 } from "h3";

export interface ServerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
}

export interface RunningServer {
  /** Where it listens, without a slash at the end. */
  readonly url: string;
  /** Stops accepting, lets the requests in flight end, and resolves when all connections are closed. */
  readonly close: () => Promise<void>;
}

/** Headers come at once or not at all; a slow body may take as long as a large one over a slow line. */
const headersTimeoutMs = 10_000;
const requestTimeoutMs = 120_000;
const checkTimeoutsEveryMs = 5_000;
const keepAliveMs = 10_000;
const maxConnections = 4_096;
/** Requests that do not end by themselves are cut off this long after the server was told to stop. */
const closingGraceMs = 30_000;

/** Listens. @throws the system's error when the address cannot be had. */
export async function listen(app: H3, { host, port }: ServerOptions): Promise<RunningServer> {
  const server = serve(app, {
    hostname: host,
    port,
    manual: true,
    silent: true,
    gracefulShutdown: false,
    node: {
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: checkTimeoutsEveryMs,
      keepAliveTimeout: keepAliveMs,
    },
  });
  const node = server.node?.server;
  if (!(node instanceof Server)) throw new Error("not an HTTP server of node");
  node.maxConnections = maxConnections;
  node.on("clientError", refuse);
  await server.serve();
  return { url: (server.url ?? "").replace(/\/$/, ""), close: () => close(node) };
}

/** Answers what cannot be read as HTTP in the form of every other error. */
function refuse(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const status = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }[error.code ?? ""] ?? 400;
  const reason = STATUS_CODES[status] ?? "";
  const body = JSON.stringify({ message: `${reason}.` });
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  );
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    // A connection that was busy when the server stopped listening is idle once its request has ended.
    const idle = setInterval(() => server.closeIdleConnections(), 50);
    const cut = setTimeout(() => server.closeAllConnections(), closingGraceMs);
    server.close(() => {
      clearInterval(idle);
      clearTimeout(cut);
      resolve();
    });
  });
}
