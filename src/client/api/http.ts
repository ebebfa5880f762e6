/** Sends requests to a server: retries them if that is safe, and reports every failure as a {@link ClientError}. */
import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { jsonOrUndefined } from "../../domain/json.ts";
import { hasDotSegment } from "../../domain/url-path.ts";
import { ClientError } from "./client-error.ts";
import { networkFailure, notSkep, responseError, type Failure } from "./http-errors.ts";
import type { HttpRequest, HttpResponse, Transport } from "./transport.ts";

export interface HttpOptions {
  /** The server's URL, without a slash at its end. */
  readonly server: string;
  /** What messages call it; its URL if not given. */
  readonly name?: string;
  /** Undefined for what needs none. */
  readonly token?: string;
  readonly transport: Transport;
  readonly onRetry?: (message: string) => void;
  readonly sleep?: (ms: number) => Promise<unknown>;
  /** How often a request is sent at most; {@link usualAttempts} times if not given. */
  readonly maxAttempts?: number;
}

/** One request. */
export interface ApiRequest<S extends z.ZodType> {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With a slash at its beginning; its parts are encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  readonly schema: S;
  /**
   * Whether it can be sent again when it may have been done already; true if not given. Most writes have an idempotency key,
   * or find what they would make; without either, a second one would make a second thing, or take back what the first gave.
   */
  readonly isRepeatable?: boolean;
  /** Whether the response names a commit; true if not given. */
  readonly hasCommit?: boolean;
}

export interface ApiResponse<T> {
  readonly data: T;
  readonly commit: string;
}

export interface Page {
  readonly data: readonly unknown[];
  readonly meta: { readonly last_page: number };
}

/** The schema of a page of a list, as the client reads it: its entries, and the number of the last page. */
export function pageOf<T>(entry: z.ZodType<T>) {
  return z.object({ data: z.array(entry), meta: z.object({ last_page: z.number() }) });
}

/** The most that a page of the server may have. */
const pageSize = 500;
const usualAttempts = 5;
/** The first wait; each further one is twice as long. */
const firstWaitMs = 500;
/** The longest wait that a server can ask for. */
const longestWaitMs = 60_000;
/** For one attempt: on the server a write waits up to 30 s for a lock, and a slow read takes up to 60 s. */
const timeoutMs = 150_000;
/**
 * The largest response, uncompressed. A few kilobytes can unpack to more than the memory holds, and no locale of
 * a Hive comes near this.
 */
const maxBodyBytes = 256 * 1024 * 1024;
/** With these statuses a later attempt may succeed. */
const repeatableStatuses = new Set([408, 429, 502, 503, 504]);
/** The codes of Skep for what it did not do, among those that are faults of the server's side. */
const refusals = new Set([
  "busy",
  "content_invalid",
  "disk_full",
  "lagging",
  "not_implemented",
  "engine_failed",
  "not_ready",
  "read_only",
  "storage_missing",
]);

export class HttpClient {
  readonly #options: HttpOptions;

  constructor(options: HttpOptions) {
    this.#options = options;
  }

  /** The server's URL, without a slash at its end. */
  get server(): string {
    return this.#options.server;
  }

  /**
   * Sends a request, and again where it did not arrive or the server asks to wait.
   * @throws ClientError of the kind that the last response means; `unavailable` with the code `maybe_done` where the answer to
   *   a request that cannot be repeated is missing.
   */
  async send<S extends z.ZodType>(request: ApiRequest<S>): Promise<ApiResponse<z.output<S>>> {
    const { server, name: shown = server } = this.#options;
    return this.#untilDone(request, (response, body) => readResponse(shown, request, response, textOf(body)));
  }

  /** Gets what is no JSON, such as an image. @throws ClientError as {@link HttpClient.send} does. */
  bytes({ path, query }: Pick<ApiRequest<z.ZodType>, "path" | "query">): Promise<Buffer> {
    const headers = { accept: "*/*" };
    return this.#untilDone({ method: "GET", path, query, headers }, (_, body) => body);
  }

