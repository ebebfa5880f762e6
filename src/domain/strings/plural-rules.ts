/**
 * Which plural forms a locale accepts, and which of them it needs, by the language data of `Intl`. Stored content never
 * depends on these data: see `plural-forms.ts`.
 */
import { categoriesOf } from "../checks/categories.ts";
import type { HiveSettings } from "../hives/hive-settings.ts";
import type { LocaleCode } from "../hives/locale.ts";
import type { PluralForm } from "./plural-forms.ts";
import type { StringFile } from "./string-file.ts";

/** What of a Hive decides about its plural forms. */
export interface PluralSettings extends Pick<HiveSettings, "plurals"> {
  readonly sourceLocale: { readonly code: string };
}

/**
 * Which of the possible keys of translations a locale accepts, and which it needs: the categories of its language, and the
 * `zero` that a source has for no number at all although its own language has no such category. i18next, Rails and
 * Apple's files use that form for 0 in every language.
 */
export class LocalePlurals {
  readonly locale: LocaleCode;
  readonly #settings: PluralSettings;

  constructor(locale: LocaleCode, settings: PluralSettings) {
    this.locale = locale;
    this.#settings = settings;
  }

  accepts({ texts, plurals }: StringFile, key: string): boolean {
    if (texts.has(key)) return true;
    const form = plurals?.isAdded(key) === true ? plurals.formOf(key) : undefined;
    if (form === undefined || !this.#isFormed(form)) return false;
    return categoriesOf(this.locale, form.string.type)?.all.has(form.category) ?? true;
  }

  /** Whether a key must have a translation. Plural forms that no whole number has need none, such as `many` of French. */
  requires({ texts, plurals }: Pick<StringFile, "texts" | "plurals">, key: string): boolean {
    const form = plurals?.formOf(key);
    if (form === undefined || !this.#isFormed(form)) return texts.has(key);
    const categories = categoriesOf(this.locale, form.string.type);
    if (categories === undefined) return texts.has(key);
    if (texts.has(key) && this.#isForNone(form)) return true;
    return categories.numbers.has(form.category) && (texts.has(key) || plurals?.isAdded(key) === true);
  }

  /** The plural form that a key is; undefined for a plain text, and where the Hive takes plural forms for plain texts. */
  formOf({ plurals }: Pick<StringFile, "plurals">, key: string): PluralForm | undefined {
    const form = plurals?.formOf(key);
    return form !== undefined && this.#isFormed(form) ? form : undefined;
  }

  /**
   * A whole number for which a form is used, zero only where it is the only one; undefined where there is none, or the
   * language is not known.
   */
  exampleOf(form: PluralForm): number | undefined {
    const { string, category } = form;
    const numbers = categoriesOf(this.locale, string.type)?.numbers.get(category);
    if (numbers === undefined && string.own.includes(string.stem + category) && this.#isForNone(form))
      return 0;
    return numbers?.find((number) => number > 0) ?? numbers?.[0];
  }

  #isFormed({ string }: PluralForm): boolean {
    const { plurals: mode = "auto" } = this.#settings;
    return mode === "auto" || mode === string.convention;
  }

  /** Whether a form that the source has is for no number at all, and not a category of the source language. */
  #isForNone({ string, category }: PluralForm): boolean {
    if (category !== "zero" || string.type !== "cardinal") return false;
    return categoriesOf(this.#settings.sourceLocale.code, "cardinal")?.all.has("zero") !== true;
  }
}
