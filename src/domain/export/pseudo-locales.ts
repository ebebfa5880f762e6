/** Pseudo-locales: made from the source texts wherever texts go out, and stored nowhere. */
import { localeNamed, type HiveSettings } from "../hives/hive-settings.ts";
import { findLocale, isStoredLocaleCode, type Locale } from "../hives/locale.ts";

/** How the texts of a pseudo-locale are made. */
export type PseudoKind = "accents" | "right-to-left";

const kinds: Readonly<Record<string, PseudoKind>> = { "en-XA": "accents", "ar-XB": "right-to-left" };

/** All of them. No other object is a pseudo-locale, whatever its code is. */
export const pseudoLocales: readonly Locale[] = Object.keys(kinds)
  .filter(isStoredLocaleCode)
  .map((code) => ({ code }));

/** How the texts of a locale are made; undefined for a locale of a Hive. */
export function pseudoKindOf(locale: Locale): PseudoKind | undefined {
  return pseudoLocales.includes(locale) ? kinds[locale.code] : undefined;
}

/** Whether a canonical code is one of a pseudo-locale; a Hive may have a locale of that code all the same. */
export function isPseudoCode(canonical: string): boolean {
  return Object.hasOwn(kinds, canonical);
}

/** The pseudo-locales beside the locales of a Hive: those whose codes none of these has. */
export function pseudoLocalesFor(settings: HiveSettings): readonly Locale[] {
  return pseudoLocales.filter(({ code }) => localeNamed(settings, code) === undefined);
}

/** The pseudo-locale that a caller names where no locale of the Hive has that name. */
export function pseudoLocaleNamed(settings: HiveSettings, text: string): Locale | undefined {
  return findLocale(pseudoLocalesFor(settings), text);
}
