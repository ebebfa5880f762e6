import type { GivenTermTranslation } from "../../domain/glossary/glossary-plan.ts";
import type { TermInput } from "../../domain/glossary/term-schema.ts";

export type ExchangeTranslation = GivenTermTranslation;

/** A term as files of glossaries have it, with the names of the API. The server judges how it matches. */
export interface ExchangeTerm extends Readonly<Omit<TermInput, "id" | "match" | "translations">> {
  readonly match?: string;
  /** By the code of the locale. */
  readonly translations: Readonly<Record<string, ExchangeTranslation>>;
}

/** The codes of a Hive's locales, under which a file's own are looked up. */
export interface TermLocales {
  readonly source: string;
  readonly targets: readonly string[];
}
