/** Plural forms that only translations have, in plans about strings. */
import { AddressMap } from "../move.ts";
import type { Difference } from "../moves/alignment.ts";
import type { Side } from "../sides.ts";

/** What is said of strings, also of plural forms that only translations have: these go with the forms of the source. */
export function withPluralForms<T>(
  strings: AddressMap<T>,
  { ours, theirs }: Pick<Difference, Side>,
): AddressMap<T> {
  const all = new AddressMap<T>();
  for (const file of strings.files) {
    const plurals = [ours, theirs].map(({ content }) => content.source.get(file)?.plurals);
    for (const [key, value] of strings.of(file)) {
      const forms = plurals.flatMap((one) => one?.formOf(key)?.string.added ?? []);
      for (const one of [key, ...forms]) all.set({ file, key: one }, value);
    }
  }
  return all;
}
