/** Keys as people see them and type them again. */
import { contextSeparator, readableKey } from "../text.ts";
import { groupsOf } from "./flattened-keys.ts";
import { pluralCategories } from "./plural-forms.ts";

const formEnding = new RegExp(`\\.(?:${pluralCategories.join("|")})$`);

/**
 * The key that somebody means who types it as it is shown, with bars in the place of a separator that has no key on a
 * keyboard: `menu|Open`.
 * @param keys of the strings among which it is; it may also be a group of these, or a plural form that only translations have.
 * @returns the key itself where there is one, bars included; else the only one that is shown like it, or undefined.
 */
export function keyShownAs(shown: string, keys: Iterable<string>): string | undefined {
  if (!shown.includes("|")) return undefined;
  const stem = shown.replace(formEnding, "");
  const found = new Set<string>();
  const groups = new Set<string>();
  for (const key of keys) {
    const around = groupsOf(key);
    for (const name of [key, ...around]) {
      if (name === shown) return shown;
      if (name.includes(contextSeparator) && readableKey(name) === shown) found.add(name);
    }
    if (stem !== shown) for (const name of around) if (readableKey(name) === stem) groups.add(name);
  }
  if (found.size === 0) for (const name of groups) found.add(name + shown.slice(stem.length));
  const [only] = found;
  return found.size === 1 ? only : undefined;
}
