/** Flattened keys of strings. */

/** The groups that a flattened key lies in, outermost first: `a` and `a.b` for `a.b.c`. */
export function groupsOf(key: string): readonly string[] {
  const groups: string[] = [];
  for (let dot = key.indexOf("."); dot !== -1; dot = key.indexOf(".", dot + 1))
    groups.push(key.slice(0, dot));
  return groups;
}

/**
 * The keys of a translation that its source does not have, such as plural forms of another language.
 * @param source the keys of the source.
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
    else {
      const following = extras.get(previous);
      if (following === undefined) extras.set(previous, [key]);
      else following.push(key);
    }
  }
  return extras;
}
