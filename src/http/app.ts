/** The HTTP application: routes wrapped with limits, authentication and one form of errors. */
import { randomUUID } from "node:crypto";
import { H3, getQuery, type H3Event, type HTTPError } from "h3";
import { SkepError, failure } from "../domain/errors.ts";
import { describeError, type Log } from "../log.ts";
import { reachHive, requireAbility } from "../service/access.ts";
import type { CallerWords } from "../service/imports.ts";
import type { Storage } from "../service/storage.ts";
import { AnswerCache } from "./answer-cache.ts";
import { callerOf } from "./auth.ts";
import { BodyBudget } from "./body-budget.ts";
import { readJson } from "./body.ts";
import { statusOf, toErrorResponse } from "./error-response.ts";
import { respondJson } from "./respond.ts";
import type { Endpoint } from "./route.ts";
import { stringEndpoints } from "./routes/strings.ts";
import { translationEndpoints } from "./routes/translations.ts";

export interface AppOptions {
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
interface Shared {
  readonly options: AppOptions;
  readonly answers: AnswerCache;
  readonly budget: BodyBudget;
}

const unreadBodyMs = 5_000;

const endpoints: readonly Endpoint[] = [...stringEndpoints, ...translationEndpoints];

/** Builds the application; `serve` or `app.request` runs it. */
export function createApp(options: AppOptions): H3 {
  const { log } = options;
  const shared: Shared = {
    options,
    answers: new AnswerCache(options.cacheBytes),
    budget: new BodyBudget(Math.max(options.bodyBudget, options.bodyLimit)),
  };
  const fail = (error: unknown): Response => {
    const requestId = randomUUID();
    if (statusOf(error) === undefined)
      log.error({ request_id: requestId, error: describeError(error) }, "unexpected error");
    return toErrorResponse(error, requestId);
  };
  const app = new H3({ silent: true, onRequest: prepare, onError: (error) => fail(translate(error)) });

  const guarded =
    (answer: (event: H3Event) => Promise<Response>) =>
    async (event: H3Event): Promise<Response> => {
      try {
        return await answer(event);
      } catch (error) {
        endUnreadBody(event);
        return fail(error);
      }
    };

  app.all(
    "/healthz",
    guarded((event) => forMethod(event, { GET: health })),
  );
  for (const path of new Set(endpoints.map((endpoint) => endpoint.path))) {
    const methods = Object.fromEntries(
      endpoints
        .filter((endpoint) => endpoint.path === path)
        .map((endpoint) => [endpoint.method, (event: H3Event) => answerHive(endpoint, event, shared)]),
    );
    app.all(
      path,
      guarded((event) => forMethod(event, methods)),
    );
  }
  return app;
}

async function health(): Promise<Response> {
  return respondJson({ status: "ok" });
}

/**
 * An answer that comes before its request was read to the end reaches the client only if the rest is read too; node
 * does that and throws it away. It gets some seconds for it.
 */
function endUnreadBody(event: H3Event): void {
  const request = event.runtime?.node?.req;
  if (request === undefined || request.complete) return;
  const timer = setTimeout(() => request.complete || request.destroy(), unreadBodyMs);
  timer.unref();
  request.once("close", () => clearTimeout(timer));
}

/** Clients put a base URL before a path: a slash too many is no other address. HTTP wants a Host. */
function prepare(event: H3Event): void {
  const request = event.runtime?.node?.req;
  if (request !== undefined && request.headers.host === undefined && request.httpVersion === "1.1") {
    throw failure("malformed", "The Host header is missing.");
  }
  const { pathname } = event.url;
  if (pathname.includes("//")) event.url.pathname = pathname.replaceAll(/\/{2,}/g, "/");
}

function forMethod(
  event: H3Event,
  methods: Readonly<Record<string, (event: H3Event) => Promise<Response>>>,
): Promise<Response> {
  const { method } = event.req;
  const answer = methods[method === "HEAD" ? "GET" : method];
  if (answer !== undefined) return answer(event);
  const allow = Object.keys(methods).flatMap((name) => (name === "GET" ? ["GET", "HEAD"] : [name]));
  throw new SkepError("method-not-allowed", `${method} is not possible here; use ${allow.join(", ")}.`, {
    allow,
  });
}

async function answerHive({ ability, answer }: Endpoint, event: H3Event, shared: Shared): Promise<Response> {
  const { storage, bodyLimit } = shared.options;
  const caller = await callerOf(storage, event.req.headers.get("authorization"));
  requireAbility(caller, ability);
  const param = (name: string): string => decodeURIComponent(event.context.params?.[name] ?? "");
  const share = shared.budget.open();
  try {
    return await answer({
      event,
      storage,
      answers: shared.answers,
      hive: reachHive(caller, param("slug"), ability),
      param,
      query: getQuery(event),
      readJson: () => readJson(event, bodyLimit, share),
      words: wordsOf(event.req.headers),
    });
  } finally {
    share.release();
  }
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

/** What h3 throws by itself: no route, or a URL that cannot be read. */
function translate(error: HTTPError): unknown {
  if (error.unhandled === true) return error.cause;
  if (error.status === 404) return failure("not-found", "There is nothing at this address.");
  if (error.status === 400) return failure("malformed", "The URL cannot be read.");
  return error;
}
