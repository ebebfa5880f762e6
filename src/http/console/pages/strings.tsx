/** The strings of a Hive with their translations: search, filters, and editing in place. */
import type { z } from "zod";
import { localeNamed, unknownLocale, type HiveSettings } from "../../../domain/hives/hive-settings.ts";
import { originKinds } from "../../../domain/commits/origin.ts";
import { codeOf, type Locale } from "../../../domain/hives/locale.ts";
import { searchedStates } from "../../../domain/strings/string-search.ts";
import type { WorkState } from "../../../domain/work/work.ts";
import {
  allLocales,
  hiveOutline,
  searchHive,
  type NotedString,
  type NotedStrings,
} from "../../../service/content/string-search.ts";
import { toOffsetLimit } from "../../schemas/page.ts";
import { countOf } from "../parts/facts.tsx";
import { Choice, FilterForm, localeOption, OtherProblems, Switch, TextField } from "../parts/fields.tsx";
import { namedStates } from "../parts/hive-states.ts";
import { hivePage } from "../parts/navigation.ts";
import { languageName } from "../parts/languages.ts";
import { SourceText, TermsInto } from "../glossary/terms.tsx";
import { ShortNote } from "../notes/notes.tsx";
import { Pager } from "../parts/pager.tsx";
import { stringLink } from "../parts/string-link.ts";
import { Clamped, Code, Name, Text, attributeText } from "../parts/text.tsx";
import { Editing, OriginMark, rowId, StateMark, StoredFindings, Waiting } from "../parts/translation.tsx";
import { WordDiff } from "../parts/word-diff.tsx";
import { stringsQuery, toSearch } from "./list-filters.ts";
import { readFiltered, type Filtered } from "../requests/form-state.ts";
import type { LinkQuery } from "../requests/links.ts";
import type { HiveRequest, PageRoute, View } from "../requests/page.ts";

const perPage = 50;
/** How many files are suggested. */
const maxFiles = 500;

/** The content of the page. */
interface Listed extends NotedStrings {
  readonly page: number;
  /** The filters as query parameters. */
  readonly list: LinkQuery;
  readonly isFiltered: boolean;
  /** The number of results in all locales, if this search has none. */
  readonly elsewhere: number;
}

async function show(request: HiveRequest): Promise<View> {
  const { storage, branch, query, canTranslate } = request;
  const { settings, files } = await hiveOutline(storage, branch);
  const named = typeof query.locale === "string" ? query.locale : undefined;
  const shown = shownLocales(settings, named, canTranslate);
  const isKnown = named === undefined || named === allLocales || localeNamed(settings, named) !== undefined;
  const filtered = await readFiltered(stringsQuery, query, (filters) => {
    if (!isKnown) throw unknownLocale(settings, named);
    return search(request, shown, filters);
  });
  const { problems, result } = filtered;
  const states = await namedStates(request);
  const page = hivePage(
    request,
    "Strings",
    <>
      <Filters
        request={request}
        settings={settings}
        filtered={filtered}
        shown={shown}
        {...{ files, states }}
      />
      <div id="found">
        <OtherProblems
          state={filtered}
          fields={["q", "exact", "locale", "state", "origin", "file", "since", "tag"]}
        />
        {result === undefined ? (
          <p class="count">{problems.size > 0 && "Nothing is listed until the filters can be used."}</p>
        ) : (
          <Found request={request} settings={settings} shown={shown} result={result} />
        )}
      </div>
    </>,
  );
  return { ...page, status: result === undefined ? 422 : undefined };
}

/** The searched locales: all, one, or only the source. */
type Shown = typeof allLocales | Locale | undefined;

/** The locale that is named, or else the first that the token may write, or else the first one. */
function shownLocales(
  settings: HiveSettings,
  named: string | undefined,
  canTranslate: HiveRequest["canTranslate"],
): Shown {
  if (named === allLocales) return allLocales;
  const { targetLocales } = settings;
  const first = targetLocales.find(canTranslate) ?? targetLocales[0];
  const locale = (named === undefined ? undefined : localeNamed(settings, named)) ?? first;
  return locale?.code === settings.sourceLocale.code ? undefined : locale;
}

