/** Serves `/metrics` on an address of its own, because those who may read metrics are not those who may use the API. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { listenAt } from "../http/server.ts";
import { describeError, type Log } from "../log.ts";
import type { Metrics } from "./metrics.ts";

const timeoutMs = 10_000;

export interface MetricsServer {
  readonly url: string;
  readonly close: () => Promise<void>;
}

export interface MetricsAddress {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
}

/** Serves metrics without authentication. @throws the error of the system when it cannot listen on the address. */
export async function serveMetrics(
  metrics: Pick<Metrics, "text" | "contentType">,
  { host, port }: MetricsAddress,
  log: Log,
): Promise<MetricsServer> {
  const respond = async (response: ServerResponse): Promise<void> => {
    try {
      const text = await metrics.text();
      response.writeHead(200, { "content-type": metrics.contentType, "cache-control": "no-store" });
      response.end(text);
    } catch (error) {
      log.error({ error: describeError(error) }, "could not collect the metrics");
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
        void respond(response);
      }
    },
  );
  const url = await listenAt(server, { host, port }, "--metrics-port");
  return {
    url: `${url}/metrics`,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
