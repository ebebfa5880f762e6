/** The HTTP application: all routes, with limits, authentication and uniform errors. */
import { H3, type H3Event, type HTTPError } from "h3";
import type { ServerRequest } from "srvx";
import { SkepError, failure, isFailure, isSkepError } from "../domain/errors.ts";
import type { Oid } from "../domain/names.ts";
import { describeError } from "../log.ts";
import { isMissingModule, onDemand } from "../on-demand.ts";
import { Clones } from "../service/operations/clones.ts";
import { Pushes } from "../service/operations/pushes.ts";
import { MachineFaults } from "../service/machine-faults.ts";
import type { StorageBase } from "../service/storage.ts";
import type { Console, ConsoleOptions } from "./console/console.ts";
import { isForConsole } from "./requests/request-kinds.ts";
import { handleRoute } from "./pipeline/handle-route.ts";
import type { Route } from "./pipeline/route.ts";
import { makeShared } from "./pipeline/make-shared.ts";
import { RecordFreshness } from "./pipeline/record-freshness.ts";
import type { AppOptions, Shared } from "./pipeline/shared.ts";
import { clientOf, isOneHost } from "./requests/client-address.ts";
import {
  traceFieldsOf,
  addToTrace,
  requestIdOf,
  beginTrace,
  requestIdHeader,
  type TraceFields,
  type RequestObserver,
} from "./requests/trace.ts";
import { Cors, isPublished, publicCors, type FetchHandler } from "./responses/cors.ts";
import { statusOf, toPublicError, toErrorResponse, type ErrorForm } from "./responses/error-response.ts";
import type { RespondFast } from "./responses/read-fast-path.ts";
import { commitHeader } from "./responses/headers.ts";
import type { ResponseCacheStats } from "./responses/response-cache.ts";
import { eventRoutes } from "./events/events.ts";
import { branchOperations } from "./content/branches.ts";
import { channelOperations } from "./operations/channels.ts";
import { servePublishedFile, publishedPaths, publishedRoutes } from "./channels/published-files.ts";
import { checkOperations } from "./content/checks.ts";
import { commentOperations } from "./operations/comments.ts";
import { routesOf } from "./operations/implement.ts";
import { fileOperations } from "./operations/files.ts";
import { engineJobOperations } from "./content/engine-jobs.ts";
import { historyOperations } from "./content/history.ts";
import { hiveOperations } from "./operations/hives.ts";
import { localeOperations } from "./operations/locales.ts";
import { replacementOperations } from "./content/replace.ts";
import { reviewOperations } from "./content/review.ts";
import { searchOperations } from "./content/search.ts";
import { stringOperations } from "./content/strings.ts";
import { suggestionOperations } from "./content/suggestions.ts";
import { tagOperations } from "./content/tags.ts";
import { translationOperations } from "./content/translations.ts";
import { workOperations } from "./content/work.ts";
import { tokenOperations } from "./operations/tokens.ts";
import { engineOperations } from "./operations/engines.ts";
import { webhookOperations } from "./operations/webhooks.ts";
import { oauthEndpoints } from "./oauth/oauth.ts";
import { styleOperations, termOperations } from "./content/glossary.ts";
import { noteOperations } from "./content/notes.ts";
import { pictureRoutes } from "./content/pictures.ts";
import { deviceRoutes } from "./routes/people/device.ts";
import { personOperations } from "./operations/people.ts";
import { handleProviderLogout, providerLogoutPath } from "./routes/people/provider-logout.ts";
import { handleUnsubscribe, unsubscribePath } from "./routes/people/unsubscribe.ts";
import { respondReferenceFile, referenceRoutes, referenceFilePath } from "./routes/reference.ts";
import { handleRepository, gitErrorForm, repositoryPaths } from "./routes/repository.ts";
import { serverRoutes } from "./routes/server-info.ts";
import { auditOperations } from "./operations/audit.ts";
import { inboxOperations } from "./operations/inbox.ts";
import { myOperations, mySessionOperations, myTokenOperations } from "./operations/me.ts";
import { teamSearchOperations } from "./operations/search.ts";
import { teamOperations, trashOperations } from "./operations/team.ts";
import { worldLocaleOperations } from "./operations/world-locales.ts";
import { mirrorOperations } from "./operations/mirrors.ts";
import { excerpt } from "../domain/text.ts";
import type { DescribedRoute } from "./openapi/route-docs.ts";

const unreadBodyMs = 5_000;

