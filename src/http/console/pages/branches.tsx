/** The branches of a Hive, and the changes of one of them. */
import { toShownChange } from "../../../domain/strings/text-diff.ts";
import { shownCodes } from "../../../domain/hives/hive-settings.ts";
import { branchChanges, type BranchChanges } from "../../../service/content/branch-changes.ts";
import {
  createBranch,
  deleteBranch,
  listBranches,
  restorableBranches,
  restoreBranch,
  showBranch,
  type Branch,
  type RestorableBranch,
} from "../../../service/content/branches.ts";
import { pageQuery, toOffsetLimit } from "../../../api/page.ts";
import { check } from "../../schemas/schemas.ts";
import { Changes } from "../parts/changes.tsx";
import { Conflicts } from "../parts/conflicts.tsx";
import { Code, Day, Facts, Time, Name } from "../parts/text.tsx";
import { Confirm, PostForm, Unseen } from "../parts/post-form.tsx";
import {
  ButtonLink,
  hivePage,
  linkAt,
  Listing,
  mayWriteAll,
  mayWriteBetween,
  Pager,
} from "../parts/navigation.tsx";
import { hiveForm, PageForm, type HiveForm } from "../parts/page-form.tsx";
import { useHive } from "../requests/context.tsx";
import type { Link } from "../requests/links.ts";
import type { FormState } from "../requests/form.ts";
import type { HiveFormRequest, HiveRequest, PageResult, PageRoute, View } from "../requests/page.ts";
import { t } from "../texts/texts.ts";

const perPage = 100;
const onlyPage = pageQuery.pick({ page: true });

const newBranch: HiveForm = {
  path: "branches",
  isSlow: true,
  title: "branches.new_branch",
  button: "common.create",
  ability: "write",
  fields: () => [
    { name: "name", required: true, placeholder: "feature/login" },
    { name: "from", placeholder: "main" },
  ],
  take: async ({ storage, hive, hiveLink, form, context }) => {
    const wanted = { name: form.word("name") ?? "", from: form.word("from") };
    const { name } = await createBranch(storage, hive.slug, wanted, context);
    return { to: hiveLink(["branches", name]), notice: "created" };
  },
};

async function restore({ storage, hive, hiveLink, form, context }: HiveFormRequest): Promise<PageResult> {
  const { name } = await restoreBranch(storage, hive.slug, form.text("branch"), context);
  return { to: hiveLink(["branches", name]), notice: "created" };
}

async function list(request: HiveRequest, submitted?: FormState): Promise<View> {
  const { storage, hive, hiveLink, query, signal } = request;
  const { page: number } = check(onlyPage, submitted === undefined ? query : {}, "query");
  const paging = { page: number, per_page: perPage };
  const result = await listBranches(storage, hive.slug, { ...toOffsetLimit(paging), signal });
  const { entries: branches, total } = await result.read();
  return hivePage(
    request,
    "Branches",
    <>
      {total === 0 && (
        <p>
          {t("branches.there_is_no_branch_besides", {
            command: <code>skep push --branch feature/login</code>,
          })}
        </p>
      )}
      <ul class="commits">
        {branches.map((branch) => (
          <li>
            <Name name={branch.name} href={hiveLink(["branches", branch.name])} />
            <BranchFacts branch={branch} onBranch={linkAt(request, branch.name)} />
          </li>
        ))}
      </ul>
      <Pager paging={paging} total={total} path={["branches"]} />
      {mayWriteAll(request) && (
        <>
          <PageForm of={newBranch} submitted={submitted} />
          <Deleted branches={await restorableBranches(storage, hive.slug)} />
        </>
      )}
    </>,
  );
}

/** The deleted branches that can be restored; nothing where there are none. */
function Deleted({ branches }: { branches: readonly RestorableBranch[] }) {
  const { hiveLink } = useHive();
  if (branches.length === 0) return null;
  return (
    <>
      <h2>{t("branches.deleted_branches")}</h2>
      <Listing
        columns={["branch", "deleted", "restorable_until"]}
        rows={branches.map(({ name, deleted, until }) => ({
          cells: [<Code name={name} />, <Time seconds={deleted / 1000} />, <Day seconds={until / 1000} />],
          action: (
            <PostForm to={hiveLink(["branches", "restore"])}>
              <button name="branch" value={name}>
                {t("common.restore")} <Unseen name={name} />
              </button>
            </PostForm>
          ),
        }))}
      />
    </>
  );
}

