/** The names of languages, and their codes and directions for browsers. */
import { localesOf, type HiveSettings } from "../../../domain/hives/hive-settings.ts";
import { codeOf, type Locale } from "../../../domain/hives/locale.ts";

const names = new Intl.DisplayNames(["en"], { type: "language" });

/** The English name of a locale. */
export function languageName({ code }: Locale): string {
  try {
    return names.of(code) ?? code;
  } catch {
    // The code is from another version of Node, and unknown in this one.
    return code;
  }
}

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

/**
 * Makes a function from the Hive's code of a locale to its BCP 47 code, for the attribute `lang`; undefined for a
 * locale that the Hive no longer has.
 */
export function languagesOf(settings: HiveSettings | undefined): (code: string) => string | undefined {
  const known = settings === undefined ? [] : localesOf(settings);
  const codes = new Map<string, string>(known.map((locale) => [codeOf(locale), locale.code]));
  return (code) => codes.get(code);
}
