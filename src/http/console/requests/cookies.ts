/** The cookie of a session, and the detection of TLS. */
import type { H3Event } from "h3";
import { isTrustedPeer, type TrustedProxies } from "../../requests/client-address.ts";

/** With this prefix, browsers accept the cookie only from this host and only over TLS. */
const secureName = "__Host-skep";
const plainName = "skep";

/** The cookies of a request by their names. */
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
  const attributes = `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict`;
  return isSecure ? `${secureName}=${value}; ${attributes}; Secure` : `${plainName}=${value}; ${attributes}`;
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
