/**
 * The console: pages for people, at `/`. The server loads it for the first request of a page, so that the API does not
 * wait for it or pay for its memory.
 */
import { getQuery, type H3Event } from "h3";
import { FastResponse } from "srvx";
import { ownLanguagesOf, type Person } from "../../domain/access/person.ts";
import { allows } from "../../domain/access/token.ts";
import { failure, invalid, isSkepError } from "../../domain/errors.ts";
import type { HiveSettings } from "../../domain/hives/hive-settings.ts";
import { isHiveSlug, isOid } from "../../domain/names.ts";
import {
  requireAbility,
  type HiveGrant,
  hiveWriteContext,
  teamWriteContext,
  type WriteContext,
} from "../../service/access.ts";
import { lastSettings } from "../../service/content/overviews.ts";
import { newsOf } from "../../service/inbox/news.ts";
import { isFormOf, resumeSession, type Session } from "../../service/sessions.ts";
import type { RunSlowRead } from "../../service/slow-reads.ts";
import { accessHive, accessTeam } from "../pipeline/access.ts";
import type { Shared } from "../pipeline/shared.ts";
import { clientOf } from "../requests/client-address.ts";
import { noShare, type BodyShare } from "../requests/body.ts";
import { addToTrace } from "../requests/trace.ts";
import { toJson } from "../responses/respond.ts";
import type { PublicError } from "../responses/error-response.ts";
import { errorView, type WrongAddress } from "./pages/error.tsx";
import { forHive } from "./requests/context.tsx";
import { languagesOf } from "./parts/languages.ts";
import type { Frame } from "./parts/layout.tsx";
import { formKeyField } from "./parts/post-form.tsx";
import { respondPage } from "./render.tsx";
import { assetFolder, readAssets, type Assets } from "./requests/assets.ts";
import {
  cookiesOf,
  isOverTls,
  languageCookieOf,
  noticeIn,
  sessionCookies,
  themeOf,
} from "./requests/cookies.ts";
import { readForm, requireOwnOrigin, smallFormBytes, writtenIn, type Form } from "./requests/form.ts";
import { addressPart, linksFrom, returnAddress } from "./requests/links.ts";
import type {
  HiveRequest,
  OpenRequest,
  PageResult,
  PageRoute,
  SignedInRequest,
  TeamRequest,
} from "./requests/page.ts";
import { forReader } from "./texts/texts.ts";
import { findPage } from "./routes.ts";
import { isMain } from "../../domain/commits/branch-name.ts";

export interface ConsoleOptions {
  readonly shared: Shared;
  /** Makes the error that a caller sees; unexpected errors are logged. */
  readonly toPublicError: (error: unknown, event: H3Event) => PublicError;
}

/**
 * Responds to a request for a page, an asset or a form. It never throws.
 * @param failed an error that has occurred already.
 */
export type Console = (event: H3Event, failed?: unknown) => Promise<Response>;

/**
 * Reads the assets of the console.
 * @returns a function that answers a request with a page, also if it has failed already.
 */
export async function openConsole(options: ConsoleOptions): Promise<Console> {
  const assets = await readAssets();
  return (event, failed) => handle(event, failed, options, assets);
}

async function handle(
  event: H3Event,
  failed: unknown,
  options: ConsoleOptions,
  assets: Assets,
): Promise<Response> {
  const { pathname, search } = event.url;
  // Links are relative to an address without a trailing slash.
  if (pathname !== "/" && pathname.endsWith("/")) {
    const name = pathname.split("/").at(-2) ?? "";
    return new FastResponse(null, { status: 308, headers: [["location", `../${name}${search}`]] });
  }
  const { shared } = options;
  const request = toRequest(event, shared);
  const begun: Begun = { failed, isOwnForm: false, session: undefined, person: undefined };
  try {
    if (failed !== undefined) throw failed;
    const [, folder, name = ""] = pathname.split("/");
    if (folder === assetFolder) return await assets.respond(event.req, name, shared.responses);
    if (event.req.method === "POST") {
      requireOwnOrigin(event.req, request.host);
      begun.isOwnForm = true;
    }
    begun.session = await sessionOf(event, request, shared);
    begun.person = await personOf(request, begun.session);
  } catch (error) {
    begun.failed = error;
  }
  const reader = {
    chosen: chosenLanguageOf(request, begun),
    accepted: event.req.headers.get("accept-language"),
  };
  return forReader(reader, () => handlePage(request, begun, options, assets));
}

