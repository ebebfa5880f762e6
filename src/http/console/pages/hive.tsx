/** A Hive: its progress, its last changes, and instructions. */
import { useHive } from "../requests/context.tsx";
import type { Child, PropsWithChildren } from "hono/jsx";
import { z } from "zod";
import { codeOf, type Locale } from "../../../domain/hives/locale.ts";
import type { LocaleStats } from "../../../domain/queries/locale-stats.ts";
import type { SearchedState } from "../../../domain/queries/string-search.ts";
import { branchNames } from "../../../service/content/branches.ts";
import { countComments } from "../../../service/content/comment-lists.ts";
import { recentCommits } from "../../../service/content/history.ts";
import { check } from "../../schemas/schemas.ts";
import { ownFirst } from "../parts/languages.ts";
import { Command, Facts, Code, Name } from "../parts/text.tsx";
import { CommitList, withSingleChanges, TagList } from "../parts/commit-list.tsx";
import { hiveProgress, type LocaleProgress, lastTags } from "../parts/hive-states.ts";
import { percentOf, ProgressBar, stringTotal } from "../parts/progress.tsx";
import { mayWriteAll, Empty, hivePage, NoLanguage } from "../parts/navigation.tsx";
import type { HiveRequest, PageRoute, View } from "../requests/page.ts";
import { compareNames, figure, languageName, t } from "../texts/texts.ts";

/** How many commits and branches are listed. */
const listed = 8;
/** How many commits are read: consecutive commits with the same description are one line. */
const maxRead = 30;
const orders = ["need", "name", "added"] as const;
const hiveQuery = z.strictObject({ sort: z.enum(orders, `must be ${orders.join(", ")}`).default("need") });
type Order = (typeof orders)[number];

async function show(request: HiveRequest): Promise<View> {
  const { storage, hive, branch, hiveLink, query } = request;
  const { sort } = check(hiveQuery, query, "query");
  const { hive: stats, locales } = await hiveProgress(request, branch);
  const { settings, translatableCount, emptySourceCount } = stats;
  const total = translatableCount + emptySourceCount;
  const unneeded = emptySourceCount + (await stats.countKept());
  const changes = await withSingleChanges(request, await recentCommits(storage, branch, maxRead));
  const tags = await lastTags(request);
  const branches = await branchNames(storage, hive.slug);
  const said = await countComments(storage, branch);
  const isEmpty = total === 0;
  const use = <HowToUse locale={locales[0]?.locale ?? settings.sourceLocale} isOpen={isEmpty} />;
  return hivePage(
    request,
    "Overview",
    <>
      <Facts
        items={[
          settings.name !== hive.slug && <Code name={hive.slug} />,
          <>
            {t("hive.in", {
              total: stringTotal(total, unneeded),
              sourceLocale: languageName(settings.sourceLocale),
              command: <code>{codeOf(settings.sourceLocale)}</code>,
            })}
          </>,
          !isEmpty && locales.length > 0 && <a href={hiveLink(["figures"])}>{t("figures.figures")}</a>,
          said.all > 0 && (
            <a href={hiveLink(["comments"], { show: said.open > 0 ? "open" : undefined })}>
              {said.open > 0
                ? t("hive.open_questions", { count: said.open })
                : t("comments.count", { count: said.all })}
            </a>
          ),
        ]}
      />
      {isEmpty && (
        <>
          <Empty
            text={t("hive.empty")}
            to={locales.length > 0 && mayWriteAll(request) ? hiveLink(["import"]) : undefined}
            action="import.import_a_file"
          />
          {use}
        </>
      )}
      <Locales locales={locales} sort={sort} />
      <div class="columns">
        <Section
          title={t("hive.last_changes")}
          more={<a href={hiveLink(["history"])}>{t("hive.whole_history")}</a>}
        >
          <CommitList entries={changes} maxLines={listed} />
        </Section>
        <div>
          {tags.length > 0 && (
            <Section title={t("hive.tags")} more={<a href={hiveLink(["tags"])}>{t("hive.all_tags")}</a>}>
              <TagList tags={tags} />
            </Section>
          )}
          {branches.length > 0 && (
            <Section
              title={t("common.branches")}
              more={<a href={hiveLink(["branches"])}>{t("hive.all_branches")}</a>}
            >
              <ul class="commits">
                {branches.slice(0, listed).map((name) => (
                  <li>
                    <Name name={name} href={hiveLink(["branches", name])} />
                  </li>
                ))}
              </ul>
            </Section>
          )}
          {!isEmpty && use}
        </div>
      </div>
    </>,
    { title: settings.name, above: [] },
  );
}

function Locales({ locales, sort }: { locales: readonly LocaleProgress[]; sort: Order }) {
  const { hiveLink, query } = useHive();
  const complete = locales.filter((locale) => leftOf(locale) === 0).length;
  return (
    <Section
      title={t("common.languages")}
      more={
        locales.length > 1 && (
          <Facts
            items={[
              t("hive.of_languages_are_complete", { complete, locales: locales.length }),
              ...orders.map((order) => (
                <a
                  href={hiveLink([], { ...query, sort: order })}
                  aria-current={order === sort ? "true" : undefined}
                >
                  {t(`order.${order}`)}
                </a>
              )),
            ]}
          />
        )
      }
    >
      {locales.length === 0 ? (
        <NoLanguage />
      ) : (
        <LocaleTable locales={ownFirst(useHive(), sorted(locales, sort), ({ locale }) => locale)} />
      )}
    </Section>
  );
}

