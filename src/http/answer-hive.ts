/** One request to a Hive, from the token to the answer. */
import { getQuery, type H3Event } from "h3";
import type { Log } from "../log.ts";
import { reachHive, requireAbility, type Caller } from "../service/access.ts";
import type { CloneLimits } from "../service/clones.ts";
import type { CallerWords } from "../service/imports.ts";
import type { Storage } from "../service/storage.ts";
import type { AnswerCache } from "./answer-cache.ts";
import { callerOf } from "./auth.ts";
import type { BodyBudget } from "./body-budget.ts";
import { readJson } from "./body.ts";
import { encodingFor } from "./compression.ts";
import { readName, type KnownReads } from "./known-reads.ts";
import { respondWith, toAnswerHeaders } from "./respond.ts";
import type { Endpoint, HiveRequest, ReadEndpoint } from "./route.ts";

export interface AppOptions extends CloneLimits {
  readonly storage: Storage;
  readonly log: Log;
  /** The largest request body in bytes. */
  readonly bodyLimit: number;
  /** How many bytes of bodies may be in memory at once, over all requests. */
  readonly bodyBudget: number;
  /** How many bytes of answers are kept in memory. */
  readonly cacheBytes: number;
}

/** What the requests of one application share. */
export interface Shared {
  readonly options: AppOptions;
  readonly answers: AnswerCache;
  readonly known: KnownReads;
  readonly budget: BodyBudget;
}

/**
 * Answers a request to an endpoint: the token first, then its ability, then whether the Hive is within reach.
 * @throws SkepError for every answer that is an error.
 */
export async function answerHive(endpoint: Endpoint, event: H3Event, shared: Shared): Promise<Response> {
  const { storage, bodyLimit } = shared.options;
  // Before the token is looked at: what is remembered may be older than what it was made from, never newer.
  const settings = storage.registry.recentVersion();
  const caller = await callerOf(storage, event.req.headers.get("authorization"));
  requireAbility(caller, endpoint.ability);
  const param = (name: string): string => decodeURIComponent(event.context.params?.[name] ?? "");
  const share = shared.budget.open();
  try {
    const request: HiveRequest = {
      event,
      storage,
      answers: shared.answers,
      hive: reachHive(caller, param("slug"), endpoint.ability),
      param,
      query: getQuery(event),
      readJson: () => readJson(event, bodyLimit, share),
      words: wordsOf(event.req.headers),
    };
    return await ("act" in endpoint
      ? endpoint.act(request)
      : answerRead(endpoint, request, shared, { caller, settings }));
  } finally {
    share.release();
  }
}

interface LetIn {
  readonly caller: Caller;
  /** The version of the settings before the caller was looked up. */
  readonly settings: string | undefined;
}

async function answerRead(
  { read }: ReadEndpoint,
  request: HiveRequest,
  { answers, known }: Shared,
  { caller, settings }: LetIn,
): Promise<Response> {
  const { event, hive } = request;
  const { commit, past, answer: plain } = await read(request);
  const answer = await answers.encoded(plain, encodingFor(event.req.headers.get("accept-encoding")));
  const headers = toAnswerHeaders(answer, commit, past?.isFixed === true);
  const name = readName(event.req);
  const head = past === undefined ? commit : past.head;
  if (name !== undefined && settings !== undefined && head !== undefined) {
    const { expires } = caller.token;
    known.remember(name, {
      settings,
      expires: expires === undefined ? Infinity : Date.parse(expires),
      slug: hive.slug,
      head,
      answer: answer.key,
      headers,
    });
  }
  return respondWith(event.req, answer, headers);
}

function wordsOf(headers: Headers): CallerWords {
  const message = utf8(headers.get("x-commit-message"));
  const ref = utf8(headers.get("x-commit-ref"));
  return { ...(message === undefined ? {} : { message }), ...(ref === undefined ? {} : { ref }) };
}

/** Header values come as one character a byte; the bytes are read as UTF-8. */
function utf8(value: string | null): string | undefined {
  return value === null ? undefined : Buffer.from(value, "latin1").toString("utf8");
}
