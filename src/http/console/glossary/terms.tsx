/** Terms of a glossary: their translations into a locale, and the terms of a string, which are marked in its source texts. */
import type { SyntaxName } from "../../../domain/checks/syntax-names.ts";
import { isKept, localeOfTerm, type Term } from "../../../domain/glossary/term.ts";
import { afterChoice, beforeChoice, splitText } from "../../../domain/glossary/branches.ts";
import { partsOf, termsBetween } from "../../../domain/glossary/text-parts.ts";
import type { FoundTerm } from "../../../domain/glossary/term-index.ts";
import type { Locale } from "../../../domain/hives/locale.ts";
import { directionOf } from "../parts/languages.ts";
import { Code, readsRightToLeft, maxShown, Name, Text, textContent, maxOnOwnPage } from "../parts/text.tsx";
import { useHive } from "../requests/context.tsx";
import { comma, languageName, t, type TextKey } from "../texts/texts.ts";
import type { Child } from "hono/jsx";
import { isPlural } from "../../../domain/text.ts";
import type { StringInAllLocales } from "../../../service/content/string-search.ts";

/**
 * What the glossary says of a term in a locale: its translation, and accepted and forbidden ones; those that it inherits where it
 * has none, marked as such.
 */
export function TermTranslation(props: { term: Term; locale: Locale; needle?: string }) {
  const { term, locale, needle } = props;
  const from = useTermLocale(term, locale);
  const { code } = from;
  const { text, accepted = [], forbidden = [] } = term.translations.get(code) ?? {};
  const listed = (spellings: readonly string[]) =>
    spellings.map((spelling, i) => (
      <>
        {i > 0 && comma()}
        <Text text={spelling} lang={code} needle={needle} />
      </>
    ));
  return (
    <>
      {isKept(term, code) && <span class="hint">{t("terms.stays_as_it_is")}</span>}
      {text !== undefined && <Text text={text} lang={code} needle={needle} />}
      {accepted.length > 0 && <span class="hint"> {t("terms.also", { listed: listed(accepted) })}</span>}
      {forbidden.length > 0 && <span class="hint"> {t("terms.not", { listed: listed(forbidden) })}</span>}
      {from !== locale && <span class="hint"> {t("terms.inherited", { locale: languageName(from) })}</span>}
    </>
  );
}

/** See {@link localeOfTerm}. */
function useTermLocale(term: Term, locale: Locale): Locale {
  const { settings } = useHive();
  return settings === undefined ? locale : localeOfTerm(term, locale, settings);
}

