/**
 * Which plural forms a locale accepts, and which of them it needs, by the language data of `Intl`. Stored content never
 * depends on these data: see `plural-forms.ts`.
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
  /** A whole number of each of these: the smallest, and zero only where there is no other. */
  readonly examples: ReadonlyMap<string, number>;
}

/** The largest number that is tried. Only categories for millions, as in French, are used by larger numbers alone. */
const largestTried = 1_000;
/** The size of the cache. There are fewer languages, but callers may add any region to a code. */
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
    // The Intl of this Node may reject a code that was stored with another version.
    if (cause instanceof RangeError) return false;
    throw cause;
  }
}

function readCategories(locale: LocaleCode, type: PluralString["type"]): Categories {
  const rules = new Intl.PluralRules(locale, { type });
  const examples = new Map<string, number>();
  for (let number = 0; number <= largestTried; number++) {
    const category = rules.select(number);
    if ((examples.get(category) ?? 0) === 0) examples.set(category, number);
  }
  const all = new Set<string>(rules.resolvedOptions().pluralCategories);
  return { all, required: new Set(examples.keys()), examples };
}

/** Which of the possible keys of translations a locale accepts, and which it needs. */
export class LocalePlurals {
  readonly locale: LocaleCode;
  readonly #mode: PluralMode;

  constructor(locale: LocaleCode, mode: PluralMode = "auto") {
    this.locale = locale;
    this.#mode = mode;
  }

  /** Whether a key is a source string, or a plural form that the locale has. */
  accepts({ texts, plurals }: StringFile, key: string): boolean {
    if (texts.has(key)) return true;
    const form = plurals?.isAdded(key) === true ? plurals.formOf(key) : undefined;
    if (form === undefined || !this.#isFormed(form)) return false;
    return categoriesOf(this.locale, form.string.type)?.all.has(form.category) ?? true;
  }

  /** Whether a key must have a translation. Plural forms that no whole number has need none. */
  requires({ texts, plurals }: Pick<StringFile, "texts" | "plurals">, key: string): boolean {
    const form = plurals?.formOf(key);
    if (form === undefined || !this.#isFormed(form)) return texts.has(key);
    const categories = categoriesOf(this.locale, form.string.type);
    if (categories === undefined) return texts.has(key);
    return categories.required.has(form.category) && (texts.has(key) || plurals?.isAdded(key) === true);
  }

  /** The plural form that a key is; undefined for a plain text, and where the Hive takes plural forms for plain texts. */
  formOf({ plurals }: Pick<StringFile, "plurals">, key: string): PluralForm | undefined {
    const form = plurals?.formOf(key);
    return form !== undefined && this.#isFormed(form) ? form : undefined;
  }

  /** A whole number for which a form is used; undefined where there is none, or the language is not known. */
  exampleOf({ string, category }: PluralForm): number | undefined {
    return categoriesOf(this.locale, string.type)?.examples.get(category);
  }

  #isFormed({ string }: PluralForm): boolean {
    return this.#mode === "auto" || this.#mode === string.convention;
  }
}
