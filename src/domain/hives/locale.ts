/** Locales of a Hive: canonical BCP 47 codes, custom codes, and finding a locale by a caller's text. */
import { invalid } from "../errors.ts";
import { isDeviceName, type Branded } from "../names.ts";
import { excerpt } from "../text.ts";
import type { LocaleRule } from "./locale-rule.ts";

/** A canonical BCP 47 code such as `pt-BR`; the name of a folder in the repository. */
export type LocaleCode = Branded<string, "LocaleCode">;
/** A team's own code for a locale, such as `pt_BR`. */
export type CustomCode = Branded<string, "CustomCode">;

export interface Locale {
  readonly code: LocaleCode;
  readonly customCode?: CustomCode;
  /** Whether all its texts wait for a review, whoever writes them; undefined where their writer decides. */
  readonly review?: "all";
  /** Whether nobody may approve their own text. */
  readonly twoPeople?: true;
  /** The target locale whose texts stand where this one has none. */
  readonly inherits?: LocaleCode;
  /** What an engine translates by itself. */
  readonly auto?: LocaleRule;
}

const storedCodePattern = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}[A-Za-z0-9])?$/;
export const customCodePattern = /^[A-Za-z0-9][A-Za-z0-9_@-]{0,63}$/;

/**
 * Whether a text can be a stored canonical code. Codes are normalised only once, when a caller names them, because the
 * data of `Intl` changes, but names of folders must not.
 */
export function isStoredLocaleCode(text: string): text is LocaleCode {
  return storedCodePattern.test(text) && !isDeviceName(text);
}

export function isCustomCode(text: string): text is CustomCode {
  return customCodePattern.test(text);
}

/** The current canonical form of a BCP 47 code (`fil` for `tl`); undefined when the text is not a BCP 47 code. */
function canonicalOf(text: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(text)[0];
  } catch (cause) {
    if (cause instanceof RangeError) return undefined;
    throw cause;
  }
}

/**
 * Parses a canonical code, given in upper or lower case.
 * @throws SkepError `invalid` on the field when it is not a BCP 47 code, is longer than 64 bytes, or is the name of a
 * Windows device, which cannot be a folder in a checkout.
 */
function toLocaleCode(text: string, field: string): LocaleCode {
  const code = canonicalOf(text);
  if (code === undefined) {
    const meant = canonicalOf(text.replaceAll("_", "-"));
    const advice =
      meant === undefined
        ? ""
        : `; give ${meant} with the custom code ${text}, on the command line as ${meant}=${text}`;
    throw invalid(field, `"${excerpt(text)}" is not a BCP 47 language code such as pt-BR${advice}`);
  }
  if (code.length > 64) throw invalid(field, "must be at most 64 bytes");
  if (!isStoredLocaleCode(code))
    throw invalid(field, `"${code}" is a Windows device name and cannot be a folder`);
  return code;
}

/** Parses `CODE` or `CODE=CUSTOM`, the notation of the command line. @throws SkepError `invalid` on the field. */
export function toLocale(text: string, field = "locale"): Locale {
  const [given = "", custom, ...rest] = text.split("=");
  if (rest.length > 0) throw invalid(field, "must be CODE or CODE=CUSTOM");
  return localeFrom(given, custom, { code: field, customCode: field });
}

/**
 * Parses a code and a custom code. Without a custom code, an outdated code becomes the custom code, so that the locale
 * keeps the caller's code: `tl` becomes `fil` with the custom code `tl`.
 * @param fields the names of the two in errors.
 * @throws SkepError `invalid` on one of the fields.
 */
export function localeFrom(
  given: string,
  custom: string | undefined,
  fields: { readonly code: string; readonly customCode: string },
): Locale {
  const code = toLocaleCode(given, fields.code);
  if (custom !== undefined) return { code, customCode: toCustomCode(custom, fields.customCode) };
  const isRenamed = comparisonForm(given) !== comparisonForm(code);
  return isRenamed && isCustomCode(given) ? { code, customCode: given } : { code };
}

/** The arguments of `skep locale create` that make a locale with this code; undefined when there are none. */
export function localeToGive(text: string): string | undefined {
  if (canonicalOf(text) !== undefined) return text;
  const code = canonicalOf(text.replaceAll("_", "-"));
  return code !== undefined && isCustomCode(text) ? `${code} --custom-code ${text}` : undefined;
}

