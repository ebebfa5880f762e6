/** The first page: the sign-in form, or the Hives of the team. */
import { useReader } from "../requests/context.tsx";
import { allows } from "../../../domain/access/token.ts";
import { codeOf, type Locale } from "../../../domain/hives/locale.ts";
import type { HiveSlug } from "../../../domain/names.ts";
import { firstSteps } from "../../../domain/first-steps.ts";
import type { Caller } from "../../../service/access.ts";
import { hiveStates, type HiveSummary } from "../../../service/admin/hive-states.ts";
import { usageOf } from "../../../service/admin/teams.ts";
import { endSessions } from "../../../service/sessions.ts";
import { once } from "../../../api/objects.ts";
import { check } from "../../schemas/schemas.ts";
import { pageQuery, toOffsetLimit } from "../../../api/page.ts";
import { FilterForm } from "../parts/page-form.tsx";
import { Command, Facts, Time, Code, Name } from "../parts/text.tsx";
import { isOwnLanguage, ownFirst, worksInto } from "../parts/languages.ts";
import { progressSoon, type LocaleProgress } from "../parts/hive-states.ts";
import { ButtonLink, Empty, Pager } from "../parts/navigation.tsx";
import { nearlyAll, percentOf, ProgressBar, ProgressFigures, sumOf } from "../parts/progress.tsx";
import { signInPage } from "../people/sign-in.tsx";
import { workLeft, workQuery } from "../desk/choose.tsx";
import { languageCookie, lastPlace, sessionCookie, themeCookie } from "../requests/cookies.ts";
import { chosenLanguage, chosenTheme } from "../requests/form.ts";
import { afterSignIn, type LinkQuery } from "../requests/links.ts";
import type {
  FormOf,
  OpenRequest,
  PageResult,
  PageRoute,
  SignedInRequest,
  View,
  TeamFormRequest,
} from "../requests/page.ts";
import type { LocaleStats } from "../../../domain/queries/locale-stats.ts";
import { languageName, t, textIn } from "../texts/texts.ts";

/** How many Hives one page lists. */
const hivesPerPage = 30;
/** How long a request counts progress that is not cached; the rest appears at a later visit. */
const patienceMs = 500;

async function home(request: OpenRequest): Promise<PageResult> {
  const { session, query, link } = request;
  if (session !== undefined) {
    return typeof query.to === "string"
      ? { to: afterSignIn(query.to, link([])) }
      : hiveList({ ...request, session, signal: request.event.req.signal });
  }
  return (await request.storage.registry.hasTeams()) ? signInPage(request) : welcomeView();
}

function welcomeView(): View {
  return {
    title: t("home.welcome_to_skep"),
    body: (
      <section class="narrow">
        <p>{t("home.this_storage_is_empty_three")}</p>
        <Command label={t("common.in_a_terminal")} lines={firstSteps()} />
        <p>
          {t("home.if_the_storage_is_not", {
            command: <code>./storage</code>,
            command2: <code>SKEP_STORAGE</code>,
            link: <a href="./">{t("home.sign_in_with_it")}</a>,
          })}
        </p>
      </section>
    ),
  };
}

async function signOut(request: TeamFormRequest): Promise<PageResult> {
  const { storage, session, link, isSecure, form } = request;
  await endSessions(storage, session, form.text("everywhere") === "yes" ? "all" : "this");
  return { to: link([]), cookies: [sessionCookie("", 0, isSecure)] };
}

/** Keeps the choice of colours in this browser, and leads back to the page. */
function chooseTheme({ form, link, isSecure }: FormOf<OpenRequest>): Promise<PageResult> {
  const chosen = chosenTheme(form);
  const theme = chosen === "system" ? undefined : chosen;
  return Promise.resolve({
    to: afterSignIn(form.text("to"), link([])),
    cookies: [themeCookie(theme, isSecure)],
  });
}

/** Keeps the choice of the language of the pages in this browser, and leads back to the page. */
function chooseLanguage({ form, link, isSecure }: FormOf<OpenRequest>): Promise<PageResult> {
  return Promise.resolve({
    to: afterSignIn(form.text("to"), link([])),
    cookies: [languageCookie(chosenLanguage(form), isSecure)],
  });
}

