/** One commit: who made it, why, and what it changed, key by key. */
import type { PropsWithChildren } from "hono/jsx";
import { showCommit, type HistoryEntry } from "../../../service/content/history.ts";
import { lastSettings } from "../../../service/content/overviews.ts";
import { check, pageQuery } from "../../schemas/schemas.ts";
import { toOffsetLimit } from "../../schemas/page.ts";
import { Changes } from "../parts/changes.tsx";
import { Reference } from "../parts/commit-list.tsx";
import { countOf } from "../parts/facts.tsx";
import { hiveSteps } from "../parts/hive-steps.ts";
import { languagesOf } from "../parts/languages.ts";
import { Pager } from "../parts/pager.tsx";
import { Name } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import type { HiveRequest, PageRoute, View } from "../requests/page.ts";

const perPage = 100;
const commitQuery = pageQuery.pick({ page: true });

async function show(request: HiveRequest): Promise<View> {
  const { storage, hive, branch, hiveLink, param, query, signal, canWrite } = request;
  const { page } = check(commitQuery, query, "query");
  const paging = { page, per_page: perPage };
  const shown = await showCommit(storage, branch, param("commit"), toOffsetLimit(paging), signal);
  const { entry, changes, total } = await shown.read();
  const lang = languagesOf(await lastSettings(storage, hive.slug));
  const { commit } = entry;
  return {
    title: entry.subject === "" ? commit.slice(0, 10) : entry.subject,
    above: hiveSteps(request, { label: "History", href: hiveLink(["history"]) }),
    body: (
      <>
        <About entry={entry} />
        {canWrite && total > 0 && (
          <p>
            <a class="button" href={hiveLink(["history", commit, "undo"])}>
              Undo this commit…
            </a>
          </p>
        )}
        <h2>{total === 0 ? "No text was changed" : `${countOf(total, "text")} changed`}</h2>
        <Changes changes={changes} lang={lang} hiveLink={hiveLink} />
        <Pager paging={paging} total={total} to={(other) => hiveLink(["history", commit], { page: other })} />
      </>
    ),
  };
}

function About({ entry }: { readonly entry: HistoryEntry }) {
  const { commit, time, author, message, ref, operation, token, strategy } = entry;
  return (
    <>
      {message !== undefined && (
        <p class="message lead">
          <Name name={message} />
        </p>
      )}
      <dl class="about">
        <Fact term="By">
          <Name name={author.name} />
        </Fact>
        <Fact term="When">
          <Time seconds={time} />
        </Fact>
        <Fact term="Commit">
          <code>{commit}</code>
        </Fact>
        {operation !== undefined && (
          <Fact term="Kind">
            <Name name={strategy === undefined ? operation : `${operation}, ${strategy}`} />
          </Fact>
        )}
        {ref !== undefined && (
          <Fact term="Reference">
            <Reference reference={ref} />
          </Fact>
        )}
        {token !== undefined && (
          <Fact term="Token">
            <code>
              <Name name={token} />
            </code>
          </Fact>
        )}
      </dl>
    </>
  );
}

function Fact({ term, children }: PropsWithChildren<{ readonly term: string }>) {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}

export const commitPages: readonly PageRoute[] = [
  { kind: "hive", path: "/hives/:slug/history/:commit", isSlow: true, handler: show },
];
