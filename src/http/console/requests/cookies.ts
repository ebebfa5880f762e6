/** The cookies of sessions, of known browsers and of notices, and the detection of TLS. */
import { isCustomCode } from "../../../domain/hives/locale.ts";
import { isHiveSlug, isOid, type Oid } from "../../../domain/names.ts";
import type { H3Event } from "h3";
import { themes, type Theme } from "../../../domain/access/person.ts";
import type { Challenge } from "../../../service/people/passkeys.ts";
import { deviceSeconds, type Visitor } from "../../../service/sign-in.ts";
import { isTrustedPeer, type TrustedProxies } from "../../requests/client-address.ts";
import type { AnyRequest, Redirect } from "./page.ts";
import { countedIn, t, textIn, type NoticeName } from "../texts/texts.ts";

/** With this prefix, browsers accept the cookie only from this host and only over TLS. */
const plainName = "skep";
const yearSeconds = 365 * 86_400;
const secureName = `__Host-${plainName}`;

/** The cookies of a request by name; of several of one name the first. */
export function cookiesOf({ headers }: Request): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>();
  for (const pair of (headers.get("cookie") ?? "").split(";")) {
    const at = pair.indexOf("=");
    const name = pair.slice(0, Math.max(0, at)).trim();
    if (!cookies.has(name)) cookies.set(name, pair.slice(at + 1).trim());
  }
  return cookies;
}

/** The values of the session's cookies. The secure one comes first, since nobody else can have set it. */
export function sessionCookies(request: Request, isSecure: boolean): readonly string[] {
  const cookies = cookiesOf(request);
  const names = isSecure ? [secureName] : [secureName, plainName];
  return names.flatMap((name) => cookies.get(name) ?? []);
}

/** A `Set-Cookie` header. @param seconds how long it is kept; 0 removes it. */
export function sessionCookie(value: string, seconds: number, isSecure: boolean): string {
  return ownCookie(plainName, value, { seconds, isSecure });
}

/** The name of the cookie by which a browser is known; see `knownDevice`. */
const deviceName = "skep-device";

/** A `Set-Cookie` header by which this browser is known from now on. */
export function deviceCookie(value: string, isSecure: boolean): string {
  return ownCookie(deviceName, value, { seconds: deviceSeconds, isSecure });
}

const challengeName = "skep-passkey";

/** Browsers use passkeys at that address alone, whether a request shows that it came over TLS or not. */
function isSecureAt(publicUrl: string): boolean {
  return publicUrl.startsWith("https:");
}

/** A `Set-Cookie` header with the challenge of a page for passkeys. */
export function challengeCookie({ cookie, seconds }: Challenge, publicUrl: string): string {
  return ownCookie(challengeName, cookie, { seconds, isSecure: isSecureAt(publicUrl) });
}

/** The challenge that a page for passkeys gave. */
export function challengeOf(request: Request, publicUrl: string): string | undefined {
  return ownCookieOf(request, challengeName, isSecureAt(publicUrl));
}

/** The value of a cookie of this server; over TLS only of one that was set over TLS. */
export function ownCookieOf(request: Request, name: string, isSecure: boolean): string | undefined {
  return cookiesOf(request).get(isSecure ? `__Host-${name}` : name);
}

/** The browser that a request comes from. */
export function visitorOf(request: Pick<AnyRequest, "event" | "client" | "isSecure">): Visitor {
  const { event, client, isSecure } = request;
  return { client, device: ownCookieOf(event.req, deviceName, isSecure) };
}

/** A `Set-Cookie` header of a cookie that only this server gets and sets. */
export function ownCookie(
  name: string,
  value: string,
  options: { seconds: number; isSecure: boolean; sameSite?: "Strict" | "Lax" },
): string {
  const { seconds, isSecure, sameSite = "Strict" } = options;
  const attributes = `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=${sameSite}`;
  return isSecure ? `__Host-${name}=${value}; ${attributes}; Secure` : `${name}=${value}; ${attributes}`;
}

/**
 * Whether the browser is connected over TLS. Skep itself does not terminate TLS, so a trusted proxy must say so, or the
 * browser does, by the origin of its form or by a cookie that it sends only over TLS.
 */
