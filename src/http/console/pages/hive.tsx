/** A Hive: its progress, its last changes, and instructions. */
import type { Child, PropsWithChildren } from "hono/jsx";
import { z } from "zod";
import { codeOf, type Locale } from "../../../domain/hives/locale.ts";
import type { LocaleStats } from "../../../domain/strings/locale-stats.ts";
import type { SearchedState } from "../../../domain/strings/string-search.ts";
import { branchNames } from "../../../service/content/branches.ts";
import { recentCommits } from "../../../service/content/history.ts";
import { check } from "../../schemas/schemas.ts";
import { Command } from "../parts/command.tsx";
import { CommitList, withSingleChanges } from "../parts/commit-list.tsx";
import { Facts } from "../parts/facts.tsx";
import { hiveProgress, type LocaleProgress } from "../parts/hive-progress.ts";
import { lastTags } from "../parts/hive-states.ts";
import { languageName, languagesOf } from "../parts/languages.ts";
import { percentOf, ProgressBar, stringTotal } from "../parts/progress.tsx";
import { hiveTabs } from "../parts/navigation.ts";
import { TagList } from "../parts/tag-list.tsx";
import { Code, Name } from "../parts/text.tsx";
import type { HiveRequest, PageRoute, View } from "../requests/page.ts";
import { figure } from "../requests/reader.ts";

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
  const changes = await withSingleChanges(request, await recentCommits(storage, branch, maxRead));
  const tags = await lastTags(request);
  const branches = await branchNames(storage, hive.slug);
  const isEmpty = translatableCount + emptySourceCount === 0;
  const use = (
    <HowToUse request={request} locale={locales[0]?.locale ?? settings.sourceLocale} isOpen={isEmpty} />
  );
  return {
    title: settings.name,
    above: [],
    tabs: hiveTabs(request, "Overview"),
    body: (
      <>
        <Facts
          items={[
            <Code name={hive.slug} />,
            <>
              {stringTotal(translatableCount, emptySourceCount)} in {languageName(settings.sourceLocale)} (
              <code>{codeOf(settings.sourceLocale)}</code>)
            </>,
          ]}
        />
        {isEmpty && use}
        <Locales request={request} locales={locales} sort={sort} />
        <div class="columns">
          <Section title="Last changes" more={<a href={hiveLink(["history"])}>Whole history</a>}>
            <CommitList
              entries={changes}
              hiveLink={hiveLink}
              lang={languagesOf(settings)}
              maxLines={listed}
            />
          </Section>
          <div>
            {tags.length > 0 && (
              <Section title="Tags" more={<a href={hiveLink(["tags"])}>All tags</a>}>
                <TagList tags={tags} hiveLink={hiveLink} />
              </Section>
            )}
            {branches.length > 0 && (
              <Section title="Branches" more={<a href={hiveLink(["branches"])}>All branches</a>}>
                <ul class="commits">
                  {branches.slice(0, listed).map((name) => (
                    <li>
                      <a href={hiveLink(["branches", name])}>
                        <Name name={name} />
                      </a>
                    </li>
                  ))}
                </ul>
              </Section>
            )}
            {!isEmpty && use}
          </div>
        </div>
      </>
    ),
  };
}

function Locales({
  request,
  locales,
  sort,
}: {
  readonly request: HiveRequest;
  readonly locales: readonly LocaleProgress[];
  readonly sort: Order;
}) {
  const { hive, hiveLink, query } = request;
  const complete = locales.filter((locale) => leftOf(locale) === 0).length;
  return (
    <Section
      title="Languages"
      more={
        locales.length > 1 && (
          <Facts
            items={[
              `${figure(complete)} of ${figure(locales.length)} languages are complete`,
              ...orders.map((order) => (
                <a
                  href={hiveLink([], { ...query, sort: order })}
                  aria-current={order === sort ? "true" : undefined}
                >
                  {{ need: "by what is left", name: "by name", added: "as added" }[order]}
                </a>
              )),
            ]}
          />
        )
      }
    >
      {locales.length === 0 ? (
        <p>
          There is no target locale yet. An admin adds one in the settings, or{" "}
          <code>skep locale add {hive.slug} fr</code> does on the server's machine.
        </p>
      ) : (
        <LocaleTable locales={sorted(locales, sort)} request={request} />
      )}
    </Section>
  );
}