/** All routes except the git repositories and the files of the API reference. */
export const routes: readonly Route[] = [
  ...routesOf(hiveOperations),
  ...routesOf(trashOperations),
  ...routesOf(worldLocaleOperations),
  ...routesOf(localeOperations),
  ...routesOf(fileOperations),
  ...routesOf(stringOperations),
  ...routesOf(noteOperations),
  ...routesOf(commentOperations),
  ...pictureRoutes,
  ...routesOf(translationOperations),
  ...routesOf(searchOperations),
  ...routesOf(historyOperations, tagOperations),
  ...eventRoutes,
  ...routesOf(engineOperations, webhookOperations, mirrorOperations),
  ...routesOf(branchOperations),
  ...routesOf(channelOperations),
  ...publishedRoutes,
  ...routesOf(reviewOperations),
  ...routesOf(workOperations),
  ...routesOf(replacementOperations),
  ...routesOf(suggestionOperations, engineJobOperations),
  ...routesOf(checkOperations),
  ...routesOf(termOperations, styleOperations),
  ...routesOf(personOperations),
  ...routesOf(auditOperations, myOperations, myTokenOperations, mySessionOperations, inboxOperations),
  ...routesOf(teamSearchOperations),
  ...deviceRoutes,
  ...routesOf(teamOperations),
  ...routesOf(tokenOperations),
  ...serverRoutes(() => routes),
  ...referenceRoutes,
];

const suggestAddress = suggestionsFrom(routes);

export interface App {
  readonly fetch: (request: Request) => Response | Promise<Response>;
  /** Where the record is a database: what the server awaits before `respondFast`; see {@link RecordFreshness.admit}. */
  readonly admit: RecordFreshness["admit"] | undefined;
  /** The fast path for repeated reads, which the server tries before `fetch`. */
  readonly respondFast: RespondFast;
  readonly stats: () => AppStats;
  /** Ends the streams of events, which would otherwise keep a server that stops waiting. */
  readonly endStreams: () => void;
  /** Logs once a minute that the system opens no more files for the server, which then gets no requests that could say so. */
  readonly checkFileLimit: MachineFaults["check"];
  /** Tells load balancers, by `/readyz`, that the server is about to stop. */
  readonly announceStop: () => void;
}

/** How much the application holds in memory, and how many operations are under way. */
export interface AppStats {
  readonly responses: ResponseCacheStats;
  readonly bodyBytes: number;
  readonly clones: number;
  readonly slowReads: number;
  readonly streams: number;
}

/**
 * Makes the application on a storage, which answers requests. Its streams of events end with {@link App.endStreams}.
 */