/** The part of speech and the meaning of a term, where it has them. */
export function TermMeaning({ term: { partOfSpeech, meaning }, needle }: { term: Term; needle?: string }) {
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

/**
 * A text in which arguments are marked, and terms, each a link to what {@link TermsOf} lists of it. A long text is shown as
 * it is.
 * @param props.syntax how its arguments are written.
 * @param props.terms of a source text.
 * @param props.limit how many characters of it are shown.
 * @param props.isInList whether the page has no such list of its terms, so that they are no links.
 */
export function MarkedText(props: {
  text: string;
  syntax: SyntaxName;
  terms?: readonly FoundTerm[];
  lang: string;
  limit?: number;
  isInList?: boolean;
}) {
  const { text: whole, syntax, terms = [], lang, limit, isInList = false } = props;
  if (whole === "" || whole.length > maxShown) return <Text text={whole} lang={lang} limit={limit} />;
  const showing = { isRightToLeft: readsRightToLeft(whole, lang) };
  return (
    <span class="text" dir={directionOf(lang)} lang={lang}>
      {partsOf(syntax, whole, terms).map(({ text, argument, terms: [term] = [] }) => {
        if (argument !== undefined)
          return (
            <code class="argument" dir="ltr" translate="no">
              {textContent(text)}
            </code>
          );
        const content = textContent(text, maxShown, showing);
        if (term === undefined) return content;
        if (isInList) return <span class="term">{content}</span>;
        return (
          <a class="term" href={`#${termAnchor(term)}`}>
            {content}
          </a>
        );
      })}
    </span>
  );
}

/**
 * A text as {@link MarkedText} shows it; a message that chooses among forms by these, each behind its name.
 * @param props.needle what is marked in place of arguments and terms.
 */
export function BranchedText(props: Parameters<typeof MarkedText>[0] & { needle?: string }) {
  const { needle, ...marked } = props;
  const { text, syntax, terms = [], lang } = marked;
  const split = text.length > maxShown ? undefined : splitText(syntax, text);
  const shown = (part: string, own: readonly FoundTerm[]): Child =>
    needle === undefined ? (
      <MarkedText {...marked} text={part} terms={own} />
    ) : (
      <Text text={part} lang={lang} needle={needle} />
    );
  if (split === undefined) return <>{shown(text, terms)}</>;
  return (
    <dl class="branches">
      {[...split.ranges].flatMap(([name, range]) => {
        const part = text.slice(...range);
        const around = aroundChoice.get(name);
        // Nothing is said around most choices; a branch is a form also where it is empty.
        if (around !== undefined && part.trim() === "") return [];
        return [
          <div>
            <dt>{around === undefined ? <Code name={name} /> : t(around)}</dt>
            <dd>{shown(part, termsBetween(terms, range))}</dd>
          </div>,
        ];
      })}
    </dl>
  );
}

const aroundChoice = new Map<string, TextKey>([
  [beforeChoice, "branches-of-text.before"],
  [afterChoice, "branches-of-text.after"],
]);

function termAnchor({ id }: Term): string {
  return `term-${id}`;
}

/**
 * The terms of a source text, with their meanings and with what the glossary says of them in locales.
 * @param props.locales the locales of the Hive.
 */
export function TermsOf(props: { found: readonly FoundTerm[]; lang: string; locales: readonly Locale[] }) {
  const { found, lang, locales } = props;
  if (found.length === 0) return null;
  return (
    <ul class="terms" aria-label={t("common.terms")}>
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
function TermTranslations({ term, locales }: { term: Term; locales: readonly Locale[] }) {
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
        {t("terms.in_languages", { locales: locales.length })}
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
function isKnown(term: Term, locale: Locale): boolean {
  const { code } = useTermLocale(term, locale);
  return isKept(term, code) || term.translations.has(code);
}

/** What the glossary says in a locale of the terms of a source text, and the style of that locale where it is written. */
export function TermsInto(props: {
  found: readonly FoundTerm[];
  locale: Locale;
  lang: string;
  /** Empty where it is not to be shown. */
  style: string;
}) {
  const { found, locale, lang, style } = props;
  const terms = eachOnce(found).filter((term) => isKnown(term, locale));
  return (
    <>
      {terms.length > 0 && (
        <ul class="terms" aria-label={t("terms.terms_in", { locale: languageName(locale) })}>
          {terms.map((term) => (
            <li>
              <Text text={term.source} lang={lang} /> · <TermTranslation term={term} locale={locale} />
            </li>
          ))}
        </ul>
      )}
      {style !== "" && (
        <details class="aside-text">
          <summary>{t("common.style_of", { locale: languageName(locale) })}</summary>
          <Text text={style} />
        </details>
      )}
    </>
  );
}

function sourceLead(string: StringInAllLocales, start = 0, end = string.source.length): Child {
  const { source, syntax, terms, settings } = string;
  return (
    <div class="source lead">
      <BranchedText
        text={source.slice(start, end)}
        syntax={syntax}
        terms={termsBetween(terms, [start, end])}
        lang={settings.sourceLocale.code}
        limit={maxOnOwnPage}
      />
    </div>
  );
}

/** The source texts: of a plural string one for each form; a text that holds all forms is split into them. */
export function Sources({ strings, shown }: { strings: readonly StringInAllLocales[]; shown: string }) {
  const [only] = strings;
  if (only !== undefined && only.forms.length === 0) {
    let start = 0;
    return (isPlural(only.source) ? only.source.split("|") : [only.source]).map((text) => {
      const end = start + text.length;
      const shownText = sourceLead(only, start, end);
      start = end + 1;
      return shownText;
    });
  }
  return (
    <dl class="forms panel">
      {strings
        .filter(({ key, forms }) => forms.some((form) => form.key === key && form.isOfSource))
        .map((string) => (
          <>
            <dt>
              <FormName string={string} shown={shown} />
            </dt>
            <dd>{sourceLead(string)}</dd>
          </>
        ))}
    </dl>
  );
}

/**
 * The plural form that a string is; nothing for a plain text.
 * @param props.shown the key of the page, whose form stands out.
 */
export function FormName({ string, shown }: { string: StringInAllLocales; shown: string }) {
  const form = string.forms.find(({ key }) => key === string.key);
  if (form === undefined) return null;
  return string.key === shown ? <strong>{form.category}</strong> : <>{form.category}</>;
}
