/** Which whole numbers each plural category of a language has, by the data of `Intl`. */

/** Only categories for millions, as in French, are used by larger numbers alone. */
const largestTried = 1_000;
/** As many numbers of a category as exact branches such as `=0` could name. */
const maxNumbers = 3;
const maxCached = 1_000;
const cached = new Map<string, ReadonlyMap<string, readonly number[]>>();

/**
 * The categories of the whole numbers from 0 to 1,000, each with its first numbers.
 * @param locale its canonical code; an unknown language has `other` alone.
 */
export function categoriesOfNumbers(
  locale: string,
  type: Intl.PluralRuleType,
): ReadonlyMap<string, readonly number[]> {
  const name = `${type} ${locale}`;
  const present = cached.get(name);
  if (present !== undefined) return present;
  if (cached.size >= maxCached) cached.clear();
  const categories = new Map<string, number[]>([["other", []]]);
  if (isKnown(locale)) {
    const rules = new Intl.PluralRules(locale, { type });
    for (let number = 0; number <= largestTried; number++) {
      const category = rules.select(number);
      const numbers = categories.get(category);
      if (numbers === undefined) categories.set(category, [number]);
      else if (numbers.length < maxNumbers) numbers.push(number);
    }
  }
  // `other` is for all further numbers, too, so no exact numbers replace it.
  categories.get("other")?.push(largestTried + 1);
  cached.set(name, categories);
  return categories;
}

function isKnown(locale: string): boolean {
  try {
    return Intl.PluralRules.supportedLocalesOf(locale).length > 0;
  } catch (cause) {
    if (cause instanceof RangeError) return false;
    throw cause;
  }
}
