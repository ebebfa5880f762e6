/** `/metrics` on a port of its own, which only this machine can reach. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { describeError, type Log } from "../log.ts";
import type { Metrics } from "./metrics.ts";

/** Whatever address the server itself listens on. */
const loopback = "127.0.0.1";
const timeoutMs = 10_000;

export interface MetricsServer {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** @param port 0 takes a free one. @throws the system's error when it cannot be had. */
export async function serveMetrics(metrics: Metrics, port: number, log: Log): Promise<MetricsServer> {
  const answer = async (response: ServerResponse): Promise<void> => {
    try {
      const text = await metrics.text();
      response.writeHead(200, { "content-type": metrics.contentType, "cache-control": "no-store" });
      response.end(text);
    } catch (error) {
      log.error({ error: describeError(error) }, "could not put the metrics together");
      response.writeHead(500).end();
    }
  };
  const server = createServer(
    { headersTimeout: timeoutMs, requestTimeout: timeoutMs },
    (request, response) => {
      const path = request.url?.replace(/\?.*$/s, "");
      if (path !== "/metrics") {
        response.writeHead(404).end();
      } else if (request.method !== "GET" && request.method !== "HEAD") {
        response.writeHead(405, { allow: "GET, HEAD" }).end();
      } else {
        void answer(response);
      }
    },
  );
  server.listen(port, loopback);
  await once(server, "listening");
  const address = server.address();
  const taken = typeof address === "object" && address !== null ? address.port : port;
  return {
    url: `http://${loopback}:${taken}/metrics`,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
