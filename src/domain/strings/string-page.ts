/** The address of a string's page in the console, which links of pages and `skep open` share. */

/** Browsers remove these keys from a path, even if they are encoded; so a query parameter names them. */
const lostKeys: Readonly<Record<string, string>> = { "": "empty", ".": "dot", "..": "dots" };

/** The page of one string, below that of its Hive: the parts of its path, unencoded, and its query. */
export function stringPage(
  file: string,
  key: string,
): { readonly path: readonly string[]; readonly query?: Readonly<Record<string, string | undefined>> } {
  return Object.hasOwn(lostKeys, key)
    ? { path: ["strings", file], query: { key: lostKeys[key] } }
    : { path: ["strings", file, key] };
}

/** The key for a value of the query of {@link stringPage}; undefined for other values. */
export function lostKey(name: string | undefined): string | undefined {
  return Object.keys(lostKeys).find((key) => lostKeys[key] === name);
}