/** What is known of a request before it is known which page it is for. */
interface Begun {
  failed: unknown;
  /** Whether it is a form of a page of this server. */
  isOwnForm: boolean;
  session: Session | undefined;
  person: Person | undefined;
}

/** The person of a session. */
async function personOf({ storage }: Unrouted, session: Session | undefined): Promise<Person | undefined> {
  const person = session?.caller.principal.person;
  return person && (await storage.registry.person(person));
}

/** The code of the language that the reader has chosen: as a person, or else in this browser. */
function chosenLanguageOf(request: Unrouted, { person }: Begun): string | undefined {
  return person?.language ?? languageCookieOf(request);
}

async function handlePage(
  request: Unrouted,
  begun: Begun,
  { shared, toPublicError }: ConsoleOptions,
  assets: Assets,
): Promise<Response> {
  const { event } = request;
  const { failed, isOwnForm, session, person } = begun;
  const { pathname } = event.url;
  const ownLanguages = person === undefined ? [] : ownLanguagesOf(person);
  let result: PageResult;
  try {
    if (failed !== undefined) throw failed;
    const { route, params } = findPage(event.req.method, pathname);
    addToTrace(event.req, { route: route.path });
    const param = (of: string): string => params[of] ?? "";
    result = await handleRoute(route, { ...request, session, ownLanguages, param }, shared);
  } catch (error) {
    const publicError = toPublicError(error, event);
    const written = isOwnForm ? await writtenIn(event) : [];
    if (publicError.status === 401 && written.length === 0) {
      // The sign-in page leads back to the requested page.
      const to = event.req.method === "POST" ? undefined : returnAddress(event.url);
      result = { to: request.link([], { to }) };
    } else {
      // The way back, unless there is no such Hive.
      const slug = slugIn(pathname);
      const isThere = slug !== undefined && session !== undefined && publicError.body.code !== "unknown_hive";
      const above = isThere
        ? [{ label: (await settingsOf(shared, slug))?.name ?? slug, href: request.link(["hives", slug]) }]
        : [];
      result = { ...errorView(publicError, written, wrongIn(publicError, request)), above };
    }
  }
  const frame = {
    branch: branchOf(event, request),
    notice: noticeOf(event, request),
    link: request.link,
    assets: assets.names(),
    session,
    news: session === undefined ? 0 : newsOf(request.storage, session.caller),
    hive: slugIn(pathname),
    language: chosenLanguageOf(request, begun),
    theme: person?.theme ?? themeOf({ event, isSecure: request.isSecure }),
    // Addresses of those who are not signed in may have secrets, such as the code of an invitation.
    here: event.req.method === "POST" || session === undefined ? undefined : returnAddress(event.url),
  };
  return respondPage(event.req, result, frame);
}

/** The slug in the address of a page of a Hive. */
function slugIn(pathname: string): string | undefined {
  return /^\/hives\/([a-z0-9-]+)(?:\/|$)/.exec(pathname)?.[1];
}

type Unrouted = Omit<OpenRequest, "param" | "session" | "ownLanguages"> & { readonly host: string };

function toRequest(event: H3Event, { options, responses }: Shared): Unrouted {
  const host = event.req.headers.get("host") ?? event.url.host;
  const isSecure = isOverTls(event, options.trustProxy);
  const given = Object.entries(getQuery(event)).filter(([, value]) => value !== "");
  return {
    event,
    host,
    isSecure,
    client: clientOf(event.runtime?.node?.req, options.trustProxy),
    storage: options.storage,
    access: {
      publicUrl: options.publicUrl,
      mailing: options.mailing,
      ways: options.signIn ?? new Set(["token", "invite"]),
      inviteWith: options.inviteWith ?? new Set(["passkey", "password"]),
      provider: options.provider,
    },
    link: linksFrom(event.url.pathname),
    origin: `${isSecure ? "https" : "http"}://${host}${prefixAt(host, options.publicUrl)}`,
    query: Object.fromEntries(given),
    cache: async (name, version, make) => {
      const key = JSON.stringify(["console", name, version]);
      const bytes = await responses.part(key, async () => toJson(await make()));
      return JSON.parse(Buffer.from(bytes).toString("utf8"));
    },
  };
}