function Section({ title, more, children }: PropsWithChildren<{ title: string; more: Child }>) {
  const id = title.toLowerCase().replaceAll(" ", "-");
  return (
    <section aria-labelledby={id}>
      <div class="heading">
        <h2 id={id}>{title}</h2>
        {more}
      </div>
      {children}
    </section>
  );
}

function sorted(locales: readonly LocaleProgress[], order: Order): readonly LocaleProgress[] {
  if (order === "added") return locales;
  return locales.toSorted((a, b) => {
    const names = compareNames(languageName(a.locale), languageName(b.locale));
    return order === "need" ? leftOf(b) - leftOf(a) || names : names;
  });
}

function leftOf({ stats }: LocaleProgress): number {
  return stats.toTranslate;
}

/** The state with the most work left in a locale; undefined if there is none. */
function neededState({ stale, empty, failing, waiting }: LocaleStats): SearchedState | undefined {
  if (failing > 0) return "failing";
  if (empty > 0) return "missing";
  if (stale > 0) return "stale";
  return waiting > 0 ? "waiting" : undefined;
}

function LocaleTable({ locales }: { locales: readonly LocaleProgress[] }) {
  const { hiveLink, canTranslate, canApprove } = useHive();
  return (
    <table class="locales">
      <thead>
        <tr>
          <th scope="col">{t("common.language")}</th>
          <th scope="col" class="wide">
            {t("hive.progress")}
          </th>
          {[
            t("hive.translated"),
            t("hive.stale"),
            t("hive.missing"),
            t("hive.failing"),
            t("hive.waiting"),
          ].map((name) => (
            <th scope="col" class="number">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {locales.map(({ locale, stats }) => (
          <tr>
            <th scope="row">
              <a href={hiveLink(["strings"], { locale: codeOf(locale), state: neededState(stats) })}>
                {languageName(locale)}
              </a>{" "}
              <code class="soft">{codeOf(locale)}</code>{" "}
              {((canTranslate(locale) && leftOf({ locale, stats }) > 0) ||
                (canApprove(locale) && stats.waiting > 0)) && (
                <a
                  class="translate"
                  href={hiveLink(["translate", codeOf(locale)], {
                    want: canTranslate(locale) && leftOf({ locale, stats }) > 0 ? undefined : "review",
                  })}
                >
                  {t("common.translate")}
                  <span class="visually-hidden"> {t("hive.into", { locale: languageName(locale) })}</span>
                </a>
              )}
            </th>
            <td class="wide">
              <ProgressBar stats={stats} />
            </td>
            <td class="number" data-label={t("hive.translated")}>
              {percentOf(stats)}
            </td>
            <Searched count={stats.stale} state="stale" locale={locale} />
            <Searched count={stats.empty} state="missing" locale={locale} />
            <Searched count={stats.failing} state="failing" locale={locale} />
            <Searched count={stats.waiting} state="waiting" locale={locale} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The number of strings in a state, as a link to their list. */
function Searched(props: {
  count: number;
  state: "stale" | "missing" | "failing" | "waiting";
  locale: Locale;
}) {
  const { count, state, locale } = props;
  const { hiveLink } = useHive();
  const href = hiveLink(["strings"], { locale: codeOf(locale), state });
  return (
    <td class={count === 0 ? "number zero" : "number"} data-label={t(`hive.${state}`)}>
      {count === 0 ? (
        "0"
      ) : (
        <a
          class={`mark ${state}`}
          href={href}
          aria-label={t(`hive.${state}_in`, { count, locale: languageName(locale) })}
        >
          {figure(count)}
        </a>
      )}
    </td>
  );
}

/** Instructions for programs. For an empty Hive they come first; later they are folded. */
function HowToUse({ locale, isOpen }: { locale: Locale; isOpen: boolean }) {
  const { origin, hive } = useHive();
  const api = `${origin}/api/hives/${hive.slug}`;
  return (
    <details class="panel use" open={isOpen}>
      <summary>{t("hive.use_it")}</summary>
      <p>{t("hive.a_token_is_expected", { command: <code>SKEP_TOKEN</code> })}</p>
      <Command
        label={t("hive.in_an_apps_repository")}
        lines={[`skep init --server ${origin} --hive ${hive.slug}`, "skep push && skep pull"]}
      />
      <Command
        label={t("hive.over_http")}
        lines={[`curl -H "Authorization: Bearer $SKEP_TOKEN" '${api}/export?locale=${codeOf(locale)}'`]}
      />
      <Command label={t("hive.with_git")} lines={[`git clone ${origin}/hives/${hive.slug}.git`]} />
    </details>
  );
}

export const hivePages: readonly PageRoute[] = [
  { kind: "hive", path: "/hives/:slug", isSlow: true, tellsNews: true, handler: show },
];
