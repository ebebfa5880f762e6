/**
 * Responses that are not errors. Every header is in the constructor: that is what keeps them on the server's fast path.
 */
import { FastResponse } from "srvx";
import type { Oid } from "../../domain/names.ts";
import { encodingFor } from "./compression.ts";
import type { CachedResponse, ResponseCache } from "./response-cache.ts";

type Header = [name: string, value: string];

/** The headers of a cached response, with its body and without: pairs, or names and values in turn. */
export interface ResponseHeaders<Item = Header> {
  readonly whole: Item[];
  readonly notModified: Item[];
}

/** Content that may be kept only by who asked, and asked about again each time. */
const privateNoCache = "private, no-cache";
/** Content that is the same for ever. */
const privateImmutable = "private, max-age=31536000, immutable";
/** Names the commit that a response was made from. */
export const commitHeader = "x-skep-commit";

/**
 * @param commit what the response was made from, where it is about one Hive.
 * @param isFixed whether it never changes.
 */
export function toResponseHeaders(
  response: CachedResponse,
  commit: Oid | undefined,
  isFixed: boolean,
): ResponseHeaders {
  return withValidators(response, "application/json", [
    ["cache-control", isFixed ? privateImmutable : privateNoCache],
    ["vary", "Accept-Encoding"],
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

/** What is the same as long as the server runs. */
export interface StaticContent {
  /** Unlike that of any other. */
  readonly name: string;
  readonly type: string;
  readonly headers?: readonly Header[];
  readonly make: () => Promise<Uint8Array>;
}

/** Static content, or 304 when the caller has it. Caches ask again each time: the next version may have another. */
export async function respondStatic(
  request: Request,
  responses: ResponseCache,
  { name, type, headers = [], make }: StaticContent,
): Promise<Response> {
  const plain = await responses.get(`static ${name}`, make);
  const response = await responses.encoded(plain, encodingFor(request.headers.get("accept-encoding")));
  const all = withValidators(response, type, [
    ["cache-control", "no-cache"],
    ["vary", "Accept-Encoding"],
    ["x-content-type-options", "nosniff"],
    ...headers,
  ]);
  return respondWith(request, response, all);
}

/** A cached response, or 304 when the caller has it. */
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

/** A value as the bytes of its JSON. */
export function toJson(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

interface JsonAnswer {
  readonly status?: number;
  /** Where a write left the Hive. */
  readonly commit?: Oid;
  /** Whether it was given before. */
  readonly isReplay?: boolean;
}

/** A value as JSON, made for this request alone. */
export function respondJson(
  value: unknown,
  { status = 200, commit, isReplay = false }: JsonAnswer = {},
): Response {
  const body = toJson(value);
  return new FastResponse(body, {
    status,
    headers: [
      ["content-type", "application/json"],
      ["content-length", String(body.byteLength)],
      ["cache-control", "no-store"],
      ...(commit === undefined ? [] : [[commitHeader, commit] satisfies Header]),
      ...(isReplay ? [["idempotency-replayed", "true"] satisfies Header] : []),
    ],
  });
}
