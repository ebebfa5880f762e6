/** The first page: the sign-in form, or the Hives of the team. */
import { firstSteps } from "../../../domain/first-steps.ts";
import type { Caller } from "../../../service/access.ts";
import { hiveStates, type HiveState } from "../../../service/admin/hive-states.ts";
import { usageOf } from "../../../service/admin/teams.ts";
import { endSessions } from "../../../service/sessions.ts";
import { check, pageQuery } from "../../schemas/schemas.ts";
import { toOffsetLimit } from "../../schemas/page.ts";
import { Command } from "../parts/command.tsx";
import { countOf, Facts } from "../parts/facts.tsx";
import { progressSoon } from "../parts/hive-progress.ts";
import { Pager } from "../parts/pager.tsx";
import { nearlyAll, percentOf, ProgressBar, ProgressFigures, stringTotal } from "../parts/progress.tsx";
import { figure } from "../requests/reader.ts";
import { Code, Name } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import { signInPage } from "../people/sign-in.tsx";
import { sessionCookie } from "../requests/cookies.ts";
import { canManageTeam } from "../requests/manage.ts";
import { afterSignIn } from "../requests/links.ts";
import type { FormOf, OpenRequest, PageResult, PageRoute, SignedInRequest, View } from "../requests/page.ts";
import type { LocaleStats } from "../../../domain/strings/locale-stats.ts";

/** How many Hives one page lists. */
const hivesPerPage = 30;
/** How long a request counts progress that is not cached; the rest appears at a later visit. */
const patienceMs = 500;

async function home(request: OpenRequest): Promise<PageResult> {
  const { session, query, link } = request;
  if (session !== undefined) {
    return typeof query.to === "string"
      ? { to: afterSignIn(query.to, link([])) }
      : hiveList({ ...request, session });
  }
  return (await request.storage.registry.hasTeams()) ? signInPage(request) : welcomeView();
}

function welcomeView(): View {
  return {
    title: "Welcome to Skep",
    body: (
      <section class="narrow">
        <p>
          This storage is empty. Three commands on the server's machine make a first team, a Hive for the
          texts of a project, and a token to read and write them:
        </p>
        <Command label="In a terminal" lines={firstSteps()} />
        <p>
          If the storage is not in <code>./storage</code>, set <code>SKEP_STORAGE</code> to its folder first.
          The last command shows the token once. Then <a href="./">sign in with it</a>.
        </p>
      </section>
    ),
  };
}

async function signOut({
  storage,
  session,
  link,
  isSecure,
  form,
  isCopy,
}: FormOf<SignedInRequest>): Promise<PageResult> {
  // A server with a copy cannot end a session: only the browser forgets it.
  const isEverywhere = form.text("everywhere") === "yes";
  if (isEverywhere || !isCopy) await endSessions(storage, session, isEverywhere ? "all" : "this");
  return { to: link([]), cookies: [sessionCookie("", 0, isSecure)] };
}

async function hiveList(request: SignedInRequest): Promise<View> {
  const { storage, session, link, query } = request;
  const { caller } = session;
  const { page } = check(pageQuery.pick({ page: true }), query, "query");
  const paging = { page, per_page: hivesPerPage };
  const { states, total } = await hiveStates(storage, caller, toOffsetLimit(paging));
  const readable = states.filter(({ problem }) => problem === undefined).map(({ slug }) => slug);
  const progress = await progressSoon(request, readable, patienceMs);
  const quota = await quotaNotice(request, caller);
  const canCreate = canManageTeam(request);
  return {
    title: "Hives",
    body: (
      <>
        {canCreate && (
          <p class="actions">
            <a class="button" href={link(["new-hive"])}>
              New Hive…
            </a>
          </p>
        )}
        {quota !== undefined && <p class="notice warn">{quota}</p>}
        {total === 0 ? (
          <p>
            There is no Hive within your reach yet.
            {!canCreate && (
              <>
                {" "}
                <code>skep hive create web --team {caller.team.name}</code> makes one on the server's machine.
              </>
            )}
          </p>
        ) : (
          <ul class="cards" id="cards">
            {states.map((state) => (
              <HiveCard state={state} progress={progress.get(state.slug)} link={link} />
            ))}
          </ul>
        )}
        <Pager paging={paging} total={total} to={(other) => link([], { page: other })} />
      </>
    ),
  };
}

function HiveCard({
  state,
  progress,
  link,
}: {
  readonly state: HiveState;
  readonly progress: LocaleStats | undefined;
  readonly link: SignedInRequest["link"];
}) {
  const { slug, settings, translatableCount, emptyCount, lastChange, branchCount, problem, failingMirrors } =
    state;
  const isCounting = progress === undefined && problem === undefined;
  return (
    <li class="card" data-counting={isCounting ? "" : undefined}>
      <h2>
        <a href={link(["hives", slug])}>
          <Name name={settings?.name ?? slug} />
        </a>
      </h2>
      <div class="percent">
        {isCounting && <span class="soft">counting …</span>}
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
          settings !== undefined && stringTotal(translatableCount, emptyCount),
          settings !== undefined && countOf(settings.targetLocales.length, "locale"),
          branchCount > 0 && `${figure(branchCount)} ${branchCount === 1 ? "branch" : "branches"}`,
          lastChange !== undefined && (
            <>
              changed <Time seconds={lastChange.time} />
            </>
          ),
        ]}
      />
      {problem !== undefined && (
        <p class="notice wrong">
          <Name name={problem} />
        </p>
      )}
      {failingMirrors > 0 && (
        <p class="notice warn">
          {failingMirrors === 1 ? "A mirror is" : `${failingMirrors} mirrors are`} not up to date, because the
          last push failed.
        </p>
      )}
    </li>
  );
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
  return `The team has ${figure(strings)} source strings, of at most ${figure(maxStrings)}.`;
}

export const homePages: readonly PageRoute[] = [
  { kind: "open", path: "/", handler: home },
  { kind: "signed-in-form", path: "/sign-out", handler: signOut },
];
