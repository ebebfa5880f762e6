/** The branches of a Hive, and what one of them changed. */
import { toShownChange } from "../../../domain/strings/text-diff.ts";
import { shownCodes } from "../../../domain/hives/hive-settings.ts";
import { branchChanges, type BranchChanges } from "../../../service/content/branch-changes.ts";
import { listBranches, showBranch, type Branch } from "../../../service/content/branches.ts";
import { toOffsetLimit } from "../../schemas/page.ts";
import { check, pageQuery } from "../../schemas/schemas.ts";
import { Changes } from "../parts/changes.tsx";
import { Conflicts } from "../parts/conflicts.tsx";
import { countOf, Facts } from "../parts/facts.tsx";
import { hiveSteps } from "../parts/hive-steps.ts";
import { languagesOf } from "../parts/languages.ts";
import { Pager } from "../parts/pager.tsx";
import { figure } from "../parts/progress.tsx";
import { Name } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import type { Link } from "../requests/links.ts";
import type { HiveRequest, PageRoute, View } from "../requests/page.ts";

const perPage = 100;
const onlyPage = pageQuery.pick({ page: true });

async function list(request: HiveRequest): Promise<View> {
  const { storage, hive, hiveLink, query, signal } = request;
  const paging = { page: check(onlyPage, query, "query").page, per_page: perPage };
  const found = await listBranches(storage, hive.slug, { ...toOffsetLimit(paging), signal });
  const { branches, total } = await found.read();
  return {
    title: "Branches",
    above: hiveSteps(request),
    tab: { name: "Branches", hiveLink },
    body: (
      <>
        {total === 0 && (
          <p>
            There is no branch besides main. <code>skep push --branch feature/login</code> creates one.
          </p>
        )}
        <ul class="commits">
          {branches.map((branch) => (
            <li>
              <a class="subject" href={hiveLink(["branches", branch.name])}>
                <Name name={branch.name} />
              </a>
              <BranchFacts branch={branch} />
            </li>
          ))}
        </ul>
        <Pager paging={paging} total={total} to={(page) => hiveLink(["branches"], { page })} />
      </>
    ),
  };
}

function BranchFacts({ branch: { ahead, behind, time, author, commit } }: { readonly branch: Branch }) {
  return (
    <Facts
      items={[
        ahead === 0 ? "nothing that main lacks" : `${countOf(ahead, "commit")} ahead of main`,
        behind > 0 && `${countOf(behind, "commit")} behind`,
        <Name name={author.name} />,
        <Time seconds={time} />,
        <code>{commit.slice(0, 10)}</code>,
      ]}
    />
  );
}

async function show(request: HiveRequest): Promise<View> {
  const { storage, hive, link, hiveLink, param, query, signal, canWrite } = request;
  const { slug } = hive;
  const name = param("name");
  const { page } = check(onlyPage, query, "query");
  const paging = { page, per_page: perPage };
  const branch = await showBranch(storage, slug, name, signal).read();
  const found = await branchChanges(storage, slug, name, {
    ...toOffsetLimit(paging),
    onlyConflicts: false,
    signal,
  });
  const changes = await found.read();
  const onBranch: Link = (path, own) => link(["hives", slug, ...path], { branch: name, ...own });
  const merge = (into: string): string => hiveLink(["branches", name, "merge"], { into });
  return {
    title: name,
    above: hiveSteps(request, { label: "Branches", href: hiveLink(["branches"]) }),
    body: (
      <>
        <BranchFacts branch={branch} />
        <p>
          <a href={onBranch(["strings"])}>Its strings</a>, <a href={onBranch(["history"])}>its history</a>
        </p>
        {canWrite && (
          <p class="actions">
            {branch.ahead > 0 && (
              <a class="button primary" href={merge("main")}>
                Merge into main…
              </a>
            )}
            {branch.behind > 0 && (
              <a class="button" href={merge("branch")}>
                Update from main…
              </a>
            )}
          </p>
        )}
        {changes.conflicts > 0 && (
          <>
            <p class="notice warn">
              {figure(changes.conflicts)} of its changes {changes.conflicts === 1 ? "conflicts" : "conflict"}{" "}
              with main.
            </p>
            <ConflictsOf changes={changes} hiveLink={onBranch} />
          </>
        )}
        <h2>{changes.total === 0 ? "No text was changed" : `${countOf(changes.total, "text")} changed`}</h2>
        <Changes
          changes={changes.changes.map(toShownChange(changes.settings))}
          lang={languagesOf(changes.settings)}
          hiveLink={onBranch}
        />
        <Pager
          paging={paging}
          total={changes.total}
          to={(other) => hiveLink(["branches", name], { page: other })}
        />
      </>
    ),
  };
}

/** The conflicts among the changes on this page. */
function ConflictsOf({ changes, hiveLink }: { readonly changes: BranchChanges; readonly hiveLink: Link }) {
  const shown = shownCodes(changes.settings);
  const conflicts = changes.changes.flatMap(({ locale, file, key, after, conflict }) =>
    conflict === undefined
      ? []
      : [{ locale: shown(locale), file, key, main: conflict.main, branch: after ?? null }],
  );
  return <Conflicts conflicts={conflicts} lang={languagesOf(changes.settings)} hiveLink={hiveLink} />;
}

export const branchPages: readonly PageRoute[] = [
  { kind: "hive", path: "/hives/:slug/branches", isSlow: true, handler: list },
  { kind: "hive", path: "/hives/:slug/branches/:name", isSlow: true, handler: show },
];