  async #untilDone<T>(request: UntypedRequest, read: ReadBody<T>): Promise<T> {
    const { sleep = wait, onRetry, maxAttempts = usualAttempts } = this.#options;
    for (let attempt = 1; ; attempt++) {
      const { result, failure } = await this.#attempt(request, read);
      if (failure === undefined) return result;
      if (failure.mayBeDone && request.isRepeatable === false) throw maybeDone(failure.error);
      if (failure.retryAfterMs === undefined || attempt === maxAttempts) throw failure.error;
      const ms = Math.max(failure.retryAfterMs, firstWaitMs * 2 ** (attempt - 1) * (1 + Math.random() / 4));
      onRetry?.(`${failure.error.message} Trying again in ${Math.ceil(ms / 1000)} s.`);
      await sleep(ms);
    }
  }

  /** Whether a request may be sent again when its answer was lost. */
  get mayRepeat(): boolean {
    return (this.#options.maxAttempts ?? usualAttempts) > 1;
  }

  /**
   * Gets the pages of a list, one after the other.
   * @param query is asked anew for each page.
   * @param options `hasCommit` as in {@link ApiRequest.hasCommit}; `length` is how many entries a page has, at most those that
   *   a page of the server may have.
   */
  async *pages<S extends z.ZodType<Page>>(
    path: string,
    query: () => Readonly<Record<string, string | undefined>>,
    schema: S,
    { hasCommit = true, length = pageSize }: { hasCommit?: boolean; length?: number } = {},
  ): AsyncGenerator<ApiResponse<z.output<S>>> {
    for (let page = 1, last = 1; page <= last; page++) {
      const paged = { ...query(), page: String(page), per_page: String(Math.min(length, pageSize)) };
      const response = await this.send({ method: "GET", path, query: paged, schema, hasCommit });
      yield response;
      // A server that counts pages which have nothing must not be asked for ever.
      last = response.data.data.length === 0 ? page : response.data.meta.last_page;
    }
  }

  async #attempt<T>(request: UntypedRequest, read: ReadBody<T>): Promise<Attempt<T>> {
    const { server, name: shown = server, token, transport } = this.#options;
    const { method, path, query = {}, body } = request;
    if (hasDotSegment(path))
      throw new ClientError("misuse", `"." and ".." are no names that a server knows.`);
    const url = new URL(server + path);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, value);
    }
    const init: HttpRequest = {
      method,
      headers: withoutUndefined({
        authorization: token === undefined ? undefined : `Bearer ${token}`,
        accept: "application/json",
        "content-type": body === undefined ? undefined : "application/json",
        ...request.headers,
      }),
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
      redirect: "manual",
    };
    let response: HttpResponse | undefined;
    let content: Buffer;
    try {
      response = await transport(url.href, init);
      content = await readBody(shown, response);
    } catch (error) {
      // The transport refuses before it asks; an answer that cannot be read comes from whoever has done it.
      if (error instanceof ClientError) return { failure: { error, mayBeDone: response !== undefined } };
      return { failure: networkFailure(shown, init.signal.aborted ? init.signal.reason : error, timeoutMs) };
    }
    const { status, headers } = response;
    if (status >= 200 && status < 300) return { result: read(response, content) };
    const error = responseError({ server: shown, path }, response, textOf(content));
    // Only a retry gets this: the server is still processing the attempt whose response was lost.
    const isUnderWay = error.code === "request_under_way";
    // What Skep refuses was not done, but a proxy knows no more than that there is no answer.
    const mayBeDone = status >= 500 && !refusals.has(error.code ?? "");
    if (!repeatableStatuses.has(status) && !isUnderWay) return { failure: { error, mayBeDone } };
    return { failure: { error, retryAfterMs: retryAfter(headers.get("retry-after")), mayBeDone } };
  }
}

function maybeDone({ message, status, sent, cause }: ClientError): ClientError {
  const problem = `${message} It may have been done nevertheless: see what is there before you repeat it.`;
  return new ClientError("unavailable", problem, { code: "maybe_done", status, sent, cause });
}

type UntypedRequest = Omit<ApiRequest<z.ZodType>, "schema">;
type ReadBody<T> = (response: HttpResponse, body: Buffer) => T;

type Attempt<T> =
  | { readonly result: T; readonly failure?: undefined }
  | { readonly result?: undefined; readonly failure: Failure };

/** @throws ClientError `error` when it is too large for a response of Skep, and errors of the transport. */
async function readBody(server: string, { body }: HttpResponse): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.byteLength;
    if (size > maxBodyBytes) {
      const problem = `answered with more than ${maxBodyBytes} bytes, which no answer of Skep has`;
      throw new ClientError("error", `${server} ${problem}: is it the server's URL?`);
    }
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function textOf(body: Buffer): string {
  return body.toString("utf8").replace(/^\uFEFF/, "");
}

function withoutUndefined(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** The seconds or the date that a server asks to wait until, in milliseconds from now. */
function retryAfter(header: string | null): number {
  const text = header ?? "";
  const ms = /^[0-9]+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), longestWaitMs);
}

function readResponse<S extends z.ZodType>(
  server: string,
  { schema, hasCommit = true }: Pick<ApiRequest<S>, "schema" | "hasCommit">,
  { headers, status }: HttpResponse,
  text: string,
): ApiResponse<z.output<S>> {
  const result = schema.safeParse(jsonOrUndefined(text));
  if (result.success && !hasCommit) return { data: result.data, commit: "" };
  const commit = headers.get("x-skep-commit");
  // It is printed, and becomes a part of further requests.
  if (result.success && commit !== null && /^[0-9a-f]+$/.test(commit)) return { data: result.data, commit };
  throw notSkep("error", server, status);
}
