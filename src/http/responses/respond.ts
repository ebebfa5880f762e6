/** Successful responses. All headers are passed to the constructor, which srvx sends fastest. */
import { FastResponse, type ServerRequest } from "srvx";
import type { z } from "zod";
import type { Oid } from "../../domain/names.ts";
import type { Caller } from "../../service/access.ts";
import type { Versioned } from "../../service/content/queries.ts";
import { addToTrace } from "../requests/trace.ts";
import { encode } from "../../domain/json-codec.ts";
import { encodingFor, type ResponseCache } from "./response-cache.ts";
import { commitHeader, isHeld, type Header } from "./headers.ts";
import type { ReadBasis, ReadFastPath } from "./read-fast-path.ts";

/** For content that only the client itself may cache, and has to revalidate each time. */
const privateNoCache = "private, no-cache";
/** For content that never changes. */
const privateImmutable = "private, max-age=31536000, immutable";
export const publicImmutable = "public, max-age=31536000, immutable";
/** For content that all may read: browsers must take its type as it is. */
export const noSniff: Header = ["x-content-type-options", "nosniff"];

/** How the result of a read is sent, where that is not JSON. */
export interface Representation {
  readonly type?: string;
  readonly headers?: readonly Header[];
}

/** For images that people sent: browsers run nothing of them, and take no other type for them. */
export const imageHeaders: readonly Header[] = [
  noSniff,
  ["content-security-policy", "default-src 'none'; sandbox"],
];

/** A response to a read, which is cached in memory. */
interface CacheableResponse {
  /** Identifies the read and the version of everything that the response is made from. */
  readonly key: string;
  readonly make: () => Uint8Array | Promise<Uint8Array>;
  /** The media type, JSON by default. */
  readonly type?: string;
  readonly cacheControl: string;
  /** The commit that it is made from, if it is about one Hive. */
  readonly commit?: Oid | undefined;
  readonly headers?: readonly Header[];
}

/** Where responses are cached, and how the fast path may answer the same request again. */
interface Caches {
  readonly responses: ResponseCache;
  readonly fastPath?: ReadFastPath;
  readonly basis?: ReadBasis;
}

/** Responds with a cached response, or 304 if the client has it. */
export async function respondCached(
  req: ServerRequest,
  { key, make, type = "application/json", cacheControl, commit, headers = [] }: CacheableResponse,
  { responses, fastPath, basis }: Caches,
): Promise<Response> {
  const response = await responses.get(key, make, encodingFor(req.headers.get("accept-encoding")));
  const { body, etag, encoding } = response;
  addToTrace(req, { commit });
  const notModified: Header[] = [
    ["etag", etag],
    ["cache-control", cacheControl],
    ["vary", "Accept-Encoding"],
    ...headers,
    ...commitHeaders(commit),
  ];
  const whole: Header[] = [
    ["content-type", type],
    ["content-length", String(body.byteLength)],
    ...notModified,
  ];
  if (encoding !== undefined) whole.push(["content-encoding", encoding]);
  if (basis !== undefined) fastPath?.cache(req, response, { whole, notModified }, basis);
  return isHeld(etag, req.headers.get("if-none-match"))
    ? new FastResponse(null, { status: 304, headers: notModified })
    : new FastResponse(body, { headers: whole });
}

/**
 * Responds to a read with its result as JSON; bytes are JSON already.
 * @param about the schema of the response, and the parts of the request that its body depends on beside the version.
 * @param access the caller, and the version of the settings before their token was read.
 */
export function respondRead(
  req: ServerRequest,
  { version, read, commit, heads, isImmutable = false, type, headers }: Versioned<unknown> & Representation,
  { schema, dependsOn }: { readonly schema: z.ZodType; readonly dependsOn: unknown },
  caches: Caches,
  { caller, settings }: { readonly caller: Caller; readonly settings: string | undefined },
): Promise<Response> {
  const { expires } = caller.principal;
  const response = {
    key: JSON.stringify([dependsOn, version]),
    make: async () => {
      const result = await read();
      return result instanceof Uint8Array ? result : toJson(encode(schema, result));
    },
    cacheControl: isImmutable ? privateImmutable : privateNoCache,
    commit,
    type,
    headers,
  };
  const basis = { settings, heads, expires: expires === undefined ? Infinity : Date.parse(expires) };
  return respondCached(req, response, { ...caches, basis });
}

/** The same read with its result converted to the body of the response. */
export function converted<T, Body>(
  result: Versioned<T>,
  toBody: (value: T) => Body | Promise<Body>,
): Versioned<Body> {
  return { ...result, read: async () => toBody(await result.read()) };
}

/** Content that stays the same as long as the server runs. */
export interface StaticContent extends Pick<CacheableResponse, "make" | "headers"> {
  readonly name: string;
  readonly type: string;
  /** Whether its address names its content. */
  readonly isImmutable?: boolean;
}

/**
 * Responds with static content, or 304. Unless its address names its content, caches have to revalidate it, because the
 * next version may have other content.
 */
export function respondStatic(
  req: ServerRequest,
  responses: ResponseCache,
  { name, headers = [], isImmutable = false, ...content }: StaticContent,
): Promise<Response> {
  const cacheControl = isImmutable ? publicImmutable : "no-cache";
  const response = { ...content, key: `static ${name}`, cacheControl, headers: [noSniff, ...headers] };
  return respondCached(req, response, { responses });
}

export function toJson(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

interface JsonResponseOptions {
  readonly status?: number | undefined;
  /** `no-store` if not given. */
  readonly cacheControl?: string;
  /** The commit of a Hive after a write. */
  readonly commit?: Oid | undefined;
  readonly headers?: readonly Header[];
}

/** Responds with a value as JSON, which must not be cached unless it is said how. */
export function respondJson(
  value: unknown,
  { status = 200, cacheControl = "no-store", commit, headers = [] }: JsonResponseOptions = {},
): Response {
  return respondText(toJson(value), "application/json", status, [
    ["cache-control", cacheControl],
    ...commitHeaders(commit),
    ...headers,
  ]);
}

/** Responds with a text that is not cached here. */
export function respondText(
  body: Buffer,
  type: string,
  status: number,
  headers: readonly Header[],
): Response {
  return new FastResponse(body, {
    status,
    headers: [["content-type", type], ["content-length", String(body.byteLength)], ...headers],
  });
}

function commitHeaders(commit: Oid | undefined): Header[] {
  return commit === undefined ? [] : [[commitHeader, commit]];
}
