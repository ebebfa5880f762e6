/** Sign-in at an identity provider: the redirect to it, and the return from it. */
import { failure, isSkepError, type ErrorCode } from "../../../domain/errors.ts";
import {
  packSignIn,
  signInAtProvider,
  unpackSignIn,
  pendingSeconds,
} from "../../../service/people/provider-sign-in.ts";
import type { Provider } from "../../../service/people/provider.ts";
import { deviceCookie, ownCookie, ownCookieOf, sessionCookie } from "../requests/cookies.ts";
import { afterSignIn } from "../requests/links.ts";
import type { OpenRequest, PageResult, PageRoute, View } from "../requests/page.ts";
import { personVisitorOf, signInPage } from "./sign-in.tsx";
import { messageNow } from "../texts/reasons.ts";
import { t } from "../texts/texts.ts";

const cookieName = "skep-oidc";
/** The longest address of the page to show afterwards: a cookie has to hold it. */
const maxTo = 1_000;

/** The provider, and whether browsers reach this server over TLS: the request itself need not show it. */
function providerOf({ access: { provider } }: OpenRequest): {
  readonly provider: Provider;
  readonly isSecure: boolean;
} {
  if (provider === undefined) throw failure("not-found", "Nobody signs in at an identity provider here.");
  return { provider, isSecure: provider.options.publicUrl.startsWith("https:") };
}

/** The cookie of a sign-in that has begun. The redirect back from the provider sends it. @param seconds 0 removes it. */
function pendingCookie(value: string, isSecure: boolean, seconds: number = pendingSeconds): string {
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
    const { url, request: pending } = await provider.begin();
    return {
      to: url,
      cookies: [pendingCookie(await packSignIn(storage, { request: pending, to }), isSecure)],
    };
  } catch (error) {
    return refusedPage({ ...request, query: { to } }, error);
  }
}

async function finish(request: OpenRequest): Promise<PageResult> {
  const { provider, isSecure } = providerOf(request);
  const { event, storage, link } = request;
  const pending = unpackSignIn(storage, ownCookieOf(event.req, cookieName, isSecure));
  const cookies = (...values: readonly string[]): [string, string][] =>
    [...values, pendingCookie("", isSecure, 0)].map((cookie) => ["set-cookie", cookie]);
  try {
    const answer = { search: event.url.search, request: pending?.request, ...personVisitorOf(request) };
    const { value, seconds, device } = await signInAtProvider(storage, provider, answer);
    const to = afterSignIn(pending?.to ?? "", link([]));
    return {
      title: t("common.signed_in"),
      // A redirect would still belong to the visit that the provider began, so that the session's cookie were not sent.
      headers: [
        ["refresh", `0; url=${to.replaceAll(/[;,]/g, encodeURIComponent)}`],
        ...cookies(sessionCookie(value, seconds, isSecure), deviceCookie(device, isSecure)),
      ],
      body: <p>{t("provider.you_are_signed_in", { link: <a href={to}>{t("provider.go_on")}</a> })}</p>,
    };
  } catch (error) {
    const page = await refusedPage({ ...request, query: { to: pending?.to } }, error);
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
  return signInPage(request, {
    way: "oidc",
    problem: messageNow({ message: error.message, code: error.publicCode }),
    status,
  });
}

export const providerPages: readonly PageRoute[] = [
  { kind: "open", path: "/sign-in/oidc", handler: begin },
  { kind: "open", path: "/sign-in/oidc/callback", handler: finish },
];