async function remove({ storage, hive, hiveLink, param, context }: HiveFormRequest): Promise<PageResult> {
  await deleteBranch(storage, hive.slug, param("name"), context);
  return { to: hiveLink(["branches"]), notice: "branch-deleted" };
}

function BranchFacts({
  branch: { ahead, behind, time, author, commit },
  onBranch,
}: {
  branch: Branch;
  /** Makes the links of pages at the branch. */
  onBranch: Link;
}) {
  return (
    <Facts
      items={[
        ahead === 0
          ? t("branches.nothing_that_main_lacks")
          : t("branches.ahead_of_main", { ahead: t("count.commits", { count: ahead }) }),
        behind > 0 && t("branches.behind", { behind: t("count.commits", { count: behind }) }),
        <Name name={author.name} />,
        <Time seconds={time} />,
        <a href={onBranch(["history", commit])}>
          <code>{commit.slice(0, 10)}</code>
        </a>,
      ]}
    />
  );
}

async function show(request: HiveRequest): Promise<View> {
  const { storage, hive, hiveLink, param, query, signal } = request;
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
  const onBranch = linkAt(request, name);
  const { base, commit } = branch;
  const target = { slug, branch: branch.name };
  const { main } = changes;
  const canMerge = branch.ahead > 0 && (await mayWriteBetween(request, target, base, commit, main));
  const canUpdate = branch.behind > 0 && (await mayWriteBetween(request, target, base, main, commit));
  const canDelete = mayWriteAll(request);
  const mergeInto = (into: string): string => hiveLink(["branches", name, "merge"], { into });
  return hivePage(
    request,
    "Branches",
    <>
      <BranchFacts branch={branch} onBranch={onBranch} />
      <p>
        <a href={onBranch(["strings"])}>{t("branches.its_strings")}</a>,{" "}
        <a href={onBranch(["history"])}>{t("branches.its_history")}</a>
      </p>
      {(canMerge || canUpdate || canDelete) && (
        <div class="actions">
          {canMerge && <ButtonLink isPrimary to={mergeInto("main")} text="branches.merge_into_main" />}
          {canUpdate && <ButtonLink to={mergeInto("branch")} text="branches.update_from_main" />}
          {canDelete && (
            <Confirm
              of="branches/delete"
              to={hiveLink(["branches", name, "delete"])}
              label={t("branches.delete")}
              what={name}
              button={t("branches.delete_the_branch")}
            />
          )}
        </div>
      )}
      {changes.conflicts > 0 && (
        <>
          <p class="notice warn">{t("branches.changes_conflict_with_main", { count: changes.conflicts })}</p>
          <ConflictsOf changes={changes} link={onBranch} />
        </>
      )}
      <h2>
        {changes.total === 0
          ? t("branches.nothing_was_changed")
          : t("count.changes", { count: changes.total })}
      </h2>
      <Changes changes={changes.entries.map(toShownChange(changes.settings))} link={onBranch} />
      <Pager paging={paging} total={changes.total} path={["branches", name]} />
    </>,
    { title: name },
  );
}

/** The conflicts among the changes on this page. */
function ConflictsOf({ changes, link }: { changes: BranchChanges; link: Link }) {
  const shown = shownCodes(changes.settings);
  const conflicts = changes.entries.flatMap(({ locale, file, key, member, after, conflict }) =>
    conflict === undefined
      ? []
      : [{ locale: shown(locale), file, key, member, main: conflict.main, branch: after ?? null }],
  );
  return <Conflicts conflicts={conflicts} link={link} />;
}

const path = "/hives/:slug/branches";
const onePath = `${path}/:name`;
const ability = "write";

export const branchPages: readonly PageRoute[] = [
  { kind: "hive", path, isSlow: true, handler: (request) => list(request) },
  hiveForm(newBranch, list),
  { kind: "hive-form", path: `${path}/restore`, ability, handler: restore },
  { kind: "hive-form", path: `${onePath}/delete`, ability, handler: remove },
  { kind: "hive", path: onePath, isSlow: true, handler: show },
];
