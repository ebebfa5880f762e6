/** The codes and directions of languages for browsers. */
import { localesOf, type HiveSettings } from "../../../domain/hives/hive-settings.ts";
import { codeOf } from "../../../domain/hives/locale.ts";
import { pageLanguageNow } from "../texts/texts.ts";

const rightToLeft = new Set(["Adlm", "Arab", "Hebr", "Mand", "Mend", "Nkoo", "Rohg", "Samr", "Syrc", "Thaa"]);

/**
 * The direction of texts, for the attribute `dir`. Browsers would derive it from the first letter, which in Arabic
 * texts often belongs to a placeholder.
 * @param lang their BCP 47 code; undefined when it is not known.
 */
export function directionOf(lang: string | undefined): "rtl" | "auto" {
  try {
    const { script } = new Intl.Locale(lang ?? "und").maximize();
    return script !== undefined && rightToLeft.has(script) ? "rtl" : "auto";
  } catch {
    return "auto";
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
