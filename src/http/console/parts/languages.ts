/** The codes and directions of languages for browsers. */
import { boundedCache } from "../../../bounded-cache.ts";
import { allows, type Rights } from "../../../domain/access/token.ts";
import { localesOf, type HiveSettings } from "../../../domain/hives/hive-settings.ts";
import { codeOf, type Locale } from "../../../domain/hives/locale.ts";
import { moduleCache } from "../../../module-caches.ts";
import type { SignedInRequest } from "../requests/page.ts";
import { pageLanguageNow } from "../texts/texts.ts";

const rightToLeft = new Set(["Adlm", "Arab", "Hebr", "Mand", "Mend", "Nkoo", "Rohg", "Samr", "Syrc", "Thaa"]);

/**
 * The direction of texts, for the attribute `dir`. Browsers would derive it from the first letter, which in Arabic
 * texts often belongs to a placeholder.
 * @param lang their BCP 47 code; undefined when it is not known.
 */
export function directionOf(lang: string | undefined): "rtl" | "auto" {
  if (lang === undefined) return "auto";
  const known = directions.get(lang);
  if (known !== undefined) return known;
  const direction = isRightToLeft(lang) ? "rtl" : "auto";
  directions.set(lang, direction);
  return direction;
}

/** A page asks for the same few languages hundreds of times, and each answer takes as long as a small part of the page. */
const directions = moduleCache(boundedCache<string, "rtl" | "auto">(1_000));

function isRightToLeft(lang: string): boolean {
  try {
    const { script } = new Intl.Locale(lang).maximize();
    return script !== undefined && rightToLeft.has(script);
  } catch {
    return false;
  }
}

/** The attributes of an element whose texts are in the language of the page. */
export function pageLanguageAttributes(): { readonly lang: string; readonly dir: "rtl" | undefined } {
  const { code } = pageLanguageNow();
  return { lang: code, dir: directionOf(code) === "rtl" ? "rtl" : undefined };
}

/**
 * Makes a function from the Hive's code of a locale to its BCP 47 code, for the attribute `lang`; undefined for a
 * locale that the Hive no longer has.
 */
export function languagesOf(settings: HiveSettings | undefined): (code: string) => string | undefined {
  const known = settings === undefined ? [] : localesOf(settings);
  const codes = new Map<string, string>(known.map((locale) => [codeOf(locale), locale.code]));
  return (code) => codes.get(code);
}

/** Whether there is a page of work in a locale for somebody: for those who translate into it or review it. */
export function worksInto(
  rights: Pick<Rights, "abilities" | "locales">,
  { code }: Pick<Locale, "code">,
): boolean {
  const works = allows(rights, "write") || allows(rights, "approve");
  return works && rights.locales?.includes(code) !== false;
}

export type OwnLanguages = Pick<SignedInRequest, "ownLanguages">;

/** Whether a locale is one of those that the reader has chosen to work in. Who chose French also works in that of Canada. */
export function isOwnLanguage({ ownLanguages }: OwnLanguages, { code }: Pick<Locale, "code">): boolean {
  return ownLanguages.some((own) => code === own || code.startsWith(`${own}-`));
}

/** What there is for each locale, in its order, but first that of the locales that the reader works in. */
export function ownFirst<Each>(
  own: OwnLanguages,
  all: readonly Each[],
  localeOf: (each: Each) => Pick<Locale, "code">,
): readonly Each[] {
  const rank = (each: Each): number => (isOwnLanguage(own, localeOf(each)) ? 0 : 1);
  return own.ownLanguages.length === 0 ? all : all.toSorted((a, b) => rank(a) - rank(b));
}

/** Locales, but first those that the reader works in. */
export function ownLocalesFirst(own: OwnLanguages, locales: readonly Locale[]): readonly Locale[] {
  return ownFirst(own, locales, (locale) => locale);
}
