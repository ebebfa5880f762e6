/** The rule of a locale, as requests give and answers show it. */
import type { z } from "zod";
import type { localeRuleChange } from "../../api/locales.ts";
import type { Locale } from "../../domain/hives/locale.ts";
import { jobWants, usualRuleWant, type LocaleRule } from "../../domain/hives/locale-rule.ts";

/** A locale in an answer. */
export function toLocaleAnswer(locale: Locale) {
  return { ...locale, twoPeople: locale.twoPeople ?? false, auto: shownRule(locale) };
}

function shownRule({ auto }: Locale) {
  if (auto === undefined) return null;
  const { engine, want, branches = false, review = null } = auto;
  return { engine, want: [...want], branches, review };
}

/** The rule that a request gives; null where that ends it. */
export function toRule(given: z.output<typeof localeRuleChange>): LocaleRule | null {
  const { engine, want = [], branches, review } = given;
  if (engine === null) return null;
  return {
    engine,
    want: want.length === 0 ? usualRuleWant : jobWants.filter((state) => want.includes(state)),
    ...(branches === true && { branches }),
    ...(review && { review }),
  };
}
