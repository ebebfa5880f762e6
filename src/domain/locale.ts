/** Locales of a Hive: canonical BCP 47 codes, the team's custom codes, and how a caller's text finds one. */
import { invalid } from "./errors.ts";
import { isDeviceName, type Branded } from "./names.ts";
import { excerpt } from "./text.ts";

/** A canonical BCP 47 code such as `pt-BR`; the name of a folder in the repository. */
export type LocaleCode = Branded<string, "LocaleCode">;
/** A code of the team's own for a locale, such as `pt_BR`. */
export type CustomCode = Branded<string, "CustomCode">;

export interface Locale {
  readonly code: LocaleCode;
  readonly customCode?: CustomCode;
}

const storedCodePattern = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}[A-Za-z0-9])?$/;
const customCodePattern = /^[A-Za-z0-9][A-Za-z0-9_@-]{0,63}$/;

/**
 * Whether a text can be a stored canonical code. Codes are normalised when they are given and never again: what
 * `Intl` calls canonical changes with its data, and a folder's name must not.
 */
export function isStoredLocaleCode(text: string): text is LocaleCode {
  return storedCodePattern.test(text) && !isDeviceName(text);
}

/** Whether a text can be a custom code. */
export function isCustomCode(text: string): text is CustomCode {
  return customCodePattern.test(text);
}

/**
 * Parses a canonical code as a person gives it, in any case.
 * @throws SkepError `invalid` on the field when it is no BCP 47 code, is longer than 64 bytes, or is the name of a
 * Windows device (a checkout could not make its folder).
 */
export function toLocaleCode(text: string, field = "locale"): LocaleCode {
  let code: string | undefined;
  try {
    code = Intl.getCanonicalLocales(text)[0];
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
  }
  if (code === undefined)
    throw invalid(field, `"${excerpt(text)}" is not a BCP 47 language code such as pt-BR`);
  if (code.length > 64) throw invalid(field, "must be at most 64 bytes");
  if (!isStoredLocaleCode(code))
    throw invalid(field, `"${code}" is a Windows device name and cannot be a folder`);
  return code;
}

/**
 * Parses `CODE` or `CODE=CUSTOM`, the way the command line writes a locale.
 * @throws SkepError `invalid` on the field.
 */
export function toLocale(text: string, field = "locale"): Locale {
  const [given = "", custom, ...rest] = text.split("=");
  if (rest.length > 0) throw invalid(field, "must be CODE or CODE=CUSTOM");
  const code = toLocaleCode(given, field);
  return custom === undefined ? { code } : { code, customCode: toCustomCode(custom, field) };
}

/**
 * Parses a custom code.
 * @throws SkepError `invalid` on the field.
 */
export function toCustomCode(text: string, field: string): CustomCode {
  if (isCustomCode(text)) return text;
  throw invalid(
    field,
    `the custom code "${excerpt(text)}" must be 1 to 64 letters, digits, _, @ or -, and start with a letter or digit`,
  );
}

/** The code that is shown and that names exported files: the custom one where it is set. */
export function codeOf(locale: Locale): string {
  return locale.customCode ?? locale.code;
}

/** `CODE` or `CODE=CUSTOM`, the way {@link toLocale} reads it. */
export function formatLocale(locale: Locale): string {
  return locale.customCode === undefined ? locale.code : `${locale.code}=${locale.customCode}`;
}

/** Two codes that a person may take for one have the same comparison form. */
function comparisonForm(code: string): string {
  return code.toLowerCase().replaceAll("_", "-");
}

/** Finds a locale by a caller's text: the exact custom code, else the canonical one in any case and with `_` for `-`. */
export function findLocale(locales: readonly Locale[], text: string): Locale | undefined {
  return (
    locales.find((locale) => locale.customCode === text) ??
    locales.find((locale) => comparisonForm(locale.code) === comparisonForm(text))
  );
}

/** Whether a text is one of this locale's codes, by the rule of {@link findLocale}. */
export function isCodeOf(locale: Locale, text: string): boolean {
  return findLocale([locale], text) !== undefined;
}

/** Target locales of one Hive: more than the world has. Whatever is asked of the Hive reads the list. */
export const maxLocales = 1_000;

/**
 * Checks that no code of one locale could be taken for a code of another.
 * @throws SkepError `invalid` on the field, naming both.
 */
export function checkDistinctCodes(locales: readonly Locale[], field = "locale"): void {
  const owners = new Map<string, Locale>();
  for (const locale of locales) {
    for (const code of new Set([locale.code, codeOf(locale)].map(comparisonForm))) {
      const owner = owners.get(code);
      if (owner?.code === locale.code) throw invalid(field, `${locale.code} is given twice`);
      if (owner !== undefined) {
        throw invalid(field, `${formatLocale(locale)} cannot be told from ${formatLocale(owner)}`);
      }
      owners.set(code, locale);
    }
  }
}
