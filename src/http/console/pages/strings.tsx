/** The strings of a Hive with their translations: search, filters, and editing in place. */
import { useHive } from "../requests/context.tsx";
import { z } from "zod";
import { localeNamed, unknownLocale, type HiveSettings } from "../../../domain/hives/hive-settings.ts";
import { codeOf, type Locale } from "../../../domain/hives/locale.ts";
import type { Neighbours } from "../../../domain/queries/string-search.ts";
import type { WorkState } from "../../../domain/work/work.ts";
import type { EditableTranslation } from "../../../service/content/string-marks.ts";
import {
  allLocales,
  hiveOutline,
  searchToEdit,
  type NotedString,
  type NotedStrings,
  searchNeighbours,
  type StringInAllLocales,
} from "../../../service/content/string-search.ts";
import { toOffsetLimit } from "../../../api/page.ts";
import { ownLocalesFirst } from "../parts/languages.ts";
import { localeOptions } from "../parts/fields.tsx";
import { FilterForm } from "../parts/page-form.tsx";
import { stringFields, stringsQuery, toSearch, type ListFilters } from "../parts/string-filters.ts";
import { namedStates, stringTags } from "../parts/hive-states.ts";
import { Empty, mayWriteAll, ButtonLink, hivePage, Pager } from "../parts/navigation.tsx";
import { BranchedText, TermsInto } from "../glossary/terms.tsx";
import { ShortNote } from "../notes/notes.tsx";
import { stringLink, type LinkQuery } from "../requests/links.ts";
import { Clamped, Key, Name, attributeText, WordDiff } from "../parts/text.tsx";
import { stringTotal } from "../parts/progress.tsx";
import { BulkForm, refusalNow, rowsOf, Selecting, type RefusedBulk } from "../editor/bulk.tsx";
import { Editing, OriginMark, rowId, StateMark, StoredFindings, Waiting } from "../editor/translation.tsx";
import { readFiltered, type Filtered } from "../requests/form.ts";
import type { HiveRequest, PageRoute, View } from "../requests/page.ts";
import { languageName, t } from "../texts/texts.ts";
import { isFailure } from "../../../domain/errors.ts";

const perPage = 50;
interface Listed extends NotedStrings<EditableTranslation> {
  readonly page: number;
  /** The filters as query parameters. */
  readonly list: LinkQuery;
  readonly isFiltered: boolean;
}

/** @param refused what was selected and written in the form of the list, where nothing was done. */
export async function showStrings(request: HiveRequest, refused?: RefusedBulk): Promise<View> {
  const { storage, branch, query } = request;
  const { settings, files } = await hiveOutline(storage, branch);
  const named = typeof query.locale === "string" ? query.locale : undefined;
  const shown = shownLocales(request, settings, named);
  const isKnown = named === undefined || named === allLocales || localeNamed(settings, named) !== undefined;
  const filtered = await readFiltered(stringsQuery, query, (filters) => {
    if (!isKnown) throw unknownLocale(settings, named);
    return search(request, shown, filters);
  });
  const { problems, result } = filtered;
  const managed = managedIn(request, shown);
  const listed = rowsOf(result?.strings ?? [], managed, refused?.isSelected);
  const [states, tags] = [await namedStates(request), await stringTags(request)];
  const page = hivePage(
    request,
    "Strings",
    <>
      <Filters settings={settings} filtered={filtered} shown={shown} {...{ files, states, tags }} />
      <div id="found">
        {result === undefined ? (
          <p class="count">{problems.size > 0 && t("strings.nothing_is_listed_until")}</p>
        ) : (
          <Found {...{ settings, shown, result, managed, listed, refused }} />
        )}
      </div>
    </>,
  );
  const action = mayWriteAll(request) && (
    <ButtonLink
      to={request.hiveLink(["source", "add"], { file: filtered.values["file"] })}
      text="source.title_add"
    />
  );
  const status = result === undefined ? 422 : refused?.status;
  return { ...page, action, notice: refused && refusalNow(refused, listed.rows), status };
}

/** The searched locales: all, one, or only the source. */
type Shown = typeof allLocales | Locale | undefined;

/** The locale that is named, or else the first that one may write, of which one's own come first. */
function shownLocales(request: HiveRequest, settings: HiveSettings, named: string | undefined): Shown {
  if (named === allLocales) return allLocales;
  const targetLocales = ownLocalesFirst(request, settings.targetLocales);
  const first = targetLocales.find(request.canTranslate) ?? targetLocales[0];
  const locale = (named === undefined ? undefined : localeNamed(settings, named)) ?? first;
  return locale?.code === settings.sourceLocale.code ? undefined : locale;
}

