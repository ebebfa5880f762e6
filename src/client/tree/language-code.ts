/** Tells codes of locales from other names. */

const languages = new Intl.DisplayNames("en", { type: "language", fallback: "none" });
const code = /^([a-z]{2,3})(?:[-_@][A-Za-z0-9_@-]*)?$/i;

/** Whether a text can be the code of a locale, of whatever language: `ber`, and `app` too. */
export function hasCodeForm(text: string): boolean {
  return code.test(text);
}

/** Whether a code begins with the code of a language. `app_en` has the form of a code, but there is no language `app`. */
export function isLanguageCode(text: string): boolean {
  const [, language] = code.exec(text) ?? [];
  return language !== undefined && languages.of(language.toLowerCase()) !== undefined;
}

/** The codes under which MediaWiki and others keep notes about messages, in Android's folders the shorter one: no locales. */
const documentation: ReadonlySet<string> = new Set(["qqq", "qq"]);

/** The BCP 47 code for a code as programs write it: `pt-BR` for `pt_BR`; undefined where there is none. */
export function canonicalCode(text: string): string | undefined {
  if (documentation.has(text)) return undefined;
  if (!/^[a-z]{2,3}(?![A-Za-z0-9])/.test(text)) return undefined;
  try {
    return Intl.getCanonicalLocales(text.replaceAll(/[_@]/g, "-"))[0];
  } catch {
    return undefined;
  }
}
