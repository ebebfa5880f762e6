/** Distinguishes reads from writes, and browsers from programs. */
import { formType } from "./body.ts";

const reading = new Set(["GET", "HEAD", "OPTIONS"]);
/** Git sends what it has and wants as a body. */
const fetchPath = /\/git-upload-pack$/;

/** Whether a request only reads. @param path the path of its URL, or the whole of that. */
export function isReading(method: string, path: string): boolean {
  return reading.has(method) || fetchPath.test(path);
}

/** Paths that have the same response for browsers and programs. */
const ofPrograms =
  /^\/(?:api|docs|p|openapi\.json|healthz|readyz|\.well-known|oauth\/(?:register|token))(?:\/|$)|^\/hives\/[^/]+\.git(?:\/|$)/;

/** Paths of what pages consist of, which browsers do not ask for as HTML: styles, scripts, images. */
const ofPages = /^\/(?:assets|hives\/[^/]+\/pictures)\//;

/**
 * Whether the console answers a request: browsers ask for pages as HTML and send forms, and nothing else does either. So
 * a browser also gets a page where the method is wrong.
 * @param pathname the path of its URL.
 */
export function isForConsole({ method, headers }: Request, pathname: string): boolean {
  if (ofPrograms.test(pathname)) return false;
  if (headers.get("accept")?.includes("text/html") === true) return true;
  if (method === "POST") return headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() === formType;
  return ofPages.test(pathname) && (method === "GET" || method === "HEAD");
}