async function hiveList(request: SignedInRequest): Promise<View> {
  const { storage, session, link, query } = request;
  const { caller } = session;
  const { page, search } = check(pageQuery.pick({ page: true }).extend({ search: once }), query, "query");
  const paging = { page, per_page: hivesPerPage };
  const { entries: states, total } = await hiveStates(storage, caller, { ...toOffsetLimit(paging), search });
  const readable = states.filter(({ problem }) => problem === undefined).map(({ slug }) => slug);
  const last = lastPlace(request);
  // The one to go on with comes first, as far as time allows.
  const order = readable.toSorted((a, b) => Number(b === last?.hive) - Number(a === last?.hive));
  const progress = await progressSoon(request, order, patienceMs);
  const next = placeToGoOn(caller, request.ownLanguages, order, progress, last?.locale);
  const quota = await quotaNotice(request, caller);
  const canCreate = allows(caller.principal, "admin") && caller.principal.hives === "all";
  const mirrors = allows(caller.principal, "admin") ? link(["team", "mirrors"]) : undefined;
  return {
    title: t("common.hives"),
    action: canCreate && total > 0 ? <ButtonLink to={link(["new-hive"])} text="home.new_hive" /> : undefined,
    body: (
      <>
        {next !== undefined && (
          <GoOn {...next} name={states.find(({ slug }) => slug === next.hive)?.settings?.name ?? next.hive} />
        )}
        {quota !== undefined && <p class="notice warn">{quota}</p>}
        {(search !== undefined || total > hivesPerPage) && (
          <FilterForm
            page={[]}
            fields={[{ name: "search", label: t("home.search"), type: "search", value: search }]}
          />
        )}
        {total === 0 && search !== undefined ? (
          <p>{t("home.no_hive_found")}</p>
        ) : total === 0 ? (
          <Empty
            text={
              <>
                {t("home.there_is_no_hive_within")}
                {!canCreate && (
                  <>
                    {" "}
                    {t("home.makes_one_on_the_servers", {
                      command: <code>skep hive create web --team {caller.team.name}</code>,
                    })}
                  </>
                )}
              </>
            }
            to={canCreate ? link(["new-hive"]) : undefined}
            action="home.new_hive"
          />
        ) : (
          <ul class="cards" id="cards">
            {states.map((state) => (
              <HiveCard state={state} progress={totalOf(progress.get(state.slug))} mirrors={mirrors} />
            ))}
          </ul>
        )}
        <Pager paging={paging} total={total} path={[]} query={{ search }} />
      </>
    ),
  };
}

interface PlaceToGoOn {
  readonly hive: HiveSlug;
  readonly locale: Locale;
  /** How many texts of the locale the caller may translate, and approve. */
  readonly toTranslate: number;
  readonly toReview: number;
}

/**
 * Where somebody goes on: where they worked last, else the first place with work in a language of theirs, which they
 * have chosen or are limited to.
 * @param hives in the order in which they are looked at.
 */
function placeToGoOn(
  { principal }: Caller,
  ownLanguages: SignedInRequest["ownLanguages"],
  hives: readonly HiveSlug[],
  progress: ReadonlyMap<HiveSlug, readonly LocaleProgress[]>,
  last: string | undefined,
): PlaceToGoOn | undefined {
  const places = hives.flatMap((hive) =>
    ownFirst({ ownLanguages }, progress.get(hive) ?? [], ({ locale }) => locale)
      .filter(({ locale }) => worksInto(principal, locale))
      .map(({ locale, stats }): PlaceToGoOn => ({
        hive,
        locale,
        toTranslate: allows(principal, "write") ? workLeft(stats, "translate") : 0,
        toReview: allows(principal, "approve") ? workLeft(stats, "review") : 0,
      })),
  );
  const isWork = ({ toTranslate, toReview }: PlaceToGoOn): boolean => toTranslate + toReview > 0;
  const isLast = ({ locale }: PlaceToGoOn): boolean => codeOf(locale) === last;
  const isOwn = ({ locale }: PlaceToGoOn): boolean =>
    principal.locales !== undefined || isOwnLanguage({ ownLanguages }, locale);
  return (
    places.find((place) => isLast(place) && isWork(place)) ??
    places.find((place) => isOwn(place) && isWork(place))
  );
}

