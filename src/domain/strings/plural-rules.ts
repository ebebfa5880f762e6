/**
 * Which plural forms a locale takes, and which of them it needs, as `Intl` knows the languages. What is stored never
 * depends on it: see `plural-forms.ts`.
 */
import type { PluralMode } from "../hives/hive-settings.ts";
import type { LocaleCode } from "../hives/locale.ts";
import type { PluralForm, PluralString } from "./plural-forms.ts";
import type { StringFile } from "./string-file.ts";

/** The categories of a language, of one type of numbers. */
interface Categories {
  readonly all: ReadonlySet<string>;
  /** Those of whole numbers. */
  readonly required: ReadonlySet<string>;
}

/** The largest whole number that is tried: no language has a category that only larger ones have but for millions. */
const largestTried = 1_000;
/** How many answers are kept. There are fewer languages, but callers may name regions as they like. */
const maxKept = 10_000;
const kept = new Map<string, Categories | undefined>();

/** The categories of a locale; undefined when `Intl` does not know its language. */
function categoriesOf(locale: LocaleCode, type: PluralString["type"]): Categories | undefined {
  const name = `${type} ${locale}`;
  if (kept.has(name)) return kept.get(name);
  if (kept.size >= maxKept) kept.clear();
  const categories = isSupported(locale) ? readCategories(locale, type) : undefined;
  kept.set(name, categories);
  return categories;
}

function isSupported(locale: LocaleCode): boolean {
  try {
    return Intl.PluralRules.supportedLocalesOf(locale).length > 0;
  } catch (cause) {
    // A stored code need not be one for today's Intl.
    if (cause instanceof RangeError) return false;
    throw cause;
  }
}

function readCategories(locale: LocaleCode, type: PluralString["type"]): Categories {
  const rules = new Intl.PluralRules(locale, { type });
  const required = new Set<string>();
  for (let number = 0; number <= largestTried; number++) required.add(rules.select(number));
  return { all: new Set(rules.resolvedOptions().pluralCategories), required };
}

/** What a locale takes of the keys that translations may have, and what it needs. */
export class LocalePlurals {
  readonly #locale: LocaleCode;
  readonly #mode: PluralMode;

  constructor(locale: LocaleCode, mode: PluralMode = "auto") {
    this.#locale = locale;
    this.#mode = mode;
  }

  /** Whether a key is a source string, or a plural form that the locale has. */
  accepts({ texts, plurals }: StringFile, key: string): boolean {
    if (texts.has(key)) return true;
    const form = plurals?.isAdded(key) === true ? plurals.formOf(key) : undefined;
    if (form === undefined || !this.#isFormed(form)) return false;
    return categoriesOf(this.#locale, form.string.type)?.all.has(form.category) ?? true;
  }

  /** Whether a key must have a translation: a source string, unless it is a plural form without whole numbers. */
  requires({ texts, plurals }: StringFile, key: string): boolean {
    const form = plurals?.formOf(key);
    if (form === undefined || !this.#isFormed(form)) return texts.has(key);
    const categories = categoriesOf(this.#locale, form.string.type);
    if (categories === undefined) return texts.has(key);
    return categories.required.has(form.category) && (texts.has(key) || plurals?.isAdded(key) === true);
  }

  #isFormed({ string }: PluralForm): boolean {
    return this.#mode === "auto" || this.#mode === string.convention;
  }
}
