/**
 * Which plural forms a locale accepts, and which of them it needs, by the language data of `Intl`. Stored content never
 * depends on these data: see `plural-forms.ts`.
 */
import { categoriesOf } from "../checks/categories.ts";
import type { PluralMode } from "../hives/hive-settings.ts";
import type { LocaleCode } from "../hives/locale.ts";
import type { PluralForm } from "./plural-forms.ts";
import type { StringFile } from "./string-file.ts";

/** Which of the possible keys of translations a locale accepts, and which it needs. */
export class LocalePlurals {
  readonly locale: LocaleCode;
  readonly #mode: PluralMode;

  constructor(locale: LocaleCode, mode: PluralMode = "auto") {
    this.locale = locale;
    this.#mode = mode;
  }

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
    return categories.numbers.has(form.category) && (texts.has(key) || plurals?.isAdded(key) === true);
  }

  /** The plural form that a key is; undefined for a plain text, and where the Hive takes plural forms for plain texts. */
  formOf({ plurals }: Pick<StringFile, "plurals">, key: string): PluralForm | undefined {
    const form = plurals?.formOf(key);
    return form !== undefined && this.#isFormed(form) ? form : undefined;
  }

  /** A whole number for which a form is used, zero only where it is the only one; undefined where there is none, or the language is not known. */
  exampleOf({ string, category }: PluralForm): number | undefined {
    const numbers = categoriesOf(this.locale, string.type)?.numbers.get(category);
    return numbers?.find((number) => number > 0) ?? numbers?.[0];
  }

  #isFormed({ string }: PluralForm): boolean {
    return this.#mode === "auto" || this.#mode === string.convention;
  }
}
