/** One request to a Hive, from the token to the answer. */
import { getQuery, type H3Event } from "h3";
import { allows } from "../../domain/access/token.ts";
import type { Log } from "../../log.ts";
import { reachHive, requireAbility } from "../../service/access.ts";
import type { CloneLimits } from "../../service/operations/clones.ts";
import type { CallerWords } from "../../service/requester.ts";
import type { Readiness } from "../../service/operations/readiness.ts";
import type { SlowReadLimits, SlowReads } from "../../service/slow-reads.ts";
import type { Storage } from "../../service/storage.ts";
import type { ResponseCache } from "../responses/response-cache.ts";
import { answerKept, type AuthContext } from "../responses/answer-kept.ts";
import { callerOf } from "./auth.ts";
import type { BodyBudget } from "../requests/body-budget.ts";
import { answerWrite } from "./answer-write.ts";
import { parseJson, readJsonBody } from "../requests/body.ts";
import type { TrustedProxies } from "../requests/client-address.ts";
import type { CorsOrigins } from "../responses/cors.ts";
import type { ReadFastPath } from "../responses/read-fast-path.ts";
import type { Endpoint, HiveRequest, ReadEndpoint } from "./route.ts";
import { refuseQuery } from "./query.ts";
import { note, type RequestObserver } from "../requests/trace.ts";

export interface AppOptions extends CloneLimits, SlowReadLimits {
  readonly storage: Storage;
  readonly log: Log;
  /** Hear of every request. */
  readonly observers?: readonly RequestObserver[];
  /** The largest request body in bytes. */
  readonly bodyLimit: number;
  /** How many values, members and elements of any kind, a JSON body may hold. */
  readonly bodyValues: number;
  /** How many bytes of bodies may be in memory at once, over all requests. */
  readonly bodyBudget: number;
  /** How many bytes of answers are kept in memory. */
  readonly cacheBytes: number;
  /** The proxies whose word about a client's address is taken; none if not given. */
  readonly trustProxy?: TrustedProxies | undefined;
  /** Whose pages may use the API in a browser; nobody's if not given. */
  readonly corsOrigin?: CorsOrigins | undefined;
}

/** What the requests of one application share. */
export interface Shared {
  readonly options: AppOptions;
  readonly answers: ResponseCache;
  readonly known: ReadFastPath;
  readonly budget: BodyBudget;
  readonly slowReads: SlowReads;
  /** The named writes that are being answered. */
  readonly underWay: Set<string>;
  readonly readiness: Readiness;
}

/**
 * Answers a request to an endpoint: the token first, then its ability, then whether the Hive is within reach.
 * @throws SkepError for every answer that is an error.
 */
export async function answerHive(endpoint: Endpoint, event: H3Event, shared: Shared): Promise<Response> {
  const { storage, bodyLimit, bodyValues } = shared.options;
  // Before the token is looked at: what is remembered may be older than what it was made from, never newer.
  const settings = storage.registry.recentVersion();
  const caller = await callerOf(storage, event.req.headers.get("authorization"));
  note(event.req, { token: caller.token.id });
  requireAbility(caller, endpoint.ability);
  const param = (name: string): string => decodeURIComponent(event.context.params?.[name] ?? "");
  const hive = reachHive(caller, param("slug"), endpoint.ability);
  note(event.req, { hive: hive.slug });
  const query = getQuery(event);
  refuseQuery(endpoint.docs, query);
  const share = shared.budget.open(hive.team);
  let body: Promise<Buffer> | undefined;
  const readBody = (): Promise<Buffer> => (body ??= readJsonBody(event, bodyLimit, share));
  try {
    const request: HiveRequest = {
      event,
      storage,
      answers: shared.answers,
      hive,
      canRead: allows(caller.token, "read"),
      param,
      query,
      readBody,
      readJson: async () => parseJson(await readBody(), bodyValues),
      words: wordsOf(event.req.headers),
    };
    const answer = (signal?: AbortSignal): Promise<Response> =>
      endpoint.kind === "hive-write"
        ? answerWrite(endpoint, request, shared.underWay)
        : answerRead(endpoint, { ...request, signal }, shared, { caller, settings });
    if (!isSlow(endpoint, request)) return await answer();
    return await shared.slowReads.run(hive.team, event.req.signal, answer);
  } finally {
    share.release();
  }
}

/** Whether an answer may cost seconds, and is not waited for under a lock. */
function isSlow(endpoint: Endpoint, { query }: HiveRequest): boolean {
  return endpoint.kind === "hive-write" ? query.dry_run !== undefined : endpoint.isSlow?.(query) === true;
}

async function answerRead(
  { handler }: ReadEndpoint,
  request: HiveRequest,
  shared: Shared,
  letIn: AuthContext,
): Promise<Response> {
  const { event, hive } = request;
  const { commit, past, answer } = await handler(request);
  const head = past === undefined ? commit : past.head;
  const heads = head === undefined ? undefined : [{ slug: hive.slug, head, tag: past?.tag }];
  return answerKept(event, { answer, heads, commit, isFixed: past?.isFixed === true }, shared, letIn);
}

/** What a caller says about the commit that their request makes. */
export function wordsOf(headers: Headers): CallerWords {
  const message = utf8(headers.get("x-commit-message"));
  const ref = utf8(headers.get("x-commit-ref"));
  return { ...(message === undefined ? {} : { message }), ...(ref === undefined ? {} : { ref }) };
}

/** Header values come as one character a byte; the bytes are read as UTF-8. */
function utf8(value: string | null): string | undefined {
  return value === null ? undefined : Buffer.from(value, "latin1").toString("utf8");
}
