/** Collects what logs and metrics report about a request. */
import { randomBytes } from "node:crypto";
import type { NodeServerRequest, ServerRequest } from "srvx";
import type { BranchName } from "../../domain/commits/branch-name.ts";
import type { ErrorCode } from "../../domain/errors.ts";
import type { HiveSlug, PersonId, TokenId } from "../../domain/names.ts";
import { holdsToken } from "../../domain/redact.ts";

/** What is known about a request, for its line in the log. */
export interface TraceFields {
  /** The pattern of its route; undefined for unknown addresses. */
  readonly route?: string;
  /** The id of the caller's token, once authenticated. */
  readonly token?: TokenId;
  readonly person?: PersonId;
  /** The Hive that the caller has access to. */
  readonly hive?: HiveSlug;
  /** The branch of it that the request is about, if that is not main. */
  readonly branch?: BranchName;
  /** The commit that the response was made from, or that the request made. */
  readonly commit?: string;
  /** The code of the error; undefined for unexpected errors. */
  readonly code?: ErrorCode;
}

export interface Trace {
  readonly id: string;
  readonly method: string;
  /** The request target as received, which may contain anything. */
  readonly target: string;
  /** Undefined if it did not come through a socket. */
  readonly node: NodeServerRequest | undefined;
  fields: TraceFields;
}

/** Observes all requests. It is called before every response is sent, so it must be quick. */
export interface RequestObserver {
  /**
   * @param ms how long it took until the response was sent; undefined on the fast path, where measuring would take longer
   * than answering.
   */
  readonly responded: (trace: Trace, status: number, ms: number | undefined) => void;
}

export const requestIdHeader = "x-request-id";
const harmlessId = /^[A-Za-z0-9][A-Za-z0-9._:=@/+-]{0,127}$/;

/** The prefix of generated ids, random for each process; a UUID per request would cost more than a cached response. */
const idStart = randomBytes(9).toString("hex");
let lastId = 0;

function makeId(): string {
  lastId++;
  return `${idStart}-${lastId.toString(36)}`;
}

const traces = new WeakMap<Request, Trace>();

/** The id of a request: the caller's, if it is safe to log and return, or a generated one. */
export function toRequestId(given: string | string[] | null | undefined): string {
  return typeof given === "string" && harmlessId.test(given) && !holdsToken(given) ? given : makeId();
}

/** Begins the trace of a request, under the id that it brings or a new one. */
export function beginTrace(request: ServerRequest): Trace {
  const node = request.runtime?.node?.req;
  const id = toRequestId(request.headers.get(requestIdHeader));
  const trace = { id, method: request.method, target: node?.url ?? request.url, node, fields: {} };
  traces.set(request, trace);
  return trace;
}

/** Adds fields to the trace of a request, for its line in the log. */
export function addToTrace(request: ServerRequest, fields: TraceFields): void {
  const trace = traces.get(request);
  if (trace !== undefined) trace.fields = { ...trace.fields, ...fields };
}

/** The fields that {@link addToTrace} has added. */
export function traceFieldsOf(request: ServerRequest): TraceFields {
  return traces.get(request)?.fields ?? {};
}

/** The id of a request, for logs and error responses; a new one for a request without a trace. */
export function requestIdOf(request: ServerRequest): string {
  return traces.get(request)?.id ?? makeId();
}