/** A section of the page. */
function Section({
  title,
  more,
  children,
}: PropsWithChildren<{ readonly title: string; readonly more: Child }>) {
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
    const names = languageName(a.locale).localeCompare(languageName(b.locale), "en");
    return order === "need" ? leftOf(b) - leftOf(a) || names : names;
  });
}

function leftOf({ stats }: LocaleProgress): number {
  return stats.stale + stats.empty + stats.failing;
}

/** The state with the most work left in a locale; undefined if there is none. */
function neededState({ stale, empty, failing, waiting }: LocaleStats): SearchedState | undefined {
  if (failing > 0) return "failing";
  if (empty > 0) return "missing";
  if (stale > 0) return "stale";
  return waiting > 0 ? "waiting" : undefined;
}

function LocaleTable({
  locales,
  request: { hiveLink, canTranslate, canApprove },
}: {
  readonly locales: readonly LocaleProgress[];
  readonly request: HiveRequest;
}) {
  return (
    <table class="locales">
      <thead>
        <tr>
          <th scope="col">Language</th>
          <th scope="col" class="wide">
            Progress
          </th>
          {["Translated", "Stale", "Missing", "Failing", "Waiting"].map((name) => (
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
                  Translate<span class="visually-hidden"> into {languageName(locale)}</span>
                </a>
              )}
            </th>
            <td class="wide">
              <ProgressBar stats={stats} />
            </td>
            <td class="number" data-label="translated">
              {percentOf(stats)}
            </td>
            <Searched count={stats.stale} state="stale" locale={locale} hiveLink={hiveLink} />
            <Searched count={stats.empty} state="missing" locale={locale} hiveLink={hiveLink} />
            <Searched count={stats.failing} state="failing" locale={locale} hiveLink={hiveLink} />
            <Searched count={stats.waiting} state="waiting" locale={locale} hiveLink={hiveLink} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The number of strings in a state, as a link to their list. */
function Searched({
  count,
  state,
  locale,
  hiveLink,
}: {
  readonly count: number;
  readonly state: SearchedState;
  readonly locale: Locale;
  readonly hiveLink: HiveRequest["hiveLink"];
}) {
  const href = hiveLink(["strings"], { locale: codeOf(locale), state });
  return (
    <td class={count === 0 ? "number zero" : "number"} data-label={state}>
      {count === 0 ? (
        "0"
      ) : (
        <a
          class={`mark ${state}`}
          href={href}
          aria-label={`${figure(count)} ${state} in ${languageName(locale)}`}
        >
          {figure(count)}
        </a>
      )}
    </td>
  );
}

/** Instructions for programs. For an empty Hive they come first; later they are folded. */
function HowToUse({
  request: { origin, hive },
  locale,
  isOpen,
}: {
  readonly request: HiveRequest;
  readonly locale: Locale;
  readonly isOpen: boolean;
}) {
  const api = `${origin}/api/hives/${hive.slug}`;
  return (
    <details class="panel use" open={isOpen}>
      <summary>Use it</summary>
      <p>
        A token is expected in <code>SKEP_TOKEN</code>; git asks for it as a password.
      </p>
      <Command
        label="In an app's repository"
        lines={[`skep init --server ${origin} --hive ${hive.slug}`, "skep push && skep pull"]}
      />
      <Command
        label="Over HTTP"
        lines={[`curl -H "Authorization: Bearer $SKEP_TOKEN" '${api}/export?locale=${codeOf(locale)}'`]}
      />
      <Command label="With git" lines={[`git clone ${origin}/hives/${hive.slug}.git`]} />
    </details>
  );
}

export const hivePages: readonly PageRoute[] = [
  { kind: "hive", path: "/hives/:slug", isSlow: true, handler: show },
];
