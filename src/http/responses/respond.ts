/** Answers that are no errors. Every header is in the constructor: that is what keeps them on the server's fast path. */
import { FastResponse } from "srvx";
import type { Oid } from "../../domain/names.ts";
import type { Answer } from "./response-cache.ts";

type Header = [name: string, value: string];

/** The headers of an answer that is kept, with its body and without: pairs, or names and values in turn. */
export interface ResponseHeaders<Item = Header> {
  readonly whole: Item[];
  readonly notModified: Item[];
}

/** Content that may be kept only by who asked, and asked about again each time. */
const privateNoCache = "private, no-cache";
/** Content that is the same for ever. */
const privateImmutable = "private, max-age=31536000, immutable";
/** Names the commit that an answer is of. */
export const commitHeader = "x-skep-commit";

/**
 * @param commit what the answer was made from, where it is about one Hive.
 * @param isFixed whether it never changes.
 */
export function toResponseHeaders(
  { body, etag, encoding }: Answer,
  commit: Oid | undefined,
  isFixed: boolean,
): ResponseHeaders {
  const notModified: Header[] = [
    ["etag", etag],
    ["cache-control", isFixed ? privateImmutable : privateNoCache],
    ["vary", "Accept-Encoding"],
    ...(commit === undefined ? [] : [[commitHeader, commit] satisfies Header]),
  ];
  const whole: Header[] = [
    ["content-type", "application/json"],
    ["content-length", String(body.byteLength)],
    ...(encoding === undefined ? [] : [["content-encoding", encoding] satisfies Header]),
    ...notModified,
  ];
  return { whole, notModified };
}

/** A kept answer, or 304 when the caller has it. */
export function respondWith(
  { headers: asked }: Request,
  { body, etag }: Answer,
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