/** The way back to work. @param props.name of the Hive. */
function GoOn({ hive, locale, toTranslate, toReview, name }: PlaceToGoOn & { name: string }) {
  const { link } = useReader();
  const to = (query: LinkQuery): string => link(["hives", hive, "translate", codeOf(locale)], query);
  return (
    <section class="panel go-on" aria-labelledby="go-on">
      <h2 id="go-on">
        {t("home.hive_into_language", { hive: <Name name={name} />, locale: languageName(locale) })}
      </h2>
      <p class="actions">
        {toTranslate > 0 && (
          <a class="button primary" href={to({})}>
            {t("home.go_on_translating", { count: toTranslate })}
          </a>
        )}
        {toReview > 0 && (
          <a class={toTranslate > 0 ? "button" : "button primary"} href={to(workQuery("review"))}>
            {t("home.go_on_reviewing", { count: toReview })}
          </a>
        )}
      </p>
    </section>
  );
}

function HiveCard(props: {
  state: HiveSummary;
  progress: LocaleStats | undefined;
  /** The page of the mirrors, for those who can see it. */
  mirrors: string | undefined;
}) {
  const { state, progress, mirrors } = props;
  const { link } = useReader();
  const { slug, settings, stringCount, lastChange, branchCount, problem, failingMirrors } = state;
  const failed = t("home.mirrors_not_up_to_date", { count: failingMirrors });
  const isCounting = progress === undefined && problem === undefined;
  return (
    <li class="card" data-counting={isCounting ? "" : undefined}>
      <h2>
        <Name name={settings?.name ?? slug} href={link(["hives", slug])} />
      </h2>
      <div class="percent">
        {isCounting && <span class="soft">{t("home.counting")}</span>}
        {progress !== undefined && progress.total > 0 && (
          <>
            <ProgressBar stats={progress} />
            {percentOf(progress)}
          </>
        )}
      </div>
      {progress === undefined ? <span /> : <ProgressFigures stats={progress} />}
      <Facts
        items={[
          settings?.name !== slug && <Code name={slug} />,
          settings !== undefined && t("count.strings", { count: stringCount }),
          settings !== undefined && t("count.locales", { count: settings.targetLocales.length }),
          branchCount > 0 && t("count.branches", { count: branchCount }),
          lastChange !== undefined && <>{t("home.changed", { time: <Time seconds={lastChange.time} /> })}</>,
        ]}
      />
      {problem !== undefined && (
        <p class="notice wrong">
          <Name name={problem} /> {textIn("error-next", "content_invalid")}
        </p>
      )}
      {failingMirrors > 0 && (
        <p class="notice warn">{mirrors === undefined ? failed : <a href={mirrors}>{failed}</a>}</p>
      )}
    </li>
  );
}

function totalOf(locales: readonly LocaleProgress[] | undefined): LocaleStats | undefined {
  return locales && sumOf(locales.map(({ stats }) => stats));
}

/** The notice that the quota is nearly used up; only tokens for all Hives of the team know its usage. */
async function quotaNotice(
  { storage }: SignedInRequest,
  { principal, team }: Caller,
): Promise<string | undefined> {
  const { maxStrings } = team;
  if (maxStrings === undefined || principal.hives !== "all") return undefined;
  const { strings } = await usageOf(storage, team);
  if (strings < maxStrings * nearlyAll) return undefined;
  return t("home.the_team_has_source_strings", { strings, maxStrings });
}

export const homePages: readonly PageRoute[] = [
  { kind: "open", path: "/", handler: home },
  { kind: "team-form", path: "/sign-out", handler: signOut },
  { kind: "open-form", path: "/theme", handler: chooseTheme },
  { kind: "open-form", path: "/language", handler: chooseLanguage },
];