/** The locale of a search as a query parameter. */
function codeShown(shown: Shown): string | undefined {
  return typeof shown === "object" ? codeOf(shown) : shown;
}

async function search(
  { storage, branch, signal }: HiveRequest,
  shown: Shown,
  { page, exact, q: text, locale: named, tag, ...filter }: z.output<typeof stringsQuery>,
): Promise<Listed> {
  const paging = { page, per_page: perPage };
  const wanted = { ...toSearch({ exact, q: text, tag, ...filter }), signal, locale: codeShown(shown) };
  const result = await searchHive(storage, branch, { ...wanted, ...toOffsetLimit(paging) });
  const isFiltered = [text, tag, ...Object.values(filter)].some((value) => value !== undefined);
  const isNowhere = result.total === 0 && isFiltered && shown !== allLocales;
  const elsewhere = isNowhere
    ? (await searchHive(storage, branch, { ...wanted, locale: allLocales, offset: 0, limit: 0 })).total
    : 0;
  return {
    ...result,
    page,
    list: { ...filter, tag, exact, q: text, locale: named ?? codeShown(shown) },
    isFiltered,
    elsewhere,
  };
}

function Filters({
  request,
  settings: { sourceLocale, targetLocales },
  filtered,
  shown,
  files,
  states,
}: {
  readonly request: HiveRequest;
  readonly settings: HiveSettings;
  readonly filtered: Filtered<unknown>;
  readonly shown: Shown;
  readonly files: readonly string[];
  readonly states: readonly string[];
}) {
  return (
    <FilterForm request={request} page="strings" live="found">
      <TextField label="Search in keys and texts" name="q" type="search" class="wide" state={filtered} />
      <Choice
        label="Locale"
        name="locale"
        state={{ ...filtered, values: { locale: codeShown(shown) ?? codeOf(sourceLocale) } }}
        options={[
          ...targetLocales.map(localeOption),
          ...(targetLocales.length > 1 ? [[allLocales, "All locales"] as const] : []),
          [codeOf(sourceLocale), `Only ${languageName(sourceLocale)}, the source`],
        ]}
      />
      <Choice
        label="State"
        name="state"
        all="All"
        state={filtered}
        options={searchedStates.map((state) => [state, state])}
      />
      <Choice
        label="Written by"
        name="origin"
        all="All"
        state={filtered}
        options={originKinds.map((kind) => [kind, `a ${kind}`])}
      />
      <TextField label="File" name="file" state={filtered} options={files.slice(0, maxFiles)} />
      <TextField
        label="Changed since"
        name="since"
        state={filtered}
        placeholder="a tag or date"
        options={states}
        isWhole
      />
      {/* Tags are links; this field is there to take the filter away. */}
      {filtered.values["tag"] !== undefined && <TextField label="Tag" name="tag" state={filtered} isWhole />}
      <Switch label="Exactly" name="exact" state={filtered} />
      <button>Show</button>
    </FilterForm>
  );
}

function Found({
  request,
  settings,
  shown,
  result: { strings, total, page, list, isFiltered, elsewhere },
}: {
  readonly request: HiveRequest;
  readonly settings: HiveSettings;
  readonly shown: Shown;
  readonly result: Listed;
}) {
  const { hiveLink, canWrite, canTranslate } = request;
  const back = { ...list, page: page === 1 ? undefined : page };
  return (
    <>
      {total > 0 && typeof shown === "object" && canTranslate(shown) && (
        <p class="count">
          <a href={hiveLink(["translate", codeOf(shown)], queueOf(list))}>Translate one by one</a>
        </p>
      )}
      <p class="count" role="status">
        {total === 0 ? "No string" : countOf(total, "string")}
        {isFiltered && " found"}
      </p>
      {total === 0 && isFiltered && (
        <p class="actions">
          {elsewhere > 0 && (
            <a class="button" href={hiveLink(["strings"], { ...list, locale: allLocales })}>
              All locales: {countOf(elsewhere, "string")}
            </a>
          )}
          <a class="button" href={hiveLink(["strings"], { locale: list.locale })}>
            Clear the filters
          </a>
        </p>
      )}
      {canWrite && typeof shown === "object" && !canTranslate(shown) && (
        <p class="count">This token may write other locales, but not {languageName(shown)}.</p>
      )}
      <ol class="strings">
        {strings.map((string) => (
          <Row
            request={request}
            settings={settings}
            shown={shown}
            string={string}
            back={back}
            isFiltered={isFiltered}
          />
        ))}
      </ol>
      <Pager
        paging={{ page, per_page: perPage }}
        total={total}
        to={(other) => hiveLink(["strings"], { ...list, page: other })}
      />
    </>
  );
}

