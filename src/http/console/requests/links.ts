/**
 * Addresses of the console. They are relative to the current page, so that the console also works below a prefix that a
 * proxy removes.
 */
import { stringPage } from "../../../domain/strings/string-page.ts";
import type { ShownChange } from "../../../domain/strings/text-diff.ts";

/** Query parameters; undefined and empty ones are left out. */
export type LinkQuery = Readonly<Record<string, string | number | undefined>>;

/**
 * Makes the address of a page.
 * @param path its segments, unencoded: `["hives", slug, "history"]`; none for the first page.
 */
export type Link = (path: readonly string[], query?: LinkQuery) => string;

/** Makes links relative to a page. @param pathname the path of the page, without a trailing slash. */
export function linksFrom(pathname: string): Link {
  const depth = pathname.split("/").length - 2;
  return linksBelow(depth > 0 ? "../".repeat(depth) : "./");
}

/** Makes links that begin with an address. @param up the address of the first page, with a slash at its end. */
export function linksBelow(up: string): Link {
  return (path, query = {}) => {
    const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
      value === undefined || value === "" ? [] : [[name, String(value)]],
    );
    const search = new URLSearchParams(given).toString();
    return `${up}${path.map(encodeURIComponent).join("/")}${search && `?${search}`}`;
  };
}

/** How much of a part of an address is shown. */
const maxPart = 60;

/** A part of an address as it stands there, or its beginning. @param value of a parameter, which may be given several times. */
export function addressPart(name: string, value: unknown): string {
  const part = `${name}=${[value].flat().map(String).join(", ")}`;
  return part.length <= maxPart ? part : `${part.slice(0, maxPart).toWellFormed()}…`;
}

/** The address of a request for the parameter `to` of the sign-in page: without the leading slash. */
export function returnAddress({ pathname, search }: URL): string | undefined {
  return pathname === "/" ? undefined : `${pathname.slice(1)}${search}`;
}

/**
 * The address after signing in. An address on another server is replaced by the first page.
 * @param to the result of {@link returnAddress}, which a user may have changed.
 * @param root the relative address of the first page.
 */
export function afterSignIn(to: string, root: string): string {
  const here = "http://skep.invalid/";
  const url = URL.canParse(`./${to}`, here) ? new URL(`./${to}`, here) : undefined;
  if (url === undefined || url.origin !== new URL(here).origin) return root;
  return `${root}${url.pathname.replace(/^\/+/, "")}${url.search}`;
}

/** The address of one string. @param link makes links to pages of its Hive. */
export function stringLink(link: Link, file: string, key: string, others: LinkQuery = {}): string {
  const { path, query } = stringPage(file, key);
  return link(path, { ...others, ...query });
}

/** The address of a changed string; of one that was removed, its history. */
export function changeLink(
  link: Link,
  { file, key, member, kept, after }: Pick<ShownChange, "file" | "key" | "member" | "kept" | "after">,
): string {
  if (kept === "picture") return link(["pictures"]);
  return after === undefined && member === undefined && kept === undefined
    ? link(["history"], { file, key })
    : stringLink(link, file, key);
}
