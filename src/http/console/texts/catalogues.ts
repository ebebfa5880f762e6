/**
 * The languages of the pages, and their catalogues: JSON files of texts by key, as an app has them, so that a Hive can hold
 * them. Plurals have the ending of their CLDR category, such as `_one` and `_other`.
 */
import Negotiator from "negotiator";
import { pseudoText } from "../../../domain/export/pseudo-text.ts";
import { pseudoLocales } from "../../../domain/export/pseudo-locales.ts";
import english from "./en.json" with { type: "json" };

/** The texts of one language by their keys. */
export type Texts = Readonly<Record<string, string>>;

/** A language that a person can choose. */
export interface PageLanguage {
  /** Its BCP 47 code. */
  readonly code: string;
  /** Its name in itself. */
  readonly name: string;
  /** What stands between the members of a list where it is not the comma of English. */
  readonly comma?: string;
  /** Reads its catalogue. Missing for English, which is always there. */
  readonly load?: () => Promise<Texts>;
}

const source: PageLanguage = { code: "en", name: "English" };

/** All of them, in the order of their names. */
export const pageLanguages: readonly PageLanguage[] = [
  source,
  {
    code: "de",
    name: "Deutsch",
    load: async () => (await import("./de.json", { with: { type: "json" } })).default,
  },
  {
    code: "es",
    name: "Español",
    load: async () => (await import("./es.json", { with: { type: "json" } })).default,
  },
  {
    code: "fr",
    name: "Français",
    load: async () => (await import("./fr.json", { with: { type: "json" } })).default,
  },
  {
    code: "ar",
    name: "العربية",
    comma: "، ",
    load: async () => (await import("./ar.json", { with: { type: "json" } })).default,
  },
  {
    code: "ja",
    name: "日本語",
    comma: "、",
    load: async () => (await import("./ja.json", { with: { type: "json" } })).default,
  },
];

/**
 * Computed from the English texts, longer and with accents, to see that no text is left out and that pages stand with such
 * texts. The second one turns the page round, and not the letters of its texts: pages show characters that do that by their
 * numbers.
 */
const pseudoLanguages: readonly PageLanguage[] = pseudoLocales.map(({ code }) => ({
  code,
  name: code,
  load: async () => {
    const made = Object.entries(english).map(([key, text]): [string, string] => [
      key,
      pseudoText("accents", "brace", text, () => true),
    ]);
    return Object.fromEntries(made);
  },
}));

/** A catalogue with what else the language of a page decides. */
export interface Catalogue {
  readonly language: PageLanguage;
  readonly texts: Texts;
  readonly plurals: Intl.PluralRules;
}

/** The catalogue of pages for which no language is known. */
export const sourceCatalogue: Catalogue = {
  language: source,
  texts: english,
  plurals: new Intl.PluralRules(source.code),
};

/** What was read, by code; a failure is not kept. */
const catalogues = new Map<string, Promise<Catalogue>>();

/** The language of a code, which may be of a pseudo-locale; undefined for another code. */
function pageLanguage(code: string): PageLanguage | undefined {
  return [...pageLanguages, ...pseudoLanguages].find((language) => language.code === code);
}

/** Reads the catalogue of a language, once in a process. */
export function catalogueOf(language: PageLanguage): Promise<Catalogue> {
  const { code, load } = language;
  if (load === undefined) return Promise.resolve(sourceCatalogue);
  const known = catalogues.get(code);
  if (known !== undefined) return known;
  const read = load().then((texts) => ({ language, texts, plurals: new Intl.PluralRules(code) }));
  catalogues.set(code, read);
  read.catch(() => catalogues.delete(code));
  return read;
}

/** How much of a header is looked at. */
const maxAccepted = 200;

/** The languages that a browser accepts, the most wanted first. @param header `Accept-Language`. */
export function acceptedLanguages(header: string | null): readonly string[] {
  const negotiator = new Negotiator({ headers: { "accept-language": header?.slice(0, maxAccepted) } });
  return negotiator.languages().filter((code) => code !== "*");
}

/**
 * The language of a page.
 * @param chosen by the reader; a code that is unknown counts as none.
 * @param accepted by the browser, the most wanted first.
 */
export function languageFor(chosen: string | undefined, accepted: readonly string[]): PageLanguage {
  const own = chosen === undefined ? undefined : pageLanguage(chosen);
  if (own !== undefined) return own;
  for (const code of accepted) {
    const exact = pageLanguage(code);
    if (exact !== undefined) return exact;
    const [language = ""] = code.toLowerCase().split("-");
    const near = pageLanguages.find((other) => other.code === language);
    if (near !== undefined) return near;
  }
  return source;
}
