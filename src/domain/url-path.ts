/** Whether a host of a URL is this machine. */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])$/.test(hostname);
}

/**
 * Whether URL parsers, of clients, proxies and servers, read a path as another one: it has a backslash, or `.` or `..`
 * as a part, also as `%2e`. `DELETE /hives/web/work/..` would be about the Hive, and no encoding prevents it.
 * @param path as it is sent, with or without a query.
 */
export function hasDotSegment(path: string): boolean {
  const [bare = ""] = path.split(/[?#]/, 1);
  return bare.includes("\\") || /\/(?:\.|%2e){1,2}(?:\/|$)/i.test(bare);
}
