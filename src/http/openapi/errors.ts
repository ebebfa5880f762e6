/** The errors in the OpenAPI document: which routes have them, when they occur, and an example of each. */
import { append } from "../../domain/group-by.ts";
import type { ErrorCode } from "../../domain/errors.ts";
import { internalCode } from "../schemas/error-codes.ts";
import { findingExample } from "../../api/content/findings.ts";
import { statusOfCode } from "../responses/error-response.ts";
import type { ErrorResponse } from "../schemas/schemas.ts";
import { isHiveWrite, type DescribedRoute } from "./route-docs.ts";

export interface ErrorDocs {
  readonly when: string;
  /** Its code is the first one if not given. */
  readonly example: Omit<ErrorResponse, "code"> & { readonly code?: ErrorResponse["code"] };
  readonly headers?: readonly ErrorHeader[];
}

export type ErrorHeader = "WWW-Authenticate" | "Allow" | "Retry-After" | "X-Skep-Commit";

/** The documentation of every code; `null` for codes that callers never see. */
export const errorDocs: Record<ErrorCode, ErrorDocs | null> = {
  malformed: {
    when: "The URL or a header is malformed, or the body is not JSON in UTF-8.",
    example: { message: "The body is not valid UTF-8.", code: "invalid_json" },
  },
  unauthenticated: {
    when: "The token is missing, unknown, revoked or expired.",
    example: { message: "Unauthenticated." },
    headers: ["WWW-Authenticate"],
  },
  forbidden: {
    when: "The token lacks the required ability, or access to the Hive.",
    example: { message: "This token lacks the write ability.", code: "missing_ability" },
  },
  "not-found": {
    when: "The token has access to no such Hive, or nothing has this address.",
    example: { message: "This token has access to no such Hive.", code: "unknown_hive" },
  },
  gone: {
    when: "The link was already used, or has expired.",
    example: { message: "This invitation was used or replaced, or has ended." },
  },
  "method-not-allowed": {
    when: "The address does not support the method.",
    example: { message: "DELETE is not possible here; use GET, HEAD, POST, PUT." },
    headers: ["Allow"],
  },
  "not-acceptable": {
    when: "`Accept` does not allow the media type of the response.",
    example: { message: "This is a stream of events: Accept must allow text/event-stream." },
  },
  conflict: {
    when: "The request conflicts with something that exists, or a request with the same `Idempotency-Key` is still being processed.",
    example: { message: "The tag v1.2 is there already, and tags never move.", code: "tag_exists" },
  },
  "text-conflict": {
    when: "Texts were changed after the commit that is to be undone or after the base of a sync, were changed differently on both sides of a merge, or differ from the `expected` of a translation import. Nothing was written.",
    example: {
      message: "1 text has been changed since.",
      conflicts: [{ locale: "en", file: "auth.php", key: "failed" }],
      total: 1,
    },
  },
  "check-failed": {
    when: "The Hive refuses texts that would break an app, and this request adds or changes some. Nothing was written.",
    example: {
      message: "fr, auth.php, failed: :nom is not in the source text, which has :name",
      errors: { "files.auth.php.failed": [":nom is not in the source text, which has :name"] },
      findings: [findingExample],
      findings_total: 1,
    },
  },
  "precondition-failed": {
    when: "HEAD is not at the commit of `If-Match`. Nothing was written.",
    example: {
      message: "If-Match: this Hive is at 1b2c3d4e5f60718293a4b5c6d7e8f90123456789.",
      commit: "1b2c3d4e5f60718293a4b5c6d7e8f90123456789",
    },
    headers: ["X-Skep-Commit"],
  },
  "done-before": null,
  "too-large": {
    when: "The body is larger than the server's limit, or has too many values.",
    example: { message: "The body is larger than 16777216 bytes." },
  },
  "unsupported-media-type": {
    when: "The body is not `application/json` in UTF-8, or is compressed.",
    example: { message: "Content-Type must be application/json, in UTF-8." },
  },
  invalid: {
    when: "The request is invalid; `errors` has messages by field.",
    example: {
      message: "page: must be a positive integer",
      errors: { page: ["page: must be a positive integer"] },
    },
  },
  "unknown-keys": {
    when: "With `strict=true`: keys of the request match no source string. Nothing was written.",
    example: {
      message: "1 key of the request matches no source string, so nothing was written: auth.php: nope",
      errors: { "files.auth.php.nope": ["matches no source string"] },
      unknown_keys: [{ file: "auth.php", key: "nope" }],
      total: 1,
    },
  },
  quota: {
    when: "A limit would be exceeded: on the team's source strings, tokens, Hives or deleted Hives, or on the Hive's tags or branches. There is no `errors` member.",
    example: {
      message: "String limit reached for your plan.",
      details:
        "This change would bring the Hive from 10 source strings to 12, and all Hives of its team together may have 5000; nothing was written. The limit is changed with: skep team edit",
      limit: 5000,
      used: 4999,
      requested: 5001,
    },
  },
  "not-implemented": {
    when: "A program that this operation needs is not installed on the server.",
    example: { message: "Cloning is not possible: git is not installed on the server." },
  },
  "engine-failed": {
    when: "The engine does not answer, or not as it should. The message says what it said.",
    example: { message: "The engine gpt failed: it answered with 500." },
  },
  busy: {
    when: "There are too many requests at once or too many open files, or a write waited too long for a lock. Retry after `Retry-After` seconds.",
    example: { message: "Other changes are under way; try again soon." },
    headers: ["Retry-After"],
  },
  "too-many-attempts": {
    when: "Too many attempts to sign in failed, or too many rights, mirrors, webhooks or comments were changed. Retry after `Retry-After` seconds.",
    example: { message: "Too many attempts to sign in; try again in 15 minutes." },
    headers: ["Retry-After"],
  },
  "content-invalid": {
    when: "The stored content is invalid, because something other than Skep changed it.",
    example: {
      message:
        "Hive content at 1b2c3d4e5f60718293a4b5c6d7e8f90123456789 is invalid: locales/fr/auth.php.json",
    },
  },
  "storage-missing": {
    when: "The server's storage does not exist, for example because its disk is not mounted.",
    example: { message: "The storage is not there." },
  },
  "record-unavailable": {
    when: "The database that holds the storage does not answer in time, or says why it does nothing, such as that it can only be read. A write may have been made all the same. Retry after `Retry-After` seconds.",
    example: { message: "The database does not answer; try again soon." },
    headers: ["Retry-After"],
  },
  "disk-full": {
    when: "The disk of the server, or of its database, is full. Nothing was written.",
    example: { message: "There is no room left to store this." },
  },
  "lock-lost": null,
  "head-moved": null,
};

