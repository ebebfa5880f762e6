/** The names of languages, and what browsers call them. */
import { localesOf, type HiveSettings } from "../../../domain/hives/hive-settings.ts";
import { codeOf, type Locale } from "../../../domain/hives/locale.ts";

const names = new Intl.DisplayNames(["en"], { type: "language" });

/** The English name of a locale. */
export function languageName({ code }: Locale): string {
  try {
    return names.of(code) ?? code;
  } catch {
    // A code of the data of another version of Node.
    return code;
  }
}

const rightToLeft = new Set(["Adlm", "Arab", "Hebr", "Mand", "Mend", "Nkoo", "Rohg", "Samr", "Syrc", "Thaa"]);

/**
 * The direction of texts, for the attribute `dir`. Browsers would take it from the first letter, which in Arabic texts
 * is often that of a placeholder.
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

/**
 * Gives the BCP 47 code, for the attribute `lang`, of a locale by the code that its Hive knows it by; undefined for
 * locales that the Hive no longer has.
 */
export function languagesOf(settings: HiveSettings | undefined): (code: string) => string | undefined {
  const known = settings === undefined ? [] : localesOf(settings);
  const codes = new Map<string, string>(known.map((locale) => [codeOf(locale), locale.code]));
  return (code) => codes.get(code);
}
