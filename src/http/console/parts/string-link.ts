/** Addresses of strings. */
import type { Link, LinkQuery } from "../requests/links.ts";

/** Browsers remove these keys from a path, even if they are encoded; so a query parameter names them. */
const lostKeys: Readonly<Record<string, string>> = { "": "empty", ".": "dot", "..": "dots" };

/** The address of one string. @param link makes links to pages of its Hive. */
export function stringLink(link: Link, file: string, key: string, query: LinkQuery = {}): string {
  return Object.hasOwn(lostKeys, key)
    ? link(["strings", file], { ...query, key: lostKeys[key] })
    : link(["strings", file, key], query);
}

/** The key for a value of the parameter of {@link stringLink}; undefined for other values. */
export function lostKey(name: string | undefined): string | undefined {
  return Object.keys(lostKeys).find((key) => lostKeys[key] === name);
}
