/**
 * The addresses of the console. They are relative to the page that they stand on, so that the console also works below
 * a prefix that a proxy takes off.
 */

/** Parameters of an address; those that are undefined or empty are left out. */
export type LinkQuery = Readonly<Record<string, string | number | undefined>>;

/**
 * Makes the address of a page.
 * @param path its segments, unencoded: `["hives", slug, "history"]`; none for the first page.
 */
export type Link = (path: readonly string[], query?: LinkQuery) => string;

/** Makes links for the page at an address. @param pathname of the page, without a slash at the end. */
export function linksFrom(pathname: string): Link {
  const depth = pathname.split("/").length - 2;
  const up = depth > 0 ? "../".repeat(depth) : "./";
  return (path, query = {}) => {
    const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
      value === undefined || value === "" ? [] : [[name, String(value)]],
    );
    const search = new URLSearchParams(given).toString();
    return `${up}${path.map(encodeURIComponent).join("/")}${search && `?${search}`}`;
  };
}

/** The address of a request as the parameter `to` of the sign-in page has it: without the slash at the front. */
export function returnAddress({ pathname, search }: URL): string | undefined {
  return pathname === "/" ? undefined : `${pathname.slice(1)}${search}`;
}

/**
 * Where to go after signing in. An address that leads to another server leads to the first page.
 * @param to what {@link returnAddress} gave; it may have been tampered with.
 * @param root the address of the first page, as links have it.
 */
export function afterSignIn(to: string, root: string): string {
  const here = "http://skep.invalid/";
  const url = URL.canParse(`./${to}`, here) ? new URL(`./${to}`, here) : undefined;
  if (url === undefined || url.origin !== new URL(here).origin) return root;
  return `${root}${url.pathname.replace(/^\/+/, "")}${url.search}`;
}
