/** Which whole numbers each plural category of a language has, by the data of `Intl`. */

/** Only categories for millions, as in French, are used by larger numbers alone. */
const largestTried = 1_000;
/** As many numbers of a category as exact branches such as `=0` could name. */
const maxNumbers = 3;
/** There are fewer languages, but callers may add any region to a code. */
const maxCached = 10_000;
const cached = new Map<string, Categories | undefined>();

/** The categories of a language, of one type of numbers. */
interface Categories {
  readonly all: ReadonlySet<string>;
  /** Those of the whole numbers from 0 to 1,000, each with its first numbers. */
  readonly numbers: ReadonlyMap<string, readonly number[]>;
}

/** @param locale its canonical code. @returns undefined when `Intl` does not know its language. */
export function categoriesOf(locale: string, type: Intl.PluralRuleType): Categories | undefined {
  const name = `${type} ${locale}`;
  if (cached.has(name)) return cached.get(name);
  if (cached.size >= maxCached) cached.clear();
  const categories = isKnownLanguage(locale) ? readCategories(locale, type) : undefined;
  cached.set(name, categories);
  return categories;
}

function readCategories(locale: string, type: Intl.PluralRuleType): Categories {
  const rules = new Intl.PluralRules(locale, { type });
  const numbers = new Map<string, number[]>();
  for (let number = 0; number <= largestTried; number++) {
    const category = rules.select(number);
    const some = numbers.get(category);
    if (some === undefined) numbers.set(category, [number]);
    else if (some.length < maxNumbers) some.push(number);
  }
  return { all: new Set<string>(rules.resolvedOptions().pluralCategories), numbers };
}

/** The categories that a message needs in a language, each with its first numbers; an unknown language has `other` alone. */
export function categoriesOfNumbers(
  locale: string,
  type: Intl.PluralRuleType,
): ReadonlyMap<string, readonly number[]> {
  const numbers = categoriesOf(locale, type)?.numbers ?? new Map<string, readonly number[]>();
  // `other` is for all further numbers, too, so no exact numbers replace it.
  return new Map([["other", []], ...numbers]).set("other", [
    ...(numbers.get("other") ?? []),
    largestTried + 1,
  ]);
}

/** Whether `Intl` knows a language. It may reject a code that was stored with another version of Node. */
function isKnownLanguage(locale: string): boolean {
  try {
    return Intl.PluralRules.supportedLocalesOf(locale).length > 0;
  } catch (cause) {
    if (cause instanceof RangeError) return false;
    throw cause;
  }
}
