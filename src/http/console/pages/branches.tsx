/** The branches of a Hive, and the changes of one of them. */
import { toShownChange } from "../../../domain/strings/text-diff.ts";
import { shownCodes } from "../../../domain/hives/hive-settings.ts";
import { branchChanges, type BranchChanges } from "../../../service/content/branch-changes.ts";
import {
  createBranch,
  deleteBranch,
  listBranches,
  restoreBranch,
  showBranch,
  type Branch,
} from "../../../service/content/branches.ts";
import { toOffsetLimit } from "../../schemas/page.ts";
import { check, pageQuery } from "../../schemas/schemas.ts";
import { Changes } from "../parts/changes.tsx";
import { Conflicts } from "../parts/conflicts.tsx";
import { countOf, Facts } from "../parts/facts.tsx";
import { Confirm } from "../parts/post-form.tsx";
import { hivePage, hiveSteps, hiveTabs } from "../parts/navigation.ts";
import { hiveForm, PageForm, type HiveForm } from "../parts/page-form.tsx";
import { languagesOf } from "../parts/languages.ts";
import { Pager } from "../parts/pager.tsx";
import { figure } from "../requests/reader.ts";
import { Name } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import type { Link } from "../requests/links.ts";
import type { FormState } from "../requests/form-state.ts";
import type { HiveFormRequest, HiveRequest, PageResult, PageRoute, View } from "../requests/page.ts";

const perPage = 100;
const onlyPage = pageQuery.pick({ page: true });

const newBranch: HiveForm = {
  path: "branches",
  button: "Create",
  ability: "write",
  take: async ({ storage, hive, hiveLink, form, context }) => {
    const wanted = { name: form.word("name") ?? "", from: form.word("from") };
    const { name } = await createBranch(storage, hive.slug, wanted, context);
    return { to: hiveLink(["branches", name]), notice: "created" };
  },
};

const restored: HiveForm = {
  path: "branches/restore",
  button: "Restore",
  ability: "write",
  take: async ({ storage, hive, hiveLink, form, context }) => {
    const { name } = await restoreBranch(storage, hive.slug, form.word("branch") ?? "", context);
    return { to: hiveLink(["branches", name]), notice: "created" };
  },
};

async function list(request: HiveRequest, submitted?: FormState): Promise<View> {
  const { storage, hive, hiveLink, query, signal, canWrite } = request;
  const { page: number } = check(onlyPage, submitted === undefined ? query : {}, "query");
  const paging = { page: number, per_page: perPage };
  const result = await listBranches(storage, hive.slug, { ...toOffsetLimit(paging), signal });
  const { branches, total } = await result.read();
  return hivePage(
    request,
    "Branches",
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
      {canWrite && (
        <>
          <h2>New branch</h2>
          <PageForm
            of={newBranch}
            request={request}
            submitted={submitted}
            fields={[
              { name: "name", label: "Name", required: true, placeholder: "feature/login" },
              { name: "from", label: "From", placeholder: "main", hint: "A tag, a commit or a date." },
            ]}
          />
          <h2>Restore a deleted branch</h2>
          <PageForm
            of={restored}
            request={request}
            submitted={submitted}
            fields={[{ name: "branch", label: "Name", required: true, hint: "For 30 days after its end." }]}
          />
        </>
      )}
    </>,
  );
}

async function remove({ storage, hive, hiveLink, param, context }: HiveFormRequest): Promise<PageResult> {
  await deleteBranch(storage, hive.slug, param("name"), context);
  return { to: hiveLink(["branches"]), notice: "branch-deleted" };
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
  const { storage, session, hive, link, hiveLink, param, query, signal, canWrite } = request;
  const { slug } = hive;
  const name = param("name");
  const { page } = check(onlyPage, query, "query");
  const paging = { page, per_page: perPage };
  const branch = await showBranch(storage, slug, name, signal).read();
  const result = await branchChanges(storage, slug, name, {
    ...toOffsetLimit(paging),
    onlyConflicts: false,
    signal,
  });
  const changes = await result.read();
  const onBranch: Link = (path, own) => link(["hives", slug, ...path], { branch: name, ...own });
  const merge = (into: string): string => hiveLink(["branches", name, "merge"], { into });
  return {
    title: name,
    above: hiveSteps(request, { label: "Branches", href: hiveLink(["branches"]) }),
    tabs: hiveTabs(request, "Branches"),
    body: (
      <>
        <BranchFacts branch={branch} />
        <p>
          <a href={onBranch(["strings"])}>Its strings</a>, <a href={onBranch(["history"])}>its history</a>
        </p>
        {canWrite && (
          <div class="actions">
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
            <Confirm
              session={session}
              to={hiveLink(["branches", name, "delete"])}
              label="Delete…"
              what={name}
              button="Delete the branch"
            >
              <p>What only it has goes with it. It can be restored for 30 days.</p>
            </Confirm>
          </div>
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
        <h2>{changes.total === 0 ? "Nothing was changed" : countOf(changes.total, "change")}</h2>
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
  const conflicts = changes.changes.flatMap(({ locale, file, key, member, after, conflict }) =>
    conflict === undefined
      ? []
      : [{ locale: shown(locale), file, key, member, main: conflict.main, branch: after ?? null }],
  );
  return <Conflicts conflicts={conflicts} lang={languagesOf(changes.settings)} hiveLink={hiveLink} />;
}

export const branchPages: readonly PageRoute[] = [
  { kind: "hive", path: "/hives/:slug/branches", isSlow: true, handler: (request) => list(request) },
  hiveForm(newBranch, list),
  hiveForm(restored, list),
  { kind: "hive-form", path: "/hives/:slug/branches/:name/delete", ability: "write", handler: remove },
  { kind: "hive", path: "/hives/:slug/branches/:name", isSlow: true, handler: show },
];
