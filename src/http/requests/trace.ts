/** What becomes known of a request between its arrival and its answer, for logs and metrics. */
import { randomBytes } from "node:crypto";
import type { NodeServerRequest, ServerRequest } from "srvx";
import type { ErrorCode } from "../../domain/errors.ts";
import type { HiveSlug, TokenId } from "../../domain/names.ts";
import { holdsToken } from "../../domain/redact.ts";

/** What may be known of a request once it is answered. */
export interface Findings {
  /** The pattern of its path; undefined where nothing is. */
  readonly route?: string | undefined;
  /** Of a caller who was let in. */
  readonly token?: TokenId;
  /** The Hive that they reached. */
  readonly hive?: HiveSlug;
  /** That the answer is made from, or that was made. */
  readonly commit?: string | undefined;
  /** Why it was refused; undefined also where nobody expected the error. */
  readonly code?: ErrorCode;
}

export interface Trace {
  readonly id: string;
  readonly method: string;
  /** The address as it came: anything may be in it. */
  readonly target: string;
  /** Undefined where it did not come through a socket. */
  readonly node: NodeServerRequest | undefined;
  findings: Findings;
}

/** Hears of every request that was answered. It is called in front of every answer, so it must be quick. */
export interface RequestObserver {
  /**
   * @param ms how long it took until the answer began to be sent; undefined where the answer was known, which takes
   * less time than a clock is worth.
   */
  readonly answered: (trace: Trace, status: number, ms: number | undefined) => void;
}

export const requestIdHeader = "x-request-id";
const harmlessId = /^[A-Za-z0-9][A-Za-z0-9._:=@/+-]{0,127}$/;

/** Ids of ours: a random start for each process, and a number. A UUID for each costs more than looking up an answer. */
const idStart = randomBytes(9).toString("hex");
let lastId = 0;

function makeId(): string {
  lastId++;
  return `${idStart}-${lastId.toString(36)}`;
}

const traces = new WeakMap<Request, Trace>();

/** The id of a request: the caller's, if that is fit to be logged and answered. */
export function toRequestId(given: string | string[] | null | undefined): string {
  return typeof given === "string" && harmlessId.test(given) && !holdsToken(given) ? given : makeId();
}

/** Begins the trace of a request, for those who answer it. */
export function beginTrace(request: ServerRequest): Trace {
  const node = request.runtime?.node?.req;
  const id = toRequestId(request.headers.get(requestIdHeader));
  const trace = { id, method: request.method, target: node?.url ?? request.url, node, findings: {} };
  traces.set(request, trace);
  return trace;
}

/** Adds to what is known of a request. */
export function note(request: ServerRequest, findings: Findings): void {
  const trace = traces.get(request);
  if (trace !== undefined) trace.findings = { ...trace.findings, ...findings };
}

/** What is known of a request so far. */
export function findingsOf(request: ServerRequest): Findings {
  return traces.get(request)?.findings ?? {};
}

/** The id of a request. */
export function requestIdOf(request: ServerRequest): string {
  return traces.get(request)?.id ?? makeId();
}