/** The path below which a proxy has the server: no request names it, since the proxy removes it. */
function prefixAt(host: string, publicUrl: string | undefined): string {
  const url = publicUrl === undefined ? undefined : new URL(publicUrl);
  return url?.host === host ? url.pathname.replace(/\/+$/, "") : "";
}

/** The branch that a page of a Hive is about, and the same page about main. */
function branchOf({ url }: H3Event, { query, link }: Unrouted): Frame["branch"] {
  const { branch: name, ...others } = query;
  if (typeof name !== "string" || name === "main" || !url.pathname.startsWith("/hives/")) return undefined;
  const toMain = samePage(url, link, others);
  return toMain === undefined ? undefined : { name, toMain };
}

/** The address of a page with another query; undefined for an address for which the page shows an error. */
function samePage({ pathname }: URL, link: Unrouted["link"], query: Unrouted["query"]): string | undefined {
  const path = pathname.split("/").slice(1);
  const own = Object.entries(query).filter((pair): pair is [string, string] => typeof pair[1] === "string");
  try {
    return link(path.map(decodeURIComponent), Object.fromEntries(own));
  } catch {
    return undefined;
  }
}

/** What of the address of a page is wrong: its filters, sorts and pages come from links, and are not corrected by hand. */
function wrongIn(
  { body }: Pick<PublicError, "body">,
  { event, query, link }: Unrouted,
): WrongAddress | undefined {
  const names = Object.keys(body.errors ?? {});
  const isOther = event.req.method === "POST" || names.some((name) => query[name] === undefined);
  if (isOther || names.length === 0) return undefined;
  const others = Object.entries(query).filter(([name]) => !names.includes(name));
  return {
    parts: names.map((name) => addressPart(name, query[name])),
    without: samePage(event.url, link, Object.fromEntries(others)),
  };
}

/** What the last form did, and the address at which that can be undone, in the Hive and on the branch of the page. */
function noticeOf({ req, url }: H3Event, { query, link }: Unrouted): Frame["notice"] {
  const notice = noticeIn(cookiesOf(req));
  const slug = slugIn(url.pathname);
  // No commit hides a string: it is shown again on the page that goes on behind it.
  const hidden = notice?.name === "skipped" ? query["after"] : undefined;
  if (notice !== undefined && typeof hidden === "string")
    return { text: notice.text, undo: samePage(url, link, { ...query, at: hidden, after: undefined }) };
  if (notice?.undo === undefined || slug === undefined) return notice && { text: notice.text };
  const branch = typeof query["branch"] === "string" ? query["branch"] : undefined;
  return { text: notice.text, undo: link(["hives", slug, "history", notice.undo, "undo"], { branch }) };
}

async function sessionOf(
  { req }: H3Event,
  { isSecure, client }: Unrouted,
  { options }: Shared,
): Promise<Session | undefined> {
  for (const value of sessionCookies(req, isSecure)) {
    const session = await resumeSession(options.storage, value);
    if (session === undefined) continue;
    const { token, person } = session.caller.principal;
    addToTrace(req, { token, person });
    return { ...session, caller: { ...session.caller, client } };
  }
  return undefined;
}