/** The locale whose strings can be selected: where something may be done to them. */
function managedIn({ canTranslate, canApprove }: HiveRequest, shown: Shown): Locale | undefined {
  return typeof shown === "object" && (canTranslate(shown) || canApprove(shown)) ? shown : undefined;
}

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
  const result = await searchToEdit(storage, branch, { ...wanted, ...toOffsetLimit(paging) });
  const isFiltered = [text, tag, ...Object.values(filter)].some((value) => value !== undefined);
  return {
    ...result,
    page,
    list: { ...filter, tag, exact, q: text, locale: named ?? codeShown(shown) },
    isFiltered,
  };
}

function Filters(props: {
  settings: HiveSettings;
  filtered: Filtered<unknown>;
  shown: Shown;
  files: readonly string[];
  states: readonly string[];
  /** The tags of strings. */
  tags: readonly string[];
}) {
  const { settings, filtered, shown, files, states, tags } = props;
  const { sourceLocale, targetLocales } = settings;
  const onlySource = t("strings.only_the_source", { sourceLocale: languageName(sourceLocale) });
  const locales = [
    ...localeOptions(useHive(), targetLocales),
    ...(targetLocales.length > 1 ? [[allLocales, t("common.all_locales")] as const] : []),
    [codeOf(sourceLocale), onlySource] as const,
  ];
  return (
    <FilterForm
      page={["strings"]}
      live="found"
      state={{
        ...filtered,
        values: { ...filtered.values, locale: codeShown(shown) ?? codeOf(sourceLocale) },
      }}
      fields={[
        { name: "q", type: "search", class: "wide" },
        { kind: "one", name: "locale", options: locales },
      ]}
      further={stringFields({ files, states, tags }, filtered)}
    />
  );
}

function Found(props: {
  settings: HiveSettings;
  shown: Shown;
  result: Listed;
  managed: Locale | undefined;
  listed: ReturnType<typeof rowsOf>;
  refused: RefusedBulk | undefined;
}) {
  const { settings, shown, result, managed, listed, refused } = props;
  const { total, unneeded, page, list, isFiltered } = result;
  const request = useHive();
  const { hiveLink, canWrite, canTranslate } = request;
  const back = { ...list, page: page === 1 ? undefined : page };
  const one = typeof shown === "object" ? shown : undefined;
  const isTranslated = typeof shown === "object" && canTranslate(shown);
  return (
    <>
      <div class="heading">
        {(total > 0 || isFiltered) && (
          <p class="count actions">
            {isTranslated && total > 0 && (
              <a href={hiveLink(["translate", codeOf(shown)], queueOf(list))}>
                {t("strings.translate_one_by_one_text")}
              </a>
            )}
            {total > 0 && (isTranslated || (canWrite && shown === allLocales)) && (
              <a href={hiveLink(["replace"], list)}>{t("replace.find_and_replace")}</a>
            )}
            {canWrite && (
              <a href={hiveLink(["import"], { locale: codeShown(shown) })}>{t("import.import")}</a>
            )}
            <a href={hiveLink(["pictures"])}>{t("pictures.pictures")}</a>
            <a href={hiveLink(["export"], { locale: one && codeOf(one) })}>{t("export.export")}</a>
          </p>
        )}
        <p class="count" role="status">
          {total === 0
            ? t(isFiltered ? "strings.no_string_found" : "strings.no_string")
            : isFiltered
              ? t("strings.strings_found", { count: total })
              : stringTotal(total, unneeded)}
        </p>
      </div>
      {total === 0 && !isFiltered && (
        <Empty
          text={t("strings.strings_come_with_a_push", {
            overview: <a href={hiveLink([])}>{t("tab.Overview")}</a>,
          })}
          to={mayWriteAll(request) ? hiveLink(["import"]) : undefined}
          action="import.import_a_file"
        />
      )}
      {total === 0 && isFiltered && (
        <p class="actions">
          {shown !== allLocales && settings.targetLocales.length > 1 && (
            <ButtonLink
              to={hiveLink(["strings"], { ...list, locale: allLocales })}
              text="strings.search_all_locales"
            />
          )}
          <ButtonLink to={hiveLink(["strings"], { locale: list.locale })} text="common.clear_the_filters" />
        </p>
      )}
      {canWrite && typeof shown === "object" && !canTranslate(shown) && (
        <p class="count">{t("strings.you_may_translate_into_others", { shown: languageName(shown) })}</p>
      )}
      <ol class="strings">
        {listed.rows.map(({ string, isElsewhere, index, isSelected }) => (
          <Row
            settings={settings}
            shown={shown}
            string={string}
            isElsewhere={isElsewhere}
            index={index}
            isSelected={isSelected}
            back={back}
            isFiltered={isFiltered}
          />
        ))}
      </ol>
      {managed !== undefined && (
        <BulkForm locale={managed} shown={listed.selectable} back={back} total={total} refused={refused} />
      )}
      <Pager paging={{ page, per_page: perPage }} total={total} path={["strings"]} query={list} />
    </>
  );
}

