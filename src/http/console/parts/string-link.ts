/** Addresses of strings. */
import type { Link, LinkQuery } from "../requests/links.ts";

/** Browsers take these keys away from a path, however they are encoded; a parameter names them. */
const lostKeys: Readonly<Record<string, string>> = { "": "empty", ".": "dot", "..": "dots" };

/** The address of one string. @param link to the pages of its Hive. */
export function stringLink(link: Link, file: string, key: string, query: LinkQuery = {}): string {
  return Object.hasOwn(lostKeys, key)
    ? link(["strings", file], { ...query, key: lostKeys[key] })
    : link(["strings", file, key], query);
}

/** The key that the parameter of {@link stringLink} stands for; undefined for any other text. */
export function lostKey(name: string | undefined): string | undefined {
  return Object.keys(lostKeys).find((key) => lostKeys[key] === name);
}