async function handleRoute(route: PageRoute, request: OpenRequest, shared: Shared): Promise<PageResult> {
  const { event, session } = request;
  if (route.kind === "open") return route.handler(request);
  if (route.kind === "open-form") {
    return route.handler({ ...request, form: await readForm(event, smallFormBytes, noShare) });
  }
  if (session === undefined) throw failure("unauthenticated", "Unauthenticated.");
  const signedIn: SignedInRequest = { ...request, session, signal: event.req.signal };
  const { caller } = session;
  const slowly = <T>(isSlow: boolean | undefined, read: (signal: AbortSignal) => Promise<T>): Promise<T> =>
    isSlow === true ? shared.slowReads.run(caller.team.name, event.req.signal, read) : read(event.req.signal);
  if (route.kind === "team" || route.kind === "team-form") {
    // The token may have lost abilities since it signed in.
    const ability = route.needs === undefined ? "read" : "admin";
    const { grant } = await accessTeam(event, shared, caller, ability, route.needs === "admin-of-all-hives");
    const teamRequest: TeamRequest = { ...signedIn, grant };
    if (route.kind === "team")
      return slowly(route.isSlow, (signal) => route.handler({ ...teamRequest, signal }));
    const context = teamWriteContext(request.storage, grant, {});
    return withForm(signedIn, shared, (form) => route.handler({ ...teamRequest, form, context }));
  }
  const ability = route.kind === "hive" ? (route.ability ?? "read") : route.ability;
  const { branch: named, ...query } = request.query;
  const access = { slug: request.param("slug"), ability: "read", branch: named } as const;
  const { hive, branch } = await accessHive(event, shared, caller, access);
  requireAbility(caller, ability);
  const branchName = isMain(branch) ? undefined : branch.branch;
  const canWrite = allows(caller.principal, "write");
  const settings = await settingsOf(shared, hive.slug);
  const hiveRequest: HiveRequest = {
    ...signedIn,
    query,
    hive: { ...hive, ability },
    settings,
    hiveName: settings?.name ?? hive.slug,
    lang: languagesOf(settings),
    branch,
    hiveLink: (path, own) => request.link(["hives", hive.slug, ...path], { branch: branchName, ...own }),
    canWrite,
    canTranslate: ({ code }) => canWrite && hive.locales?.includes(code) !== false,
    canApprove: ({ code }) => allows(caller.principal, "approve") && hive.locales?.includes(code) !== false,
  };
  if (route.kind === "hive-form") {
    const runSlowRead: RunSlowRead = (read) => slowly(true, read);
    const take = async (form: Form): Promise<PageResult> => {
      const context = writeContext(request, hiveRequest.hive, form);
      return forHive(hiveRequest, await route.handler({ ...hiveRequest, form, context, runSlowRead }));
    };
    return withForm(signedIn, shared, take, route.takesFiles);
  }
  // What comes while the page is made is news, too.
  const since = request.storage.hives.at(branch).head();
  const result = await slowly(route.isSlow, (signal) => route.handler({ ...hiveRequest, signal }));
  const told = "body" in result && route.tellsNews === true && since !== undefined;
  const news = told ? { news: hiveRequest.hiveLink(["news"], { since }) } : {};
  return forHive(hiveRequest, { ...result, ...news });
}

/** The settings of a Hive; undefined if they cannot be read. */
async function settingsOf({ options: { storage } }: Shared, slug: string): Promise<HiveSettings | undefined> {
  try {
    return isHiveSlug(slug) ? await lastSettings(storage, slug) : undefined;
  } catch (error) {
    // The page reports it where it needs more than a name.
    if (!isSkepError(error)) throw error;
    return undefined;
  }
}

/** Reads a form of a session. Its memory counts towards the team's share. */
async function withForm(
  { event, session }: SignedInRequest,
  { options, budget }: Shared,
  handler: (form: Form) => Promise<PageResult>,
  takesFiles = false,
): Promise<PageResult> {
  const share: BodyShare = budget.open(session.caller.team.name);
  try {
    const form = await readForm(event, options.bodyLimit, share, takesFiles);
    if (!isFormOf(session, form.text(formKeyField))) {
      const advice = "go back, reload the page and send it again";
      throw failure("forbidden", `This form is of another session, so nothing was done; ${advice}.`);
    }
    return await handler(form);
  } finally {
    share.release();
  }
}

function writeContext({ storage }: OpenRequest, hive: HiveGrant, form: Form): WriteContext {
  const message = form.text("message").trim();
  const head = form.text("head");
  if (head !== "" && !isOid(head)) throw invalid("head", "must be the full name of a commit");
  return {
    ...hiveWriteContext(storage, hive, { message: message || undefined, origin: { kind: "person" } }),
    expectedHead: isOid(head) ? head : undefined,
  };
}
