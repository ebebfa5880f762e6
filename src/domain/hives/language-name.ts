/** The names of languages in English. */
import type { Locale } from "./locale.ts";

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
