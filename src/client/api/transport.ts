/** Sends requests by Node's own fetch, or through the proxy that the environment names. */

/** A request of the client. */
export interface HttpRequest {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** Redirects are never followed, because the token would be sent along. */
  readonly redirect: "manual";
}

/** What the client needs of a response. */
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
 * The transport for an environment. `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` are obeyed; what does that is loaded only
 * where one of them is set. `NODE_EXTRA_CA_CERTS` is obeyed by Node itself.
 */
export async function transportFor(environment: NodeJS.ProcessEnv): Promise<Transport> {
  const hasProxy = proxyVariables.some((name) => (environment[name] ?? "") !== "");
  if (!hasProxy) return fetch;
  const { EnvHttpProxyAgent, fetch: fetchThrough } = await import("undici");
  const dispatcher = new EnvHttpProxyAgent();
  return (url, request) => fetchThrough(url, { ...request, dispatcher });
}