export function createApp(options: AppOptions): App {
  const { log, storage, observers = [] } = options;
  const cors = options.corsOrigin === undefined ? undefined : new Cors(options.corsOrigin);
  const shared = makeShared(options, cors);
  const { responses } = shared;
  const report = (error: unknown, { req }: H3Event): string => {
    const requestId = requestIdOf(req);
    if (isFailure(error, "content-invalid")) void freshness?.markUnreadable(req);
    if (statusOf(error) === undefined) {
      const client = clientOf(req.runtime?.node?.req, options.trustProxy);
      const line = isMissingModule(error)
        ? "its files were replaced while it ran: restart it"
        : "unexpected error";
      log.error({ request_id: requestId, client, error: describeError(error) }, line);
    } else if (isSkepError(error)) addToTrace(req, { code: error.code });
    return requestId;
  };
  const faults = new MachineFaults(log);
  const fail = (given: unknown, event: H3Event, form?: ErrorForm): Response => {
    const error = faults.translate(given);
    const commit = headOf(storage, traceFieldsOf(event.req));
    return toErrorResponse(error, report(error, event), { ...form, commit });
  };
  const { refresh } = storage;
  const { publications, record } = storage;
  const freshness =
    refresh &&
    new RecordFreshness(
      { refresh, publications, problem: record.problem, markUnreadable: record.repositories.markUnreadable },
      options,
    );
  const app = new H3({
    silent: true,
    onRequest: (event) => {
      prepare(event);
      return freshness?.requireFresh(event.req, event.runtime?.node?.req);
    },
    onError: (error, event) => {
      endUnreadBody(event);
      const form = event.url.pathname.startsWith("/hives/") ? gitErrorForm(event) : undefined;
      return pageFor(event)?.(event, translate(error)) ?? fail(translate(error), event, form);
    },
  });

  const withErrors =
    (handler: (event: H3Event) => Promise<Response>, formOf?: (event: H3Event) => ErrorForm) =>
    async (event: H3Event): Promise<Response> => {
      addToTrace(event.req, { route: event.context.matchedRoute?.route });
      try {
        return await handler(event);
      } catch (error) {
        endUnreadBody(event);
        return fail(error, event, formOf?.(event));
      }
    };

  const methods = new Map<string, Record<string, (event: H3Event) => Promise<Response>>>();
  const serve = (
    { method, path }: Pick<Route, "method" | "path">,
    handler: (event: H3Event) => Promise<Response>,
  ): void => void methods.set(path, { ...methods.get(path), [method]: handler });
  for (const route of routes) serve(route, (event) => handleRoute(route, event, shared));
  serve({ method: "GET", path: referenceFilePath }, (event) => respondReferenceFile(event, responses));
  serve({ method: "GET", path: publishedPaths }, (event) => servePublishedFile(event, shared));
  serve({ method: "POST", path: providerLogoutPath }, (event) => handleProviderLogout(event, shared));
  serve({ method: "POST", path: unsubscribePath }, (event) => handleUnsubscribe(event, shared));
  for (const { handle, ...at } of oauthEndpoints) serve(at, (event) => handle(event, shared));
  // Loaded with the first request, as most servers get none.
  const openMcp = onDemand(async () => {
    const { makeMcpEndpoint } = await import("./mcp/mcp.ts");
    return makeMcpEndpoint(shared, (request) => app.fetch(request));
  });
  serve({ method: "POST", path: "/mcp" }, async (event) => (await openMcp())(event));
  const handlePage = pagesOf(
    shared,
    (given, event) => {
      const error = faults.translate(given);
      endUnreadBody(event);
      return toPublicError(error, report(error, event));
    },
    fail,
  );
  // The page that asks; what it asks for is done without a page, as mail programs do it.
  if (handlePage !== undefined) serve({ method: "GET", path: unsubscribePath }, (event) => handlePage(event));
  /** Serves a page to browsers at addresses where programs get another response, or none. */
  const pageFor = ({ req, url }: H3Event): PageHandler | undefined =>
    isForConsole(req, url.pathname) ? handlePage : undefined;
  const orPage =
    (handler: (event: H3Event) => Promise<Response>) =>
    (event: H3Event): Promise<Response> =>
      (pageFor(event) ?? handler)(event);
  for (const [path, here] of methods) {
    const handler = withErrors((event) => forMethod(event, here));
    app.all(path, path === "/" ? orPage(handler) : handler);
  }
  const repositories = { shared, clones: new Clones(options), pushes: new Pushes(options) };
  const handleGit = withErrors((event) => {
    const { pathname } = event.url;
    // Checked before the token: a misplaced path of the API gets a hint, even without a valid token.
    const meant = suggestAddress(pathname);
    if (meant !== undefined) throw unknownAddress(meant);
    return handleRepository(event, repositories);
  }, gitErrorForm);
  app.all(repositoryPaths, orPage(handleGit));
  app.all(
    "/**",
    orPage(async ({ url }) => {
      throw unknownAddress(suggestAddress(url.pathname));
    }),
  );
  const fetch = (request: ServerRequest): Response | Promise<Response> => app.fetch(request);
  const fetchOwn = cors === undefined ? fetch : cors.wrap(fetch);
  const fetchPublished = publicCors.wrap(fetch);
  const handler: FetchHandler = (request) =>
    (isPublished(pathOf(request.url)) ? fetchPublished : fetchOwn)(request);
  return {
    fetch: observed(handler, observers),
    admit: freshness?.admit,
    respondFast: shared.fastPath.respond,
    stats: () => ({
      responses: responses.stats,
      bodyBytes: shared.budget.used,
      clones: repositories.clones.running,
      slowReads: shared.slowReads.running,
      streams: shared.streams.running,
    }),
    checkFileLimit: (openFile) => faults.check(openFile),
    endStreams: () => shared.streams.end(),
    announceStop: () => shared.readiness.stop(),
  };
}

/**
 * A response that is sent before its request was read completely reaches the client only if the rest of the request is
 * read, too. Node reads and drops it; it gets some seconds for that.
 */
function endUnreadBody(event: H3Event): void {
  const request = event.runtime?.node?.req;
  if (request === undefined || request.complete) return;
  const timer = setTimeout(() => request.complete || request.destroy(), unreadBodyMs);
  timer.unref();
  request.once("close", () => clearTimeout(timer));
}

