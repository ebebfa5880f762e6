/** Headers of responses. */

export type Header = [name: string, value: string];

/** The headers of a cached response, with its body and for 304: pairs, or alternating names and values. */
export interface ResponseHeaders<Item = Header> {
  readonly whole: Item[];
  readonly notModified: Item[];
}

/** The header that names the commit that a response was made from. */
export const commitHeader = "x-skep-commit";

/** Whether an `If-None-Match` header names this ETag, by weak comparison. */
export function isHeld(etag: string, ifNoneMatch: string | null | undefined): boolean {
  if (ifNoneMatch == null) return false;
  if (ifNoneMatch === etag || ifNoneMatch.trim() === "*") return true;
  const opaque = etag.replace(/^W\//, "");
  return Array.from(ifNoneMatch.matchAll(/"[^"]*"/g)).some(([tag]) => tag === opaque);
}
