/** The locales of the world: their English names, regions and popularity. */

/** Data from CLDR, the Unicode consortium's locale data. */
export interface LocaleData {
  readonly codes: readonly string[];
  /** The locales that software is commonly translated into: CLDR's coverage level `modern`. */
  readonly covered: readonly string[];
  readonly speakers: readonly Speakers[];
  /** The scripts that are written from right to left, by their codes in ISO 15924. */
  readonly rightToLeft: ReadonlySet<string>;
  /** The countries that ISO 3166 has assigned a code. */
  readonly countries: ReadonlySet<string>;
}

export interface Speakers {
  /** A language, with a script where it has several. */
  readonly language: string;
  readonly region: string;
  readonly people: number;
  /** Whether it is an official language of the whole region, by law or in fact. */
  readonly isOfficial: boolean;
}

export interface WorldLocale {
  readonly code: string;
  /** In English. */
  readonly name: string;
  /** The country in the code, as ISO 3166 has it; empty when there is none. */
  readonly region: string;
  readonly isRightToLeft: boolean;
  readonly isPopular: boolean;
}

const popularFrom = 5_000_000;

/**
 * All locales with data in CLDR and an English name in `Intl`, in byte order of their codes, including the usual short
 * codes such as `zh-TW`, in which the region implies the script.
 *
 * A locale is popular if at least five million people use it and software is commonly translated into it. It is a
 * language (with its script), or an official language of the region that a code names.
 */
export function worldLocales(data: LocaleData): readonly WorldLocale[] {
  const names = new Intl.DisplayNames("en", {
    type: "language",
    languageDisplay: "standard",
    fallback: "none",
  });
  const popular = popularCodes(data);
  const locales = Array.from(allCodes(data.codes)).flatMap((code): WorldLocale[] => {
    const name = names.of(code);
    if (name === undefined) return [];
    const locale = new Intl.Locale(code);
    const region = locale.region !== undefined && data.countries.has(locale.region) ? locale.region : "";
    const isRightToLeft = data.rightToLeft.has(locale.maximize().script ?? "");
    return [{ code, name, region, isRightToLeft, isPopular: popular.has(code) }];
  });
  return locales.toSorted((a, b) => (a.code < b.code ? -1 : 1));
}

function allCodes(given: readonly string[]): ReadonlySet<string> {
  const codes = new Set<string>();
  for (const code of Intl.getCanonicalLocales([...given])) {
    const { language, script, region, baseName } = new Intl.Locale(code);
    codes.add(code);
    if (script === undefined || region === undefined || baseName !== `${language}-${script}-${region}`)
      continue;
    const short = new Intl.Locale(`${language}-${region}`);
    if (short.maximize().script === script) codes.add(short.baseName);
  }
  return codes;
}

/** The codes of language, of language and script, and of language and region that are popular. */
function popularCodes({ covered, speakers }: LocaleData): ReadonlySet<string> {
  const coveredLanguages = new Set(covered.map(writtenLanguage));
  const people = new Map<string, number>();
  const add = (code: string, more: number): void => void people.set(code, (people.get(code) ?? 0) + more);
  for (const { language: given, region, people: count, isOfficial } of speakers) {
    const written = writtenLanguage(given);
    if (!coveredLanguages.has(written)) continue;
    const { language } = new Intl.Locale(given);
    add(written, count);
    if (writtenLanguage(language) === written) add(language, count);
    if (isOfficial && writtenLanguage(`${language}-${region}`) === written)
      add(`${language}-${region}`, count);
  }
  return new Set([...people].filter(([, count]) => count >= popularFrom).map(([code]) => code));
}

/** A language and the script that it is written in, which may follow from the region. */
function writtenLanguage(code: string): string {
  const { language, script } = new Intl.Locale(code).maximize();
  return `${language}-${script}`;
}