/** Ignores repeated slashes, which clients make when they prefix a base URL, and requires one Host header. */
function prepare(event: H3Event): void {
  const { headers, httpVersion } = event.runtime?.node?.req ?? {};
  const isMissing = headers?.host === undefined && httpVersion === "1.0";
  if (headers !== undefined && !isMissing && !isOneHost(headers.host)) {
    throw failure("malformed", "There must be one Host header.");
  }
  const { pathname } = event.url;
  if (pathname.includes("//")) event.url.pathname = pathname.replaceAll(/\/{2,}/g, "/");
}

function forMethod(
  event: H3Event,
  methods: Readonly<Record<string, (event: H3Event) => Promise<Response>>>,
): Promise<Response> {
  const { method } = event.req;
  const handler = methods[method === "HEAD" ? "GET" : method];
  if (handler !== undefined) return handler(event);
  const allow = Object.keys(methods).flatMap((name) => (name === "GET" ? ["GET", "HEAD"] : [name]));
  throw new SkepError("method-not-allowed", `${method} is not possible here; use ${allow.join(", ")}.`, {
    allow,
  });
}

/** The HEAD that a request of a caller with access is about; undefined if there is none, or it cannot be read. */
function headOf({ hives }: StorageBase, { hive: slug, branch }: TraceFields): Oid | undefined {
  if (slug === undefined) return undefined;
  try {
    return hives.at(branch === undefined ? slug : { slug, branch }).head();
  } catch {
    // The response reports another error already.
    return undefined;
  }
}

/** Translates errors that h3 throws itself, for an invalid URL. */
function translate(error: HTTPError): unknown {
  if (error.unhandled === true) return error.cause;
  if (error.status === 400) return failure("malformed", "The URL cannot be read.");
  return error;
}

/** Answers a request with a page. @param error an error that the page has to report. */
type PageHandler = (event: H3Event, error?: unknown) => Promise<Response>;

/** Answers requests for pages, for which the console is loaded with the first; undefined if there are none. */
function pagesOf(
  shared: Shared,
  publicErrorOf: ConsoleOptions["toPublicError"],
  fail: (error: unknown, event: H3Event) => Response,
): PageHandler | undefined {
  if (shared.options.console === "off") return undefined;
  const open = onDemand(async () => {
    const { openConsole } = await import("./console/console.ts");
    return openConsole({ shared, toPublicError: publicErrorOf });
  });
  return async (event, error) => {
    let answer: Console;
    try {
      answer = await open();
    } catch (cause) {
      return fail(cause, event);
    }
    return answer(event, error);
  };
}

/** The path in a URL, without parsing the rest of it. */
function pathOf(url: string): string {
  const path = url.indexOf("/", url.indexOf("//") + 2);
  return path === -1 ? "/" : url.slice(path);
}

/** Wraps a handler so that observers are called after each response. */
function observed(handler: FetchHandler, observers: readonly RequestObserver[]): FetchHandler {
  return async (request: ServerRequest) => {
    const start = performance.now();
    const trace = beginTrace(request);
    const response = await handler(request);
    response.headers.set(requestIdHeader, trace.id);
    const commit = response.headers.get(commitHeader);
    if (commit !== null) addToTrace(request, { commit });
    const ms = performance.now() - start;
    for (const observer of observers) observer.responded(trace, response.status, ms);
    return response;
  };
}

/**
 * Suggests addresses where `/api` is missing, or repeated because the client adds it itself. A slug has no dots:
 * `/hives/web.git` is a repository.
 * @param known all routes of the API.
 */
function suggestionsFrom(known: readonly DescribedRoute[]): (pathname: string) => string | undefined {
  const paths = known.map(({ path }) => path.replaceAll(".", String.raw`\.`).replaceAll(/:\w+/g, "[^/.]+"));
  const address = new RegExp(`^(?:${paths.join("|")})/?$`);
  return (pathname) => {
    const meant = `/api${pathname.replace(/^(?:\/api)+(?=\/)/, "")}`;
    return meant !== pathname && address.test(meant) ? meant : undefined;
  };
}

/** The error `not-found` for an unknown address, with a hint where to look instead. */
function unknownAddress(meant: string | undefined): SkepError {
  const advice =
    meant === undefined
      ? "The API is below /api; /docs and /openapi.json describe it."
      : `Did you mean ${excerpt(meant)}?`;
  return failure("not-found", `There is nothing at this address. ${advice}`);
}
