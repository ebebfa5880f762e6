/** Terms of a glossary: what it says of them in a locale, and those of a string, which are marked in its source text. */
import type { SyntaxName } from "../../../domain/checks/syntax-names.ts";
import { isKept, type Term } from "../../../domain/glossary/term.ts";
import { partsOf } from "../../../domain/glossary/text-parts.ts";
import type { FoundTerm } from "../../../domain/glossary/term-index.ts";
import type { Locale } from "../../../domain/hives/locale.ts";
import { directionOf, languageName } from "../parts/languages.ts";
import { maxShown, Name, Text, textContent } from "../parts/text.tsx";

/** What the glossary says of a term in a locale. */
export function TermTranslation({
  term,
  locale: { code },
  needle,
}: {
  readonly term: Term;
  readonly locale: Locale;
  readonly needle?: string;
}) {
  const { text, accepted = [], forbidden = [] } = term.translations.get(code) ?? {};
  const listed = (spellings: readonly string[]) =>
    spellings.map((spelling, i) => (
      <>
        {i > 0 && ", "}
        <Text text={spelling} lang={code} needle={needle} />
      </>
    ));
  return (
    <>
      {isKept(term, code) && <span class="hint">stays as it is</span>}
      {text !== undefined && <Text text={text} lang={code} needle={needle} />}
      {accepted.length > 0 && <span class="hint"> also {listed(accepted)}</span>}
      {forbidden.length > 0 && <span class="hint"> · not {listed(forbidden)}</span>}
    </>
  );
}

/** What a term stands for. */
export function TermMeaning({
  term: { partOfSpeech, meaning },
  needle,
}: {
  readonly term: Term;
  readonly needle?: string;
}) {
  return (
    <>
      {partOfSpeech !== undefined && <em>{partOfSpeech}</em>}
      {partOfSpeech !== undefined && meaning !== undefined && " "}
      {meaning !== undefined && <Text text={meaning} needle={needle} />}
    </>
  );
}

/** The terms that were found, each once. */
function eachOnce(found: readonly FoundTerm[]): readonly Term[] {
  return [...new Map(found.flatMap(({ terms }) => terms.map((term) => [term.id, term]))).values()];
}

/** A source text with its terms, and how its arguments are written. */
export interface MarkedSource {
  readonly source: string;
  readonly syntax: SyntaxName;
  readonly terms: readonly FoundTerm[];
}

/**
 * A source text in which arguments are marked, and terms, each a link to what {@link TermsOf} lists of it. A long text is
 * shown as it is.
 * @param props.limit how many characters of it are shown.
 * @param props.isInList whether the page has no such list of its terms, so that they are no links.
 */
export function SourceText({
  string: { source, syntax, terms },
  lang,
  limit,
  isInList = false,
}: {
  readonly string: MarkedSource;
  readonly lang: string;
  readonly limit?: number;
  readonly isInList?: boolean;
}) {
  if (source === "" || source.length > maxShown) return <Text text={source} lang={lang} limit={limit} />;
  return (
    <span class="text" dir={directionOf(lang)} lang={lang}>
      {partsOf(syntax, source, terms).map(({ text, argument, terms: [term] = [] }) => {
        if (argument !== undefined)
          return (
            <code class="argument" translate="no">
              {textContent(text)}
            </code>
          );
        if (term === undefined) return textContent(text);
        if (isInList) return <span class="term">{textContent(text)}</span>;
        return (
          <a class="term" href={`#${termAnchor(term)}`}>
            {textContent(text)}
          </a>
        );
      })}
    </span>
  );
}

function termAnchor({ id }: Term): string {
  return `term-${id}`;
}

/**
 * The terms of a source text, with their meanings and with what the glossary says of them in locales.
 * @param props.locales the locales of the Hive.
 */
export function TermsOf({
  found,
  lang,
  locales,
}: {
  readonly found: readonly FoundTerm[];
  readonly lang: string;
  readonly locales: readonly Locale[];
}) {
  if (found.length === 0) return null;
  return (
    <ul class="terms" aria-label="Terms">
      {eachOnce(found).map((term) => (
        <li id={termAnchor(term)} tabindex={-1}>
          <Text text={term.source} lang={lang} />
          {(term.meaning ?? term.partOfSpeech) !== undefined && " · "}
          <TermMeaning term={term} />
          <TermTranslations term={term} locales={locales.filter((locale) => isKnown(term, locale))} />
        </li>
      ))}
    </ul>
  );
}

/** What the glossary says of a term: of one locale at once, of several when it is opened. */
function TermTranslations({ term, locales }: { readonly term: Term; readonly locales: readonly Locale[] }) {
  const [only] = locales;
  if (only === undefined) return null;
  if (locales.length === 1)
    return (
      <>
        {" · "}
        <TermTranslation term={term} locale={only} />
      </>
    );
  return (
    <details>
      <summary>
        in {locales.length} languages
        <span class="visually-hidden">
          : <Name name={term.source} />
        </span>
      </summary>
      <ul>
        {locales.map((locale) => (
          <li>
            <span class="soft">{languageName(locale)}</span> <TermTranslation term={term} locale={locale} />
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Whether the glossary says anything of a term in a locale. */
function isKnown(term: Term, { code }: Locale): boolean {
  return isKept(term, code) || term.translations.has(code);
}

/** What the glossary says in a locale of the terms of a source text, and the style of that locale where it is written. */
export function TermsInto({
  found,
  locale,
  lang,
  style,
}: {
  readonly found: readonly FoundTerm[];
  readonly locale: Locale;
  /** The language of the source. */
  readonly lang: string;
  /** Empty where it is not to be shown. */
  readonly style: string;
}) {
  const terms = eachOnce(found).filter((term) => isKnown(term, locale));
  return (
    <>
      {terms.length > 0 && (
        <ul class="terms" aria-label={`Terms in ${languageName(locale)}`}>
          {terms.map((term) => (
            <li>
              <Text text={term.source} lang={lang} /> · <TermTranslation term={term} locale={locale} />
            </li>
          ))}
        </ul>
      )}
      {style !== "" && (
        <details class="aside-text">
          <summary>Style of {languageName(locale)}</summary>
          <Text text={style} />
        </details>
      )}
    </>
  );
}
