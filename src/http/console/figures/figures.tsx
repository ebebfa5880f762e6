/** The progress of a language over days or months, as a table and as CSV. */
import { z } from "zod";
import { codeOf } from "../../../domain/hives/locale.ts";
import { localeFigures, type FiguresRow } from "../../../service/figures/figures.ts";
import { hiveOutline } from "../../../service/content/string-search.ts";
import { once } from "../../../api/objects.ts";
import { check } from "../../schemas/schemas.ts";
import { localeOptions } from "../parts/fields.tsx";
import { NoLanguage, hivePage, Listing } from "../parts/navigation.tsx";
import { ownLocalesFirst } from "../parts/languages.ts";
import { percentOf } from "../parts/progress.tsx";
import { FilterForm } from "../parts/page-form.tsx";
import { readFiltered } from "../requests/form.ts";
import type { HiveRequest, PageResult, PageRoute, View } from "../requests/page.ts";
import { figure, t } from "../texts/texts.ts";

const periods = ["month", "day"] as const;
const figuresQuery = z.strictObject({
  locale: once,
  by: z.enum(periods, `must be ${periods.join(" or ")}`).default("month"),
});

async function rowsOf(
  { storage, branch, hive, session, signal, cache }: HiveRequest,
  { locale, by }: { readonly locale: string; readonly by: (typeof periods)[number] },
): Promise<readonly FiguresRow[]> {
  const { person } = session.caller.principal;
  return localeFigures(storage, branch, { locale, by, person, signal }, (commit, { code }, make) =>
    cache(`figures of ${hive.slug}`, `${commit} ${code}`, make),
  );
}

async function show(request: HiveRequest): Promise<View> {
  const { storage, branch, query, hiveLink } = request;
  const { settings } = await hiveOutline(storage, branch);
  const locales = ownLocalesFirst(request, settings.targetLocales);
  const [first] = locales;
  const filtered = await readFiltered(
    figuresQuery,
    query,
    async ({ by, locale = first && codeOf(first) }) => ({
      locale,
      by,
      rows: locale === undefined ? [] : await rowsOf(request, { locale, by }),
    }),
  );
  const { result } = filtered;
  const isOwn = request.session.caller.principal.person !== undefined;
  const page = hivePage(
    request,
    "Overview",
    first === undefined ? (
      <NoLanguage />
    ) : (
      <>
        <FilterForm
          page={["figures"]}
          state={filtered}
          fields={[
            { kind: "one", name: "locale", options: localeOptions(request, locales) },
            {
              kind: "one",
              name: "by",
              label: t("figures.by"),
              options: periods.map((by) => [by, t(`figures.by_${by}`)] as const),
            },
          ]}
        />
        {result !== undefined && (
          <>
            <Listing
              columns={[
                "period",
                "texts",
                "words",
                "translated",
                "translated_words",
                "approved",
                ...(isOwn ? (["own_commits"] as const) : []),
              ]}
              rows={result.rows.map((row) => ({ cells: cellsOf(row) }))}
              none={t("common.there_are_none")}
            />
            <p>
              <a href={hiveLink(["figures.csv"], { locale: result.locale, by: result.by })}>
                {t("figures.as_csv")}
              </a>
            </p>
          </>
        )}
      </>
    ),
    { title: t("figures.figures"), between: [] },
  );
  return { ...page, status: result === undefined ? 422 : undefined };
}

function cellsOf(row: FiguresRow) {
  const { period, texts, words, translated, translatedWords, ownCommits } = row;
  return [
    <time datetime={period}>{period}</time>,
    ...[texts, words, translated, translatedWords].map((count) => figure(count)),
    percentOf({ ...row, total: texts }),
    ...(ownCommits === undefined ? [] : [figure(ownCommits)]),
  ];
}

const csvQuery = figuresQuery.extend({ locale: z.string("must be given, and once") });

/** The same in full numbers; the names of its columns are for programs. */
async function download(request: HiveRequest): Promise<PageResult> {
  const given = check(csvQuery, request.query, "query");
  const rows = await rowsOf(request, given);
  const head = ["period", "texts", "words", "translated", "translated_words", "approved", "own_commits"];
  const lines = rows.map((row) => [
    row.period,
    row.texts,
    row.words,
    row.translated,
    row.translatedWords,
    row.approved,
    row.ownCommits ?? "",
  ]);
  const text = [head, ...lines].map((line) => `${line.join(",")}\r\n`).join("");
  const name = `${request.hive.slug}-${given.locale}-${given.by}.csv`;
  return { file: Buffer.from(text), name, type: "text/csv; charset=utf-8" };
}

const path = "/hives/:slug/figures";

export const figuresPages: readonly PageRoute[] = [
  { kind: "hive", path, isSlow: true, handler: show },
  { kind: "hive", path: `${path}.csv`, isSlow: true, handler: download },
];
