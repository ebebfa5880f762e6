/** The strings of a Hive with their translations into one locale: searched, filtered, and changed in place. */
import { Choice, Filters, localeOption, TextField } from "../parts/filters.tsx";
import { z } from "zod";
import { localeNamed, type HiveSettings } from "../../../domain/hives/hive-settings.ts";
import { codeOf, type Locale } from "../../../domain/hives/locale.ts";
import { searchedStates, type FoundString } from "../../../domain/strings/string-search.ts";
import { hiveSettings, searchHive } from "../../../service/content/string-search.ts";
import { toMeta, toOffsetLimit } from "../../schemas/page.ts";
import { asRevision, check, once, pageQuery } from "../../schemas/schemas.ts";
import { hiveSteps } from "../parts/hive-steps.ts";
import { languageName } from "../parts/languages.ts";
import { Pager } from "../parts/pager.tsx";
import { figure } from "../parts/progress.tsx";
import { stringLink } from "../parts/string-link.ts";
import { Code, Name, Text } from "../parts/text.tsx";
import { doneNotice, EditForm, rowId, StateBadge, Translation } from "../parts/translation.tsx";
import { WordDiff } from "../parts/word-diff.tsx";
import type { HiveRequest, PageRoute, View } from "../requests/page.ts";

const perPage = 50;

/** What the address of the list may say. */
export const stringsQuery = pageQuery.pick({ page: true }).extend({
  locale: once,
  q: once,
  state: z.enum(searchedStates, `must be ${searchedStates.join(", ")}`).optional(),
  file: once,
  since: once.meta(asRevision),
  done: once,
});

async function show(request: HiveRequest): Promise<View> {
  const { storage, branch, hiveLink, query, signal, canWrite, canTranslate } = request;
  const { page, done, ...filter } = check(stringsQuery, query, "query");
  const settings = await hiveSettings(storage, branch);
  const locale = shownLocale(settings, filter.locale, canTranslate);
  const asked = { page, per_page: perPage };
  const { strings, total } = await searchHive(storage, branch, {
    text: filter.q,
    state: filter.state,
    file: filter.file,
    since: filter.since,
    locale: locale && codeOf(locale),
    ...toOffsetLimit(asked),
    signal,
  });
  const isFiltered = [filter.q, filter.state, filter.file, filter.since].some((value) => value !== undefined);
  const list = { ...filter, locale: filter.locale ?? (locale && codeOf(locale)) };
  const notice = doneNotice(done);
  return {
    title: "Strings",
    above: hiveSteps(request),
    tab: { name: "Strings", hiveLink },
    notice,
    body: (
      <>
        <FilterForm request={request} settings={settings} filter={list} />
        <div id="found">
          <p class="count" role="status">
            {total === 0 ? "No string" : `${figure(total)} ${total === 1 ? "string" : "strings"}`}
            {isFiltered && " found"}
          </p>
          {canWrite && locale !== undefined && !canTranslate(locale) && (
            <p class="count">This token may write other locales, but not {languageName(locale)}.</p>
          )}
          <ol class="strings">
            {strings.map((found) => (
              <Row
                request={request}
                source={settings.sourceLocale}
                locale={locale}
                found={found}
                back={{ ...list, page: page === 1 ? undefined : String(page) }}
              />
            ))}
          </ol>
          <Pager
            meta={toMeta(asked, total)}
            to={(other) => hiveLink(["strings"], { ...list, page: other })}
          />
        </div>
      </>
    ),
  };
}

/**
 * The locale whose translations are shown: unless one is named, the first that the token may write, or the first of all;
 * none for the source alone.
 */
function shownLocale(
  settings: HiveSettings,
  named: string | undefined,
  canTranslate: HiveRequest["canTranslate"],
): Locale | undefined {
  const { targetLocales } = settings;
  const first = targetLocales.find(canTranslate) ?? targetLocales[0];
  if (named === undefined) return first;
  const locale = localeNamed(settings, named) ?? first;
  return locale?.code === settings.sourceLocale.code ? undefined : locale;
}

type Filter = Omit<z.output<typeof stringsQuery>, "page" | "done">;

function FilterForm({
  request,
  settings,
  filter,
}: {
  readonly request: HiveRequest;
  readonly settings: HiveSettings;
  readonly filter: Filter;
}) {
  const { sourceLocale, targetLocales } = settings;
  return (
    <Filters request={request} page="strings" live="found">
      <label class="wide">
        Search in keys and texts
        <input type="search" name="q" value={filter.q ?? ""} spellcheck={false} />
      </label>
      <Choice
        label="Locale"
        name="locale"
        options={[
          ...targetLocales.map(localeOption),
          [codeOf(sourceLocale), `Only ${languageName(sourceLocale)}, the source`],
        ]}
        chosen={filter.locale}
      />
      <Choice
        label="State"
        name="state"
        all="All"
        options={searchedStates.map((state) => [state, state])}
        chosen={filter.state}
      />
      <TextField label="File" name="file" value={filter.file} />
      <TextField label="Changed since" name="since" value={filter.since} placeholder="a tag or date" />
      <button>Show</button>
    </Filters>
  );
}

function Row({
  request,
  source,
  locale,
  found,
  back,
}: {
  readonly request: HiveRequest;
  readonly source: Locale;
  readonly locale: Locale | undefined;
  readonly found: FoundString;
  readonly back: Readonly<Record<string, string | number | undefined>>;
}) {
  const { hiveLink, canTranslate } = request;
  const { file, key, state, translatedFrom } = found;
  const shown = locale && codeOf(locale);
  return (
    <li class="string" id={rowId(found)}>
      <p class="where">
        <a href={stringLink(hiveLink, file, key, { locale: shown })}>
          <Code name={key} />
        </a>{" "}
        <span class="file">
          <Name name={file} />
        </span>
        {locale !== undefined && <StateBadge state={state} />}
      </p>
      <div class="pair">
        <p class="source">
          {translatedFrom === undefined ? (
            <Text text={found.source} lang={source.code} />
          ) : (
            <WordDiff before={translatedFrom} after={found.source} lang={source.code} />
          )}
        </p>
        {locale !== undefined && (
          <div class="target">
            <Translation found={found} locale={locale} />
            {canTranslate(locale) && (
              <details class="editing">
                <summary>
                  {found.translation === undefined ? "Translate" : "Edit"}
                  <span class="visually-hidden">
                    {" "}
                    <Name name={key} />
                  </span>
                </summary>
                <EditForm request={request} locale={locale} found={found} back={back} />
              </details>
            )}
          </div>
        )}
      </div>
    </li>
  );
}

export const stringsPages: readonly PageRoute[] = [
  { kind: "hive", method: "GET", path: "/hives/:slug/strings", isSlow: true, handler: show },
];