/** @throws SkepError `invalid` on the field. */
export function toCustomCode(text: string, field: string): CustomCode {
  if (isCustomCode(text)) return text;
  throw invalid(
    field,
    `the custom code "${excerpt(text)}" must be 1 to 64 letters, digits, _, @ or -, and start with a letter or digit`,
  );
}

/** The code that is shown and that names exported files: the custom code if there is one. */
export function codeOf(locale: Locale): string {
  return locale.customCode ?? locale.code;
}

/** Formats a locale as `CODE` or `CODE=CUSTOM`, which {@link toLocale} parses. */
export function formatLocale(locale: Locale): string {
  return locale.customCode === undefined ? locale.code : `${locale.code}=${locale.customCode}`;
}

/** Codes that people may confuse have the same comparison form. */
function comparisonForm(code: string): string {
  return code.toLowerCase().replaceAll("_", "-");
}

/**
 * Finds a locale by a caller's text: by the exact custom code, else by the canonical code in any case and with `_` for
 * `-`, else by a former name of the canonical code.
 */
export function findLocale(locales: readonly Locale[], text: string): Locale | undefined {
  const withCode = (code: string): Locale | undefined =>
    locales.find((locale) => comparisonForm(locale.code) === comparisonForm(code));
  const found = locales.find((locale) => locale.customCode === text) ?? withCode(text);
  if (found !== undefined) return found;
  const today = canonicalOf(text.replaceAll("_", "-"));
  return today === undefined ? undefined : withCode(today);
}

/**
 * Whether a stored name is one of this locale's codes. Former names do not count, because exports must not change with
 * the data of `Intl`.
 */
export function isCodeOf({ code, customCode }: Locale, name: string): boolean {
  return customCode === name || comparisonForm(code) === comparisonForm(name);
}

/**
 * The most target locales of a Hive, which is more than exist. The limit exists because every request reads the list.
 */
export const maxLocales = 1_000;

/**
 * Checks that no code of one locale can be confused with a code of another.
 * @throws SkepError `invalid` on the field, naming both.
 */
export function checkDistinctCodes(locales: readonly Locale[], field = "locale"): void {
  const owners = new Map<string, Locale>();
  for (const locale of locales) {
    for (const code of new Set([locale.code, codeOf(locale)].map(comparisonForm))) {
      const owner = owners.get(code);
      if (owner?.code === locale.code) {
        throw invalid(field, `${locale.code} is given twice${formerNameIn(locale, owner)}`);
      }
      if (owner !== undefined) {
        throw invalid(field, `${formatLocale(locale)} cannot be distinguished from ${formatLocale(owner)}`);
      }
      owners.set(code, locale);
    }
  }
}

/**
 * Checks that no custom code is a former name of another locale's code, which would be ambiguous.
 * @param given the locales to be added or changed; conflicts between other, stored locales are ignored.
 * @throws SkepError `invalid` on the field, naming both.
 */
export function checkFormerNames(
  locales: readonly Locale[],
  given: readonly Locale[],
  field = "locale",
): void {
  const byCode = new Map<string, Locale>(locales.map((locale) => [locale.code, locale]));
  for (const locale of locales) {
    const today = locale.customCode && canonicalOf(locale.customCode.replaceAll("_", "-"));
    const owner = today === undefined ? undefined : byCode.get(today);
    if (owner === undefined || owner === locale || !(given.includes(owner) || given.includes(locale)))
      continue;
    throw invalid(
      field,
      `${formatLocale(locale)} cannot be distinguished from ${formatLocale(owner)}: ${locale.customCode} is another name of ${owner.code}`,
    );
  }
}

/** A remark for messages if a custom code of these locales is another name of the locale's code; otherwise empty. */
export function formerNameIn(...locales: readonly Locale[]): string {
  for (const { code, customCode } of locales) {
    if (customCode === undefined || comparisonForm(customCode) === comparisonForm(code)) continue;
    if (canonicalOf(customCode.replaceAll("_", "-")) === code)
      return ` (${customCode} is another name of it)`;
  }
  return "";
}
