/** Answers that are no errors. Every header is in the constructor: that is what keeps them on the server's fast path. */
import type { H3Event } from "h3";
import { FastResponse } from "srvx";
import { matches, type Answer } from "./answer-cache.ts";

/** Content that may be kept only by who asked, and asked about again each time. */
const cacheControl = "private, no-cache";

/** A kept answer, or 304 when the caller has it. */
export function respondWith(event: H3Event, { body, etag }: Answer): Response {
  if (matches(event.req.headers.get("if-none-match"), etag)) {
    return new FastResponse(null, {
      status: 304,
      headers: [
        ["etag", etag],
        ["cache-control", cacheControl],
      ],
    });
  }
  return new FastResponse(body, {
    headers: [
      ["content-type", "application/json"],
      ["content-length", String(body.byteLength)],
      ["etag", etag],
      ["cache-control", cacheControl],
    ],
  });
}

/** A value as JSON, made for this request alone. */
export function respondJson(value: unknown): Response {
  const body = Buffer.from(JSON.stringify(value));
  return new FastResponse(body, {
    headers: [
      ["content-type", "application/json"],
      ["content-length", String(body.byteLength)],
      ["cache-control", "no-store"],
    ],
  });
}
