/** Terms of a glossary: what it says of them in a locale, and those of a string. */
import { isKept, type Term } from "../../../domain/glossary/term.ts";
import type { FoundTerm } from "../../../domain/glossary/term-index.ts";
import type { Locale } from "../../../domain/hives/locale.ts";
import { languageName } from "../parts/languages.ts";
import { Text } from "../parts/text.tsx";

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
  return [...new Set(found.flatMap(({ terms }) => terms))];
}

/** The terms of a source text, with their meanings. */
export function TermsOf({ found, lang }: { readonly found: readonly FoundTerm[]; readonly lang: string }) {
  if (found.length === 0) return null;
  return (
    <ul class="terms" aria-label="Terms">
      {eachOnce(found).map((term) => (
        <li>
          <Text text={term.source} lang={lang} />
          {(term.meaning ?? term.partOfSpeech) !== undefined && " · "}
          <TermMeaning term={term} />
        </li>
      ))}
    </ul>
  );
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
  const terms = eachOnce(found).filter(
    (term) => isKept(term, locale.code) || term.translations.has(locale.code),
  );
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