/** The filters of the queue of work that are like those of a list. */
function queueOf({ state, file, tag, q }: LinkQuery): LinkQuery {
  const states: Readonly<Record<string, WorkState>> = {
    missing: "missing",
    stale: "stale",
    failing: "failing",
    waiting: "review",
  };
  return { want: states[String(state)], file, tag, q };
}

function Row({
  request,
  settings: { sourceLocale, targetLocales },
  shown,
  string,
  back,
  isFiltered,
}: {
  readonly request: HiveRequest;
  readonly settings: HiveSettings;
  readonly shown: Shown;
  readonly string: NotedString;
  readonly back: LinkQuery;
  readonly isFiltered: boolean;
}) {
  const { file, key, source } = string;
  const one = typeof shown === "object" ? shown : undefined;
  const href = stringLink(request.hiveLink, file, key, {
    locale: one && codeOf(one),
    // Its page leads to the strings beside it in this list.
    back: isFiltered ? JSON.stringify(back) : undefined,
  });
  const needle = back.exact === undefined && typeof back.q === "string" ? back.q : undefined;
  // With a single locale, a changed source text is shown with its difference.
  const former = one && string.translations[0]?.translatedFrom;
  return (
    <li class="string" id={rowId(string)}>
      <p class="where">
        <a href={href} title={attributeText(key)}>
          <Code name={key} needle={needle} />
        </a>{" "}
        <a
          class="file"
          href={request.hiveLink(["strings"], { ...back, file, page: undefined })}
          title={attributeText(file)}
        >
          <Name name={file} />
        </a>
      </p>
      <div class="source">
        <Clamped texts={[source, former]} all={href}>
          {former === undefined && needle === undefined ? (
            <SourceText string={string} lang={sourceLocale.code} isInList />
          ) : former === undefined ? (
            <Text text={source} lang={sourceLocale.code} needle={needle} />
          ) : (
            <WordDiff before={former} after={source} lang={sourceLocale.code} />
          )}
        </Clamped>
        <ShortNote hiveLink={request.hiveLink} notes={string.notes} />
      </div>
      {string.translations.map((translation) => {
        const locale = targetLocales.find(({ code }) => code === translation.locale);
        if (locale === undefined) return null;
        const { state, text, origin } = translation;
        return (
          <div class="target">
            {one === undefined && <span class="soft small">{languageName(locale)}</span>}{" "}
            {state !== "translated" && <StateMark state={state} />}{" "}
            {origin !== "person" && (
              <OriginMark
                origin={origin}
                href={request.hiveLink(["strings"], { locale: codeOf(locale), origin })}
              />
            )}
            {text !== undefined && (
              <Clamped texts={[text]} all={href}>
                <Text text={text} lang={locale.code} needle={needle} />
              </Clamped>
            )}
            <StoredFindings request={request} shown={{ string, locale, translation }} back={back} />
            <Waiting request={request} shown={{ string, locale, translation }} back={back} />
            <Editing
              request={request}
              shown={{ string, locale, translation }}
              back={back}
              terms={<TermsInto found={string.terms} locale={locale} lang={sourceLocale.code} style="" />}
            />
          </div>
        );
      })}
    </li>
  );
}

export const stringsPages: readonly PageRoute[] = [
  { kind: "hive", path: "/hives/:slug/strings", isSlow: true, handler: show },
];
