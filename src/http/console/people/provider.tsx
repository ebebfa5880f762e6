/** Signing in at an identity provider: the way there and back. */
import { failure, isSkepError, type ErrorCode } from "../../../domain/errors.ts";
import {
  packSignIn,
  signInAtProvider,
  unpackSignIn,
  waySeconds,
} from "../../../service/people/provider-sign-in.ts";
import type { Provider } from "../../../service/people/provider.ts";
import { deviceCookie, ownCookie, ownCookieOf, sessionCookie } from "../requests/cookies.ts";
import { afterSignIn } from "../requests/links.ts";
import type { OpenRequest, PageResult, PageRoute, View } from "../requests/page.ts";
import { personVisitorOf, signInPage } from "./sign-in.tsx";

const cookieName = "skep-oidc";
/** The longest address to which a sign-in leads; a cookie has to hold it. */
const maxTo = 1_000;

/** The provider, and whether browsers reach this server over TLS: the request itself need not show it. */
function providerOf({ access: { provider } }: OpenRequest): {
  readonly provider: Provider;
  readonly isSecure: boolean;
} {
  if (provider === undefined) throw failure("not-found", "Nobody signs in at an identity provider here.");
  return { provider, isSecure: provider.options.publicUrl.startsWith("https:") };
}

/** A cookie that comes along when the provider sends the browser back. @param seconds 0 removes it. */
function wayCookie(value: string, isSecure: boolean, seconds: number = waySeconds): string {
  return ownCookie(cookieName, value, { seconds, isSecure, sameSite: "Lax" });
}

async function begin(request: OpenRequest): Promise<PageResult> {
  const { provider, isSecure } = providerOf(request);
  const { query, origin, storage } = request;
  const to = typeof query.to === "string" && query.to.length <= maxTo ? query.to : "";
  const { publicUrl } = provider.options;
  // The provider sends the browser back to that address, which another one's cookies do not reach. Once is enough: a
  // proxy may hide the address.
  if (query.there !== "yes" && origin.replace(/^https?:\/\//, "") !== new URL(publicUrl).host) {
    return { to: `${publicUrl}/sign-in/oidc?${new URLSearchParams({ to, there: "yes" }).toString()}` };
  }
  try {
    const { url, way } = await provider.begin();
    return { to: url, cookies: [wayCookie(await packSignIn(storage, { way, to }), isSecure)] };
  } catch (error) {
    return refusedPage({ ...request, query: { to } }, error);
  }
}

async function finish(request: OpenRequest): Promise<PageResult> {
  const { provider, isSecure } = providerOf(request);
  const { event, storage, link } = request;
  const begun = unpackSignIn(storage, ownCookieOf(event.req, cookieName, isSecure));
  const cookies = (...values: readonly string[]): [string, string][] =>
    [...values, wayCookie("", isSecure, 0)].map((cookie) => ["set-cookie", cookie]);
  try {
    const answer = { search: event.url.search, way: begun?.way, ...personVisitorOf(request) };
    const { value, seconds, device } = await signInAtProvider(storage, provider, answer);
    const to = afterSignIn(begun?.to ?? "", link([]));
    return {
      title: "Signed in",
      // A redirect would still belong to the visit that the provider began, so that the session's cookie were not sent.
      headers: [
        ["refresh", `0; url=${to.replaceAll(/[;,]/g, encodeURIComponent)}`],
        ...cookies(sessionCookie(value, seconds, isSecure), deviceCookie(device, isSecure)),
      ],
      body: (
        <p>
          You are signed in. <a href={to}>Go on</a>
        </p>
      ),
    };
  } catch (error) {
    const page = await refusedPage({ ...request, query: { to: begun?.to } }, error);
    return { ...page, headers: [...(page.headers ?? []), ...cookies()] };
  }
}

/** The errors that the sign-in page shows, with the other ways to sign in. */
const statuses: Readonly<Partial<Record<ErrorCode, number>>> = {
  unauthenticated: 401,
  forbidden: 403,
  busy: 503,
};

async function refusedPage(request: OpenRequest, error: unknown): Promise<View> {
  const status = isSkepError(error) ? statuses[error.code] : undefined;
  if (status === undefined || !isSkepError(error)) throw error;
  return signInPage(request, { way: "oidc", problem: error.message, status });
}

export const providerPages: readonly PageRoute[] = [
  { kind: "open", path: "/sign-in/oidc", handler: begin },
  { kind: "open", path: "/sign-in/oidc/callback", handler: finish },
];
