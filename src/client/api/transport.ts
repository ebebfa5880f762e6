/** Sends requests by Node's own HTTP client, or through the proxy that the environment names. */
import type { IncomingMessage } from "node:http";
import { pipeline } from "node:stream";
import { createBrotliDecompress, createGunzip } from "node:zlib";

export interface HttpRequest {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** Redirects are never followed, because the token would be sent along. */
  readonly redirect: "manual";
}

/** The part of a response that the client reads. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: { readonly get: (name: string) => string | null };
  /** The body in parts, unpacked; null where there is none. It throws when the body was cut off. */
  readonly body: AsyncIterable<Uint8Array> | null;
}

/** Sends one request, as `fetch` does. */
export type Transport = (url: string, request: HttpRequest) => Promise<HttpResponse>;

const proxyVariables = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"];

/**
 * The transport for an environment. `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` are obeyed by a package that is loaded only
 * where one of them is set. `NODE_EXTRA_CA_CERTS` is obeyed by Node itself.
 */
export async function transportFor(environment: NodeJS.ProcessEnv): Promise<Transport> {
  const hasProxy = proxyVariables.some((name) => (environment[name] ?? "") !== "");
  if (!hasProxy) return send;
  const { EnvHttpProxyAgent, fetch: fetchThrough } = await import("undici");
  const dispatcher = new EnvHttpProxyAgent();
  return (url, request) => fetchThrough(url, { ...request, dispatcher });
}

/** Takes a quarter of the processor time of Node's `fetch`, which counts where a pull asks for a hundred locales. */
async function send(url: string, sent: HttpRequest): Promise<HttpResponse> {
  const { method, headers, body, signal } = sent;
  const { request } = await (url.startsWith("https:") ? import("node:https") : import("node:http"));
  // As bytes: a text is sent in one piece with the headers, and these in UTF-8 then. Node names no length for a DELETE.
  const bytes = body === undefined ? undefined : Buffer.from(body);
  const length = bytes === undefined ? {} : { "content-length": bytes.length };
  const all = { "accept-encoding": "br, gzip", ...length, ...headers };
  const response = await new Promise<IncomingMessage | undefined>((resolve, reject) => {
    const attempt = request(url, { method, headers: all, signal }, resolve);
    attempt.on("error", (error) => {
      // The server may have closed a connection that was idle while the client read or wrote files.
      const isStale = attempt.reusedSocket && "code" in error && error.code === "ECONNRESET";
      if (isStale) resolve(undefined);
      else reject(error);
    });
    attempt.end(bytes);
  });
  if (response === undefined) return send(url, sent);
  const get = (name: string): string | null => response.headers[name]?.toString() ?? null;
  return { status: response.statusCode ?? 0, headers: { get }, body: unpacked(response) };
}

function unpacked(response: IncomingMessage): AsyncIterable<Uint8Array> {
  const encoding = response.headers["content-encoding"];
  // The usual parts of 16 KiB would each be a task of their own.
  const options = { chunkSize: 256 * 1024 };
  // A failure is thrown to whoever reads the result.
  if (encoding === "br") return pipeline(response, createBrotliDecompress(options), () => {});
  return encoding === "gzip" ? pipeline(response, createGunzip(options), () => {}) : response;
}