/** The documentation of internal errors, which have no code. */
export const internalDocs: ErrorDocs = {
  when: "An internal error. The server's log has the details under the `request_id`.",
  example: {
    message: "Something went wrong on the server (request 5f0c6a3e-8d7b-4c0e-9a51-0f4f7a1d2b3c).",
    code: internalCode,
    request_id: "5f0c6a3e-8d7b-4c0e-9a51-0f4f7a1d2b3c",
  },
};

/** The error codes of a route, by status; internal errors have none. */
export function errorsOf(route: DescribedRoute): Map<number, ErrorCode[]> {
  const { method, path, ability, body, isRepeatable, errors = [] } = route;
  const codes: ErrorCode[] = ["malformed"];
  if (ability !== undefined) {
    codes.push("unauthenticated", "forbidden", "invalid", "busy", "content-invalid", "storage-missing");
  }
  if (/^\/(?:api|p)\//.test(path)) codes.push("busy", "record-unavailable", "disk-full");
  if (path.includes(":")) codes.push("not-found");
  if (body !== undefined) codes.push("too-large", "unsupported-media-type");
  if (method !== "GET") codes.push("disk-full");
  if (isHiveWrite(route)) codes.push("precondition-failed");
  if (isRepeatable === true) codes.push("conflict");
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set([...codes, ...errors])) {
    const status = statusOfCode(code);
    if (status !== undefined) append(byStatus, status, code);
  }
  return byStatus;
}
