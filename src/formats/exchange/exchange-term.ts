/** A term as files of glossaries have it, with the names of the API. */
export interface ExchangeTerm {
  readonly source: string;
  readonly part_of_speech?: string | null;
  readonly meaning?: string | null;
  readonly case?: boolean;
  readonly match?: string;
  readonly keep?: boolean;
  /** By the code of the locale. */
  readonly translations: Readonly<Record<string, ExchangeTranslation>>;
}

export interface ExchangeTranslation {
  readonly text?: string | null;
  readonly accepted?: readonly string[];
  readonly forbidden?: readonly string[];
  readonly keep?: boolean;
}

/** The codes of a Hive's locales, under which a file's own are looked up. */
export interface TermLocales {
  readonly source: string;
  readonly targets: readonly string[];
}