/** The filters that a list and the queue of work have in common. */
function queueOf({ state, file, tag, q }: LinkQuery): LinkQuery {
  const states: Readonly<Record<string, WorkState>> = {
    missing: "missing",
    stale: "stale",
    failing: "failing",
    waiting: "review",
  };
  return { want: states[String(state)], file, tag, q };
}

function Row(props: {
  settings: HiveSettings;
  shown: Shown;
  string: NotedString<EditableTranslation>;
  /** Whether its editor stands in another row. */
  isElsewhere: boolean;
  /** Its place among those that can be selected. */
  index: number | undefined;
  isSelected: boolean | undefined;
  back: LinkQuery;
  isFiltered: boolean;
}) {
  const { settings, shown, string, isElsewhere, index, isSelected, back, isFiltered } = props;
  const { sourceLocale, targetLocales } = settings;
  const request = useHive();
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
      {index !== undefined && <Selecting index={index} name={key} isSelected={isSelected} />}
      <p class="where">
        <Key name={key} needle={needle} href={href} />{" "}
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
          {former === undefined ? (
            <BranchedText
              text={source}
              syntax={string.syntax}
              terms={string.terms}
              lang={sourceLocale.code}
              needle={needle}
              isInList
            />
          ) : (
            <WordDiff before={former} after={source} lang={sourceLocale.code} />
          )}
        </Clamped>
        <ShortNote notes={string.notes} />
      </div>
      {ownLocalesFirst(request, targetLocales).map((locale) => {
        const translation = string.translations.find((each) => each.locale === locale.code);
        if (translation === undefined) return null;
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
                <BranchedText text={text} syntax={string.syntax} lang={locale.code} needle={needle} />
              </Clamped>
            )}
            <StoredFindings shown={{ string, locale, translation }} back={back} />
            <Waiting shown={{ string, locale, translation }} back={back} />
            <Editing
              shown={{ string, locale, translation }}
              lang={sourceLocale.code}
              back={back}
              isElsewhere={isElsewhere}
              terms={<TermsInto found={string.terms} locale={locale} lang={sourceLocale.code} style="" />}
            />
          </div>
        );
      })}
    </li>
  );
}

/** The strings beside one in a list with filters; undefined where it has none, or cannot be shown any more. */
export async function besideIn(
  { storage, branch, signal }: HiveRequest,
  back: string | undefined,
  string: StringInAllLocales,
): Promise<Neighbours | undefined> {
  const { locale, page: _, ...filters } = filtersIn(back) ?? {};
  if (Object.values(filters).every((value) => value === undefined)) return undefined;
  const isSource = locale === codeOf(string.settings.sourceLocale);
  const wanted = { ...toSearch(filters), locale: isSource ? undefined : locale, signal };
  try {
    return await searchNeighbours(storage, branch, wanted, string);
  } catch (error) {
    if (isFailure(error, "invalid")) return undefined;
    throw error;
  }
}

/** The query of the list that contained a form; undefined if there was none. */
export function listOf(back: string | undefined): LinkQuery | undefined {
  const filters = filtersIn(back);
  return filters && { ...filters, page: filters.page === 1 ? undefined : filters.page };
}

/** The filters that a text names; none where it is no list's. */
function filtersIn(back: string | undefined): ListFilters | undefined {
  if (back === undefined || back === "") return undefined;
  try {
    const given: unknown = JSON.parse(back);
    // In an address, the number of a page is a text.
    const texts = Object.entries(z.record(z.string(), z.union([z.string(), z.number()])).parse(given));
    return stringsQuery
      .partial()
      .parse(Object.fromEntries(texts.map(([name, value]) => [name, String(value)])));
  } catch {
    return {};
  }
}

export const stringsPages: readonly PageRoute[] = [
  {
    kind: "hive",
    path: "/hives/:slug/strings",
    isSlow: true,
    tellsNews: true,
    handler: (request) => showStrings(request),
  },
];
