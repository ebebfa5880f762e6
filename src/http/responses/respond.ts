/** Successful responses. All headers are passed to the constructor, which srvx sends fastest. */
import { FastResponse } from "srvx";
import type { Oid } from "../../domain/names.ts";
import { encodingFor } from "./compression.ts";
import type { CachedResponse, ResponseCache } from "./response-cache.ts";

type Header = [name: string, value: string];

/** The headers of a cached response, with its body and for 304: pairs, or alternating names and values. */
export interface ResponseHeaders<Item = Header> {
  readonly whole: Item[];
  readonly notModified: Item[];
}

/** For content that only the client itself may cache, and has to revalidate each time. */
const privateNoCache = "private, no-cache";
/** For content that never changes. */
const privateImmutable = "private, max-age=31536000, immutable";
const publicImmutable = "public, max-age=31536000, immutable";
/** The header that names the commit that a response was made from. */
export const commitHeader = "x-skep-commit";
/** On every response of a server that another one took over from: that one's generation. */
export const supersededHeader = "x-skep-superseded-by";

/**
 * The headers of a response to a read.
 * @param commit the commit that it was made from, if it is about one Hive.
 * @param isImmutable whether it never changes.
 */
export function toResponseHeaders(
  response: CachedResponse,
  commit: Oid | undefined,
  isImmutable: boolean,
): ResponseHeaders {
  return withValidators(response, "application/json", [
    ["cache-control", isImmutable ? privateImmutable : privateNoCache],
    ["vary", "Accept-Encoding"],
    ...(commit === undefined ? [] : [[commitHeader, commit] satisfies Header]),
  ]);
}

/** The headers of a public response, which all caches may keep. */
export function toPublicHeaders(
  response: CachedResponse,
  commit: Oid | undefined,
  cacheControl: string = publicImmutable,
): ResponseHeaders {
  return withValidators(response, "application/json", [
    ["cache-control", cacheControl],
    ["vary", "Accept-Encoding"],
    ["x-content-type-options", "nosniff"],
    ...(commit === undefined ? [] : [[commitHeader, commit] satisfies Header]),
  ]);
}

function withValidators(
  { body, etag, encoding }: CachedResponse,
  type: string,
  headers: readonly Header[],
): ResponseHeaders {
  const notModified: Header[] = [["etag", etag], ...headers];
  const whole: Header[] = [
    ["content-type", type],
    ["content-length", String(body.byteLength)],
    ...(encoding === undefined ? [] : [["content-encoding", encoding] satisfies Header]),
    ...notModified,
  ];
  return { whole, notModified };
}

/** Content that stays the same as long as the server runs. */
export interface StaticContent {
  /** A unique name. */
  readonly name: string;
  readonly type: string;
  readonly headers?: readonly Header[];
  /** Whether its address names its content. */
  readonly isImmutable?: boolean;
  readonly make: () => Promise<Uint8Array>;
}

/**
 * Responds with static content, or 304. Unless its address names its content, caches have to revalidate it, because the
 * next version may have other content.
 */
export async function respondStatic(
  request: Request,
  responses: ResponseCache,
  { name, type, headers = [], isImmutable = false, make }: StaticContent,
): Promise<Response> {
  const plain = await responses.get(`static ${name}`, make);
  const response = await responses.encoded(plain, encodingFor(request.headers.get("accept-encoding")));
  const all = withValidators(response, type, [
    ["cache-control", isImmutable ? publicImmutable : "no-cache"],
    ["vary", "Accept-Encoding"],
    ["x-content-type-options", "nosniff"],
    ...headers,
  ]);
  return respondWith(request, response, all);
}

/** Responds with a cached response, or 304 if the client has it. */
export function respondWith(
  { headers: asked }: Request,
  { body, etag }: CachedResponse,
  { whole, notModified }: ResponseHeaders,
): Response {
  return isHeld(etag, asked.get("if-none-match"))
    ? new FastResponse(null, { status: 304, headers: notModified })
    : new FastResponse(body, { headers: whole });
}

/** Whether an `If-None-Match` header names this ETag, by weak comparison. */
export function isHeld(etag: string, ifNoneMatch: string | null | undefined): boolean {
  if (ifNoneMatch == null) return false;
  if (ifNoneMatch === etag || ifNoneMatch.trim() === "*") return true;
  const opaque = etag.replace(/^W\//, "");
  return Array.from(ifNoneMatch.matchAll(/"[^"]*"/g)).some(([tag]) => tag === opaque);
}

/** Encodes a value as JSON. */
export function toJson(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

interface JsonResponseOptions {
  readonly status?: number;
  /** `no-store` if not given. */
  readonly cacheControl?: string;
  /** The commit of a Hive after a write. */
  readonly commit?: Oid;
  /** Whether this repeats an earlier response. */
  readonly isReplay?: boolean;
}

/** Responds with a value as JSON, which must not be cached unless it is said how. */
export function respondJson(
  value: unknown,
  { status = 200, cacheControl = "no-store", commit, isReplay = false }: JsonResponseOptions = {},
): Response {
  const body = toJson(value);
  return new FastResponse(body, {
    status,
    headers: [
      ["content-type", "application/json"],
      ["content-length", String(body.byteLength)],
      ["cache-control", cacheControl],
      ...(commit === undefined ? [] : [[commitHeader, commit] satisfies Header]),
      ...(isReplay ? [["idempotency-replayed", "true"] satisfies Header] : []),
    ],
  });
}
