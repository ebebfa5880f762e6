/** All that a list of strings has found, selected, before something is done to them at once. */
import { codeOf, type Locale } from "../../../domain/hives/locale.ts";
import { targetLocale, type HiveSettings } from "../../../domain/hives/hive-settings.ts";
import { maxAnsweredItems } from "../../../domain/work/work.ts";
import type { EditableTranslation } from "../../../service/content/string-marks.ts";
import { hiveOutline, searchToEdit, type NotedString } from "../../../service/content/string-search.ts";
import { check } from "../../schemas/schemas.ts";
import { BranchedText } from "../glossary/terms.tsx";
import { BulkForm, refusalNow, rowsOf, Selecting, type RefusedBulk } from "../editor/bulk.tsx";
import { StateMark } from "../editor/translation.tsx";
import { hivePage } from "../parts/navigation.tsx";
import { stringsQuery, toSearch } from "../parts/string-filters.ts";
import { Clamped, Key, Name, WordDiff } from "../parts/text.tsx";
import { useHive } from "../requests/context.tsx";
import { stringLink } from "../requests/links.ts";
import type { HiveRequest, PageRoute, View } from "../requests/page.ts";
import { languageName, t } from "../texts/texts.ts";

const selectionQuery = stringsQuery.omit({ page: true, locale: true });

/** @param refused what was selected and written in its form, where nothing was done. */
export async function showSelection(request: HiveRequest, refused?: RefusedBulk): Promise<View> {
  const { storage, branch, query, hive, param, signal, hiveLink } = request;
  const { settings } = await hiveOutline(storage, branch);
  const locale = targetLocale(settings, param("locale"), hive.slug);
  const filters = check(selectionQuery, query, "query");
  const list = { ...filters, locale: codeOf(locale) };
  const wanted = { ...toSearch(filters), locale: locale.code, signal, offset: 0, limit: maxAnsweredItems };
  const { strings, total } = await searchToEdit(storage, branch, wanted);
  const { rows, selectable } = rowsOf(strings, locale, refused?.isSelected ?? (() => true));
  const between = [{ label: t("tab.Strings"), href: hiveLink(["strings"], list) }];
  const page = hivePage(
    request,
    "Strings",
    <>
      <p class="count" role="status">
        {total > strings.length
          ? t("selection.these_are_the_first", { count: strings.length, total })
          : t("strings.strings_found", { count: total })}{" "}
        ({languageName(locale)})
      </p>
      <p class="soft">{t("selection.each_is_as_you_see_it")}</p>
      <ol class="strings by-locale">
        {rows.map(({ string, index, isSelected }) => (
          <Row settings={settings} locale={locale} string={string} index={index} isSelected={isSelected} />
        ))}
      </ol>
      <BulkForm locale={locale} shown={selectable} back={list} refused={refused} />
    </>,
    { title: t("selection.selected_strings"), between },
  );
  return { ...page, notice: refused && refusalNow(refused, rows), status: refused?.status };
}

function Row(props: {
  settings: HiveSettings;
  locale: Locale;
  string: NotedString<EditableTranslation>;
  /** Its place among those that are selected; a plural string is in the first of its rows. */
  index: number | undefined;
  isSelected: boolean | undefined;
}) {
  const { settings, locale, string, index, isSelected } = props;
  const { file, key, source, translations } = string;
  const { hiveLink } = useHive();
  const [{ text, state, review, translatedFrom } = { text: undefined, state: undefined }] = translations;
  const href = stringLink(hiveLink, file, key, { locale: codeOf(locale) });
  const lang = settings.sourceLocale.code;
  return (
    <li class="string">
      {index !== undefined && <Selecting index={index} name={key} isSelected={isSelected} />}
      <div>
        <p class="where">
          <Key name={key} href={href} /> <span class="file">{<Name name={file} />}</span>
        </p>
        <div class="source">
          <Clamped texts={[source, translatedFrom]} all={href}>
            {translatedFrom === undefined ? (
              <BranchedText text={source} syntax={string.syntax} lang={lang} />
            ) : (
              <WordDiff before={translatedFrom} after={source} lang={lang} />
            )}
          </Clamped>
        </div>
      </div>
      <div class="target">
        {state !== undefined && state !== "translated" && <StateMark state={state} />}
        {text !== undefined && (
          <Clamped texts={[text, review?.approved]} all={href}>
            {review?.approved === undefined ? (
              <BranchedText text={text} syntax={string.syntax} lang={locale.code} />
            ) : (
              <WordDiff before={review.approved} after={text} lang={locale.code} />
            )}
          </Clamped>
        )}
      </div>
    </li>
  );
}

export const selectionPages: readonly PageRoute[] = [
  {
    kind: "hive",
    path: "/hives/:slug/selection/:locale",
    isSlow: true,
    handler: (request) => showSelection(request),
  },
];
