/** Renders a page as a response. */
import { FastResponse } from "srvx";
import { compress, encodingFor } from "../responses/response-cache.ts";
import type { Header } from "../responses/headers.ts";
import { imageHeaders, respondText } from "../responses/respond.ts";
import { Layout, type Frame } from "./parts/layout.tsx";
import { noticeCookie, saidNotice } from "./requests/cookies.ts";
import type { PageResult } from "./requests/page.ts";

/**
 * A page loads from and connects to this server only, uses only the server's own scripts and styles, sends forms only
 * to this server, and cannot be shown in a frame.
 */
const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

/** Keeps other sites that open a page from reaching its window. */
const ownWindow = ["cross-origin-opener-policy", "same-origin"] as const;

const pageHeaders: readonly (readonly [name: string, value: string])[] = [
  ["content-type", "text/html; charset=utf-8"],
  ["content-security-policy", policy],
  ["x-content-type-options", "nosniff"],
  ["x-frame-options", "DENY"],
  // Not `no-referrer`, with which browsers would not send the origin of a form.
  ["referrer-policy", "same-origin"],
  // Pages contain texts and the session's key, and must not be on the disk after signing out.
  ["cache-control", "no-store"],
  ["vary", "Accept-Encoding"],
];

/** Responds with a page, compressed if the browser accepts it, or with a redirect. */
export async function respondPage(
  request: Request,
  result: PageResult,
  frame: Omit<Frame, "view">,
): Promise<Response> {
  if ("to" in result) {
    return new FastResponse(null, {
      status: 303,
      headers: [
        ["location", result.to],
        ["cache-control", "no-store"],
        ...setCookies(...(result.cookies ?? []), result.notice && noticeCookie(result.notice, result)),
      ],
    });
  }
  if ("image" in result) {
    const headers: Header[] = [...imageHeaders, ["cache-control", "private, no-store"]];
    return respondText(Buffer.from(result.image), result.type, 200, headers);
  }
  if ("file" in result) {
    const name = encodeURIComponent(result.name).replaceAll("'", "%27");
    const headers: Header[] = [
      ...imageHeaders,
      ["cache-control", "private, no-store"],
      ["content-disposition", `attachment; filename*=UTF-8''${name}`],
    ];
    return respondText(Buffer.from(result.file), result.type, 200, headers);
  }
  const page = <Layout {...frame} view={result} />;
  const plain = Buffer.from(`<!doctype html>${await page}`);
  const encoding = encodingFor(request.headers.get("accept-encoding"));
  const compressed = encoding && (await compress(plain, encoding));
  const body = compressed ?? plain;
  const headers: [string, string][] = pageHeaders.map(([name, value]) => [name, value]);
  if (result.isPopup !== true) headers.push([...ownWindow]);
  if (frame.notice !== undefined) headers.push(...setCookies(saidNotice));
  headers.push(["content-length", String(body.byteLength)], ...(result.headers ?? []));
  if (encoding !== undefined && compressed !== undefined) headers.push(["content-encoding", encoding]);
  return new FastResponse(body, { status: result.status ?? 200, headers });
}

function setCookies(...cookies: readonly (string | undefined)[]): readonly [name: string, value: string][] {
  return cookies.flatMap((cookie): [string, string][] =>
    cookie === undefined ? [] : [["set-cookie", cookie]],
  );
}
