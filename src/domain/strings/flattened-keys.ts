/** Flattened keys of strings. */
import { append } from "../group-by.ts";

/** The groups that a flattened key lies in, outermost first: `a` and `a.b` for `a.b.c`. */
export function groupsOf(key: string): readonly string[] {
  const groups: string[] = [];
  for (let dot = key.indexOf("."); dot !== -1; dot = key.indexOf(".", dot + 1))
    groups.push(key.slice(0, dot));
  return groups;
}

/**
 * The keys of a translation that its source does not have, such as plural forms of another language.
 * @returns the extra keys of the translation, by the key of the source that they come after; undefined for those that
 * come before all others.
 */
export function extraKeys(
  translation: Pick<ReadonlyMap<string, unknown>, "keys">,
  source: Pick<ReadonlySet<string>, "has">,
): ReadonlyMap<string | undefined, readonly string[]> {
  const extras = new Map<string | undefined, string[]>();
  let previous: string | undefined;
  for (const key of translation.keys()) {
    if (source.has(key)) previous = key;
    else append(extras, previous, key);
  }
  return extras;
}
