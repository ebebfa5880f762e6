/** A Hive: how far it is translated, what changed last, and how to use it. */
import { codeOf, type Locale } from "../../../domain/hives/locale.ts";
import type { SearchedState } from "../../../domain/strings/string-search.ts";
import { recentCommits } from "../../../service/content/history.ts";
import { branchNames } from "../../../service/content/branches.ts";
import type { Tag } from "../../../service/content/tags.ts";
import { lastTags } from "../parts/hive-states.ts";
import { Command } from "../parts/command.tsx";
import { hiveSteps } from "../parts/hive-steps.ts";
import { languageName } from "../parts/languages.ts";
import { CommitList } from "../parts/commit-list.tsx";
import { countOf, Facts } from "../parts/facts.tsx";
import { hiveProgress, type LocaleProgress } from "../parts/hive-progress.ts";
import { figure, percentOf, ProgressBar } from "../parts/progress.tsx";
import { Code, Name } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import type { HiveRequest, PageRoute, View } from "../requests/page.ts";

/** How many commits and branches are listed. */
const listed = 8;

async function show(request: HiveRequest): Promise<View> {
  const { storage, hive, branch, hiveLink } = request;
  const { slug } = hive;
  const { hive: stats, locales } = await hiveProgress(request, branch);
  const { settings, translatableCount } = stats;
  const changes = await recentCommits(storage, branch, listed);
  const tags = await lastTags(request);
  const branches = await branchNames(storage, slug);
  return {
    title: settings.name,
    above: typeof branch === "string" ? [] : hiveSteps(request),
    tab: { name: "Overview", hiveLink },
    body: (
      <>
        <Facts
          items={[
            <Code name={slug} />,
            <>
              {countOf(translatableCount, "string")} in {languageName(settings.sourceLocale)} (
              <code>{codeOf(settings.sourceLocale)}</code>)
            </>,
          ]}
        />
        <section aria-labelledby="locales">
          <h2 id="locales">Locales</h2>
          {locales.length === 0 ? (
            <p>
              There is no target locale yet. <code>skep locale add {slug} fr</code> adds one on the server's
              machine.
            </p>
          ) : (
            <LocaleTable locales={locales} hiveLink={hiveLink} />
          )}
        </section>
        <div class="columns">
          <section aria-labelledby="changes">
            <h2 id="changes">Last changes</h2>
            <CommitList entries={changes} hiveLink={hiveLink} />
            <p>
              <a href={hiveLink(["history"])}>Whole history</a>
            </p>
          </section>
          <div>
            {tags.length > 0 && (
              <section aria-labelledby="tags">
                <h2 id="tags">Tags</h2>
                <TagList tags={tags} hiveLink={hiveLink} />
              </section>
            )}
            {branches.length > 0 && (
              <section aria-labelledby="branches">
                <h2 id="branches">Branches</h2>
                <ul class="tags">
                  {branches.slice(0, listed).map((name) => (
                    <li>
                      <a href={hiveLink(["branches", name])}>
                        <Name name={name} />
                      </a>
                    </li>
                  ))}
                </ul>
                {branches.length > listed && (
                  <p>
                    <a href={hiveLink(["branches"])}>All {figure(branches.length)} branches</a>
                  </p>
                )}
              </section>
            )}
            <HowToUse request={request} locale={locales[0]?.locale ?? settings.sourceLocale} />
          </div>
        </div>
      </>
    ),
  };
}

function LocaleTable({
  locales,
  hiveLink,
}: {
  readonly locales: readonly LocaleProgress[];
  readonly hiveLink: HiveRequest["hiveLink"];
}) {
  return (
    <table class="locales">
      <thead>
        <tr>
          <th scope="col">Locale</th>
          <th scope="col" class="wide">
            Progress
          </th>
          <th scope="col" class="number">
            Translated
          </th>
          <th scope="col" class="number">
            Stale
          </th>
          <th scope="col" class="number">
            Missing
          </th>
        </tr>
      </thead>
      <tbody>
        {locales.map(({ locale, stats }) => (
          <tr>
            <th scope="row">
              <a href={hiveLink(["strings"], { locale: codeOf(locale) })}>{languageName(locale)}</a>{" "}
              <code>{codeOf(locale)}</code>
            </th>
            <td class="wide">
              <ProgressBar stats={stats} />
            </td>
            <td class="number" data-label="translated">
              {percentOf(stats)} <span class="aside">{figure(stats.translated)}</span>
            </td>
            <td class={stats.stale > 0 ? "number some-stale" : "number zero"} data-label="stale">
              <Searched count={stats.stale} state="stale" locale={locale} hiveLink={hiveLink} />
            </td>
            <td class={stats.empty > 0 ? "number" : "number zero"} data-label="missing">
              <Searched count={stats.empty} state="missing" locale={locale} hiveLink={hiveLink} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** How many strings are in a state, with a link to them. */
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
  if (count === 0) return <>0</>;
  const href = hiveLink(["strings"], { locale: codeOf(locale), state });
  return (
    <a href={href} aria-label={`${figure(count)} ${state} in ${languageName(locale)}`}>
      {figure(count)}
    </a>
  );
}

function TagList({
  tags,
  hiveLink,
}: {
  readonly tags: readonly Tag[];
  readonly hiveLink: HiveRequest["hiveLink"];
}) {
  return (
    <ul class="tags">
      {tags.map(({ name, commit, time, message }) => (
        <li>
          <a href={hiveLink(["history", commit])}>
            <Name name={name} />
          </a>
          {message !== undefined && message !== "" && (
            <span>
              <Name name={message} />
            </span>
          )}
          {time !== undefined && <Time seconds={time} />}
        </li>
      ))}
    </ul>
  );
}

function HowToUse({ request, locale }: { readonly request: HiveRequest; readonly locale: Locale }) {
  const { origin, hive } = request;
  const api = `${origin}/api/hives/${hive.slug}`;
  return (
    <section aria-labelledby="use">
      <h2 id="use">Use it</h2>
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
    </section>
  );
}

export const hivePages: readonly PageRoute[] = [
  { kind: "hive", path: "/hives/:slug", isSlow: true, handler: show },
];
