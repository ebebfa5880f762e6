/** The terms of a glossary: which words of the source texts are translated how. */
import type { z } from "zod";
import { ancestorsOf, type HiveSettings } from "../hives/hive-settings.ts";
import type { Locale } from "../hives/locale.ts";
import type { Decoded } from "../json-codec.ts";
import type { termSchema, translationSchema } from "./term-schema.ts";

export type TermTranslation = Decoded<z.output<typeof translationSchema>>;

/** A term as it is stored, with the translations by the stored code of their locale. Two may have one spelling. */
export interface Term extends Decoded<Omit<z.output<typeof termSchema>, "translations">> {
  readonly translations: ReadonlyMap<string, TermTranslation>;
}

/** The terms of one Hive, in the order of their spellings. */
export type Glossary = readonly Term[];

export const noTerms: Glossary = [];

/** How many terms a Hive may have. */
export const maxTerms = 20_000;
/** How large the stored glossary of a Hive may be, in bytes. */
export const maxGlossaryBytes = 8 * 1024 * 1024;

/** Orders terms by their source and then their id, for `sort`. */
export function compareTerms(a: Term, b: Term): number {
  if (a.source !== b.source) return a.source < b.source ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}

/** Whether a term stays in a locale as it is in the source. */
export function isKept({ keep, translations }: Term, locale: string): boolean {
  return keep || translations.get(locale)?.keep === true;
}

/** The locale whose translation of a term counts in a locale: it, or the nearest that it inherits from and that has one. */
export function localeOfTerm(term: Term, locale: Locale, settings: HiveSettings): Locale {
  const having = [locale, ...ancestorsOf(settings, locale)].find(({ code }) => term.translations.has(code));
  return having ?? locale;
}

/** All spellings that are right in a locale; none where the glossary does not say. */
export function spellingsOf(term: Term, locale: string): readonly string[] {
  const { text, accepted = [] } = term.translations.get(locale) ?? {};
  return [...(isKept(term, locale) ? [term.source] : []), ...(text === undefined ? [] : [text]), ...accepted];
}
