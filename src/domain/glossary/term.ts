/** The terms of a glossary: which words of the source texts are translated how. */
import { unprintable } from "../text.ts";

/**
 * Where a spelling is found: as whole words; at the beginning of words too, whose ends may be inflected; or letter for
 * letter, upper and lower case as they are written.
 */
export const matchKinds = ["word", "prefix", "exact"] as const;
export type MatchKind = (typeof matchKinds)[number];

export interface TermTranslation {
  /** The spelling to use; undefined where only others are forbidden or the term is kept. */
  readonly text?: string;
  /** Other spellings that are right. */
  readonly accepted: readonly string[];
  readonly forbidden: readonly string[];
  /** Whether the term stays as it is in the source. */
  readonly keep: boolean;
}

export interface Term {
  readonly id: string;
  /** Two terms may have one spelling and two meanings. */
  readonly source: string;
  readonly partOfSpeech?: string;
  readonly meaning?: string;
  /** Whether upper and lower case make a difference. */
  readonly case: boolean;
  readonly match: MatchKind;
  readonly keep: boolean;
  /** By the stored code of the locale. */
  readonly translations: ReadonlyMap<string, TermTranslation>;
}

/** The terms of one Hive, in the order of their spellings. */
export type Glossary = readonly Term[];

export const noTerms: Glossary = [];

/** How many terms a Hive may have, and how long their members may be, in units of UTF-16. */
export const maxTerms = 20_000;
export const maxSpelling = 200;
export const maxSpellings = 20;
export const maxMeaning = 1_000;
export const maxPartOfSpeech = 50;
export const maxTermId = 40;
/** How large the stored glossary of a Hive may be, in bytes. */
export const maxGlossaryBytes = 8 * 1024 * 1024;

export const termIdPattern = /^[a-z0-9]+$/;

/** Why a text can be no member of a term; undefined when it can. */
export function spellingProblem(text: string): string | undefined {
  if (text.trim() === "") return "must not be empty";
  if (!text.isWellFormed()) return "must not contain a lone surrogate (half of a UTF-16 pair)";
  if (text.search(unprintable) !== -1) return "must not contain control or format characters";
  return undefined;
}

/** A spelling as it is stored: without outer blanks, in NFC. */
export function toSpelling(text: string): string {
  return text.trim().normalize("NFC");
}

/** Orders terms by their source and then their id, for `sort`. */
export function compareTerms(a: Term, b: Term): number {
  if (a.source !== b.source) return a.source < b.source ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}

/** Whether a term stays in a locale as it is in the source. */
export function isKept({ keep, translations }: Term, locale: string): boolean {
  return keep || translations.get(locale)?.keep === true;
}

/** All spellings that are right in a locale; none where the glossary does not say. */
export function spellingsOf(term: Term, locale: string): readonly string[] {
  const { text, accepted = [] } = term.translations.get(locale) ?? {};
  return [...(isKept(term, locale) ? [term.source] : []), ...(text === undefined ? [] : [text]), ...accepted];
}