export function isOverTls(
  { req: { headers }, runtime }: H3Event,
  trusted: TrustedProxies | undefined,
): boolean {
  const forwarded = headers.get("x-forwarded-proto")?.split(",").at(-1)?.trim().toLowerCase();
  return (
    (forwarded === "https" && isTrustedPeer(runtime?.node?.req, trusted)) ||
    headers.get("origin")?.startsWith("https://") === true ||
    headers.get("cookie")?.includes(`${secureName}=`) === true
  );
}

const themeName = "skep-theme";

/** A `Set-Cookie` header that keeps the choice of colours in this browser. @param theme undefined to leave it to the system. */
export function themeCookie(theme: Theme | undefined, isSecure: boolean): string {
  return ownCookie(themeName, theme ?? "", { seconds: theme === undefined ? 0 : yearSeconds, isSecure });
}

/** The colours that were chosen in the browser of a request. */
export function themeOf({ event, isSecure }: Pick<AnyRequest, "event" | "isSecure">): Theme | undefined {
  const chosen = ownCookieOf(event.req, themeName, isSecure);
  return themes.find((theme) => theme === chosen);
}

const languageName = "skep-language";

/**
 * A `Set-Cookie` header that keeps the choice of a language in this browser.
 * @param code undefined to leave it to the browser.
 */
export function languageCookie(code: string | undefined, isSecure: boolean): string {
  return ownCookie(languageName, code ?? "", { seconds: code === undefined ? 0 : yearSeconds, isSecure });
}

/** The code of the language that was chosen in the browser of a request; nobody has checked whether there are such pages. */
export function languageCookieOf({
  event,
  isSecure,
}: Pick<AnyRequest, "event" | "isSecure">): string | undefined {
  return ownCookieOf(event.req, languageName, isSecure);
}

const lastName = "skep-last";

/** A `Set-Cookie` header that names where somebody has translated or reviewed last, so that they go on there. */
export function lastPlaceCookie(hive: string, locale: string, isSecure: boolean): string {
  return ownCookie(lastName, `${hive}.${locale}`, { seconds: yearSeconds, isSecure });
}

/** The Hive and the code of a locale in a request's cookie; nobody has checked whether there are such. */
export function lastPlace({
  event,
  isSecure,
}: Pick<AnyRequest, "event" | "isSecure">): { readonly hive: string; readonly locale: string } | undefined {
  const [hive = "", locale = ""] = (ownCookieOf(event.req, lastName, isSecure) ?? "").split(".", 2);
  // A canonical code has the form of a custom one, too.
  return isHiveSlug(hive) && isCustomCode(locale) ? { hive, locale } : undefined;
}

/** The cookie with the name of a notice about the form that was just sent, so that addresses that people share have none. */
const noticeName = "skep-notice";
const isCount = /^\d{1,9}$/;
const noticeAttributes = "Path=/; HttpOnly; SameSite=Strict";

/** The `Set-Cookie` header that makes the next page show a notice. */
export function noticeCookie(
  name: NoticeName,
  { undo, count, waits }: Pick<Redirect, "undo" | "count" | "waits">,
): string {
  const parts = [name, undo ?? "", count ?? "", waits === 0 ? "" : (waits ?? "")];
  const value = parts.join(".").replace(/\.+$/, "");
  return `${noticeName}=${value}; Max-Age=60; ${noticeAttributes}`;
}

/** The `Set-Cookie` header that removes a shown notice. */
export const saidNotice = `${noticeName}=; Max-Age=0; ${noticeAttributes}`;

/**
 * The notice in the cookies of a request, and the commit that it tells of where that can be undone.
 * @returns `name` as given.
 */
export function noticeIn(
  cookies: ReadonlyMap<string, string>,
): { readonly name: string; readonly text: string; readonly undo: Oid | undefined } | undefined {
  const [name = "", commit = "", count = "", waits = ""] = (cookies.get(noticeName) ?? "").split(".", 4);
  const said = isCount.test(count) ? countedIn("notice", name, Number(count)) : textIn("notice", name);
  if (said === undefined) return undefined;
  const waiting = isCount.test(waits)
    ? countedIn("notice", "some-wait", Number(waits))
    : waits === "it" && t("notice.it-waits");
  const text = typeof waiting === "string" ? `${said} ${waiting}` : said;
  return { name, text, undo: isOid(commit) ? commit : undefined };
}
