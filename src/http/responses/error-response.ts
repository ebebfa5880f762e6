/** Turns errors into responses: a status, a body that says what is wrong and where, and headers. */
import { groupBy } from "../../domain/group-by.ts";
import { isFailure, isSkepError, type SkepError, type ErrorCode, type Issue } from "../../domain/errors.ts";
import type { Oid } from "../../domain/names.ts";
import { commitHeader } from "./headers.ts";
import { respondJson, respondText } from "./respond.ts";
import { internalCode } from "../schemas/error-codes.ts";
import { encode } from "../../domain/json-codec.ts";
import { errorResponse, type ErrorResponse } from "../schemas/schemas.ts";

/** The statuses of all codes. `null` is for codes that callers never see, which become internal errors. */
const statuses: Record<ErrorCode, number | null> = {
  malformed: 400,
  unauthenticated: 401,
  forbidden: 403,
  "not-found": 404,
  gone: 410,
  "method-not-allowed": 405,
  "not-acceptable": 406,
  conflict: 409,
  "text-conflict": 409,
  "precondition-failed": 412,
  "too-large": 413,
  "unsupported-media-type": 415,
  invalid: 422,
  "unknown-keys": 422,
  "check-failed": 422,
  quota: 422,
  "too-many-attempts": 429,
  "not-implemented": 501,
  "engine-failed": 502,
  busy: 503,
  "content-invalid": 503,
  "storage-missing": 503,
  "record-unavailable": 503,
  "disk-full": 507,
  "done-before": null,
  "lock-lost": null,
  "head-moved": null,
};

export interface ErrorForm {
  /** The challenge in `WWW-Authenticate`. */
  readonly challenge: string;
  /** Whether the body is only the message, as plain text. */
  readonly plain: boolean;
}

/** How an error is presented, and the commit that it names. */
interface ErrorContext extends Partial<ErrorForm> {
  /** HEAD of the Hive that the request is about. */
  readonly commit?: Oid;
}

/** Statuses that depend on a Hive's content, and so name its commit. */
const statusesOfContent = new Set([409, 422, 503]);

const usualChallenge = 'Bearer realm="skep"';

/** The status of an error; undefined for errors that callers must not see. */
export function statusOf(error: unknown): number | undefined {
  return isSkepError(error) ? statusOfCode(error.code) : undefined;
}

/** Whether errors of a code name the HEAD of the Hive that they are about. */
export function namesCommit(code: ErrorCode): boolean {
  return statusesOfContent.has(statuses[code] ?? 0);
}

/** The status of a code; undefined for codes that callers must not see. */
export function statusOfCode(code: ErrorCode): number | undefined {
  return statuses[code] ?? undefined;
}

/** The parts of an error that callers may see. */
export interface PublicError {
  readonly status: number;
  readonly body: ErrorResponse;
  readonly headers: [string, string][];
}

/** Picks the parts of an error that callers may see. Unexpected errors become a 500 that shows only the request's id. */
export function toPublicError(
  error: unknown,
  requestId: string,
  { commit, challenge = usualChallenge }: Omit<ErrorContext, "plain"> = {},
): PublicError {
  const status = statusOf(error);
  if (status === undefined || !isSkepError(error)) {
    const message = `Something went wrong on the server (request ${requestId}).`;
    return { status: 500, body: { message, code: internalCode, request_id: requestId }, headers: [] };
  }
  const headers = headersOf(error, challenge);
  if (commit !== undefined && namesCommit(error.code)) headers.push([commitHeader, commit]);
  return { status, body: bodyOf(error), headers };
}

/** The response for an error, as JSON or, for git, as plain text; see {@link toPublicError}. */
export function toErrorResponse(error: unknown, requestId: string, context: ErrorContext = {}): Response {
  const { status, body, headers } = toPublicError(error, requestId, context);
  if (context.plain !== true) return respondJson(body, { status, headers });
  return respondText(Buffer.from(`${body.message}\n`), "text/plain; charset=utf-8", status, [
    ["cache-control", "no-store"],
    ...headers,
  ]);
}

/** The codes of OAuth, which standard clients of `/api/device/token` look for. */
const deviceErrors: ReadonlyMap<string, NonNullable<ErrorResponse["error"]>> = new Map([
  ["authorization_pending", "authorization_pending"],
  ["slow_down", "slow_down"],
  ["access_denied", "access_denied"],
  ["expired_code", "expired_token"],
]);

function bodyOf(error: SkepError): ErrorResponse {
  const { publicCode: code } = error;
  const oauth = deviceErrors.get(code);
  const common = { message: messageOf(error), code, ...(oauth !== undefined && { error: oauth }) };
  if (isFailure(error, "invalid")) return { ...common, errors: byField(error.data.issues) };
  if (isFailure(error, "text-conflict")) {
    return { ...common, conflicts: [...error.data.conflicts], total: error.data.total };
  }
  if (isFailure(error, "check-failed")) {
    const { findings, total } = error.data;
    const issues = findings.map(({ file, key, message }) => issueAt(file, key, message));
    return encode(errorResponse, { ...common, errors: byField(issues), findings, findingsTotal: total });
  }
  if (isFailure(error, "unknown-keys")) {
    const { keys, total } = error.data;
    const issues = keys.map(({ file, key }) => issueAt(file, key, "matches no source string"));
    return { ...common, errors: byField(issues), unknown_keys: [...keys], total };
  }
  if (isFailure(error, "precondition-failed")) return { ...common, commit: error.data.commit };
  if (isFailure(error, "quota") && error.data !== undefined) return { ...common, ...error.data };
  return common;
}

/** The message of a database's failure names machines; what it says of itself does not. */
function messageOf(error: SkepError): string {
  return isFailure(error, "record-unavailable")
    ? (error.data.problem ?? "The database does not answer; try again soon.")
    : error.message;
}

/** What is wrong with a text of the request. */
function issueAt(file: string, key: string, message: string): Issue {
  return { field: `files.${file}.${key}`, message };
}

/** Groups messages by field. Made from entries, so that `__proto__` is a field like any other. */
function byField(issues: readonly Issue[]): Record<string, string[]> {
  const fields = groupBy(issues, ({ field }) => field);
  return Object.fromEntries(Array.from(fields, ([field, own]) => [field, own.map(({ message }) => message)]));
}

function headersOf(error: SkepError, challenge: string): [string, string][] {
  if (isFailure(error, "unauthenticated")) return [["www-authenticate", challenge]];
  if (isFailure(error, "method-not-allowed")) return [["allow", error.data.allow.join(", ")]];
  if (isFailure(error, "precondition-failed")) return [[commitHeader, error.data.commit]];
  if (error.data !== undefined && "retryAfter" in error.data)
    return [["retry-after", String(error.data.retryAfter)]];
  return [];
}
