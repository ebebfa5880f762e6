/**
 * Merges of a branch into main, and of main into a branch, after a preview. Where both have changed the same differently, the
 * page asks for each text what is taken: the one of main, the one of the branch, or another.
 */
import { z } from "zod";
import { isFailure, type ConflictingText } from "../../../domain/errors.ts";
import { codeOf } from "../../../domain/hives/locale.ts";
import { conflictStrategies } from "../../../domain/plans/conflict-strategies.ts";
import { hiveWriteContext, type CommitResult, type WriteContext } from "../../../service/access.ts";
import {
  mergeBranch,
  mergedHeads,
  type MergeRequest,
  type MergeResult,
} from "../../../service/content/merges.ts";
import { update } from "../../../api/content/branches.ts";
import { settlingOf } from "../../content/branches.ts";
import { check } from "../../schemas/schemas.ts";
import { PlannedChanges } from "../parts/changes.tsx";
import { Conflicts } from "../parts/conflicts.tsx";
import { ButtonLink, hivePage, linkAt, mayWriteAll } from "../parts/navigation.tsx";
import { MessageField, PlannedForm, PostForm } from "../parts/post-form.tsx";
import { choicesIn, Choosing, Left, nameOf, Radios, toResolution, type Refused } from "../parts/settling.tsx";
import { useHive } from "../requests/context.tsx";
import { refusedBy } from "../requests/form.ts";
import type { HiveFormRequest, HiveRequest, PageResult, PageRoute, View } from "../requests/page.ts";
import { messageNow } from "../texts/reasons.ts";
import { findingLine } from "../parts/findings.tsx";
import { t } from "../texts/texts.ts";

const into = z.enum(["main", "branch"]);
const strategies = z.enum(conflictStrategies);
const mergeQuery = z.strictObject({ into: into.default("main"), on_conflict: strategies.default("fail") });
type Params = z.output<typeof mergeQuery>;

async function preview(request: HiveRequest, asked?: Params, refused?: Refused): Promise<View> {
  const { storage, hive, query } = request;
  const params = asked ?? check(mergeQuery, query, "query");
  const context: WriteContext = { ...hiveWriteContext(storage, hive), dryRun: true, maxDeletions: Infinity };
  const wanted = requestOf(request, params);
  // Before the conflicts are read: what comes after that is found when the form is sent.
  const heads = mergedHeads(storage, hive.slug, wanted);
  try {
    const planned = await mergeBranch(storage, hive.slug, wanted, context);
    return frame(
      request,
      params,
      <>
        {refused !== undefined && <Left refused={refused} conflicts={[]} />}
        <Plan params={params} planned={planned} />
      </>,
    );
  } catch (error) {
    if (!isFailure(error, "text-conflict")) throw error;
    const { conflicts, total } = error.data;
    // What is merged beside the conflicts.
    const others = await mergeBranch(storage, hive.slug, { ...wanted, onConflict: params.into }, context);
    const { changes, beside = [], moves = [] } = others.preview ?? { changes: [] };
    const known = new Set(conflicts.map(nameOf));
    const all = [...conflicts, ...(refused?.further.filter((one) => !known.has(nameOf(one))) ?? [])];
    const more = total - conflicts.length;
    return frame(
      request,
      params,
      <>
        {refused !== undefined && <Left refused={refused} conflicts={all} />}
        <Settling
          request={request}
          params={params}
          conflicts={all}
          more={more}
          heads={heads}
          refused={refused}
        />
        {more > 0 && <p>{t("merge.and_more", { total: more })}</p>}
        <p>
          {t("merge.beside_these", {
            count: t("count.changes", { count: changes.length + beside.length + moves.length }),
          })}
        </p>
        <PlannedChanges preview={others.preview} link={otherLink(request, params)} />
      </>,
    );
  }
}

/** Makes links to the side that is merged: what is new is there. */
function otherLink(request: HiveRequest, params: Params) {
  return linkAt(request, params.into === "main" ? request.param("name") : "main");
}

/** The conflicts, and the form that settles them. */
function Settling(props: {
  request: HiveRequest;
  params: Params;
  conflicts: readonly ConflictingText[];
  /** How many there are beside these. */
  more: number;
  heads: ReturnType<typeof mergedHeads>;
  refused: Refused | undefined;
}) {
  const { request, params, conflicts, more, heads, refused } = props;
  const { hiveLink, param, settings, canTranslate } = request;
  const path = ["branches", param("name"), "merge"];
  const own = new Set(settings?.targetLocales.filter(canTranslate).map(codeOf));
  const canMerge = mayWriteAll(request) || conflicts.every(({ locale }) => own.has(locale));
  const again = (strategy: string): string => hiveLink(path, { into: params.into, on_conflict: strategy });
  const count = conflicts.length + more;
  const title = <p class="notice warn">{t("merge.main_and_the_branch_have", { count })}</p>;
  if (!canMerge) {
    return (
      <>
        {title}
        <Conflicts conflicts={conflicts} />
      </>
    );
  }
  return (
    <>
      {title}
      <p class="actions">
        <ButtonLink to={again("branch")} text="merge.take_those_of_the_branch" />
        <ButtonLink to={again("main")} text="merge.take_those_of_main" />
      </p>
      <PostForm
        to={hiveLink(path)}
        hidden={{ into: params.into, ...heads }}
        isUnsaved={refused !== undefined}
      >
        <Conflicts
          conflicts={conflicts}
          below={(conflict, i) => <Choosing conflict={conflict} index={i} refused={refused} />}
        />
        {more > 0 && (
          <Radios
            name="on_conflict"
            legend={t("merge.the_others", { count: more })}
            options={[
              ["branch", t("merge.take_branch")],
              ["main", t("merge.take_main")],
            ]}
            chosen={refused?.form.text("on_conflict")}
          />
        )}
        <div class="stacked after">
          <MessageField message={refused?.form.text("message")} />
          <DeleteField params={params} isOn={refused?.form.text("delete") === "yes"} />
          <button class="primary">{t("merge.apply", { count })}</button>
        </div>
      </PostForm>
    </>
  );
}

/** Nothing where the branch stays, or the caller may not delete it. */
function DeleteField({ params, isOn }: { params: Params; isOn: boolean }) {
  const request = useHive();
  if (params.into !== "main" || !mayWriteAll(request)) return null;
  return (
    <label class="check">
      <input type="checkbox" name="delete" value="yes" checked={isOn} /> {t("merge.delete_the_branch_then")}
    </label>
  );
}

function requestOf({ param }: HiveRequest, params: Params): MergeRequest {
  const { into: side, on_conflict: onConflict } = params;
  return { branch: param("name"), into: side, onConflict, canRead: true, maxShown: Infinity };
}

function Plan({ params, planned }: { params: Params; planned: CommitResult<MergeResult> }) {
  const request = useHive();
  const { changes, beside = [] } = planned.preview ?? { changes: [] };
  const [count, others] = [changes.length, beside.length];
  const undoneBy = planned.result.merged?.undoneBy;
  return (
    <>
      <p>
        {count > 0
          ? t("merge.would_change_by_one_commit", { count: t("count.texts", { count }) })
          : others > 0
            ? t("merge.would_change_beside", { count: t("count.changes", { count: others }) })
            : t("merge.no_text_would_change")}
      </p>
      {undoneBy !== undefined && (
        <p class="notice warn">
          {t("merge.what_this_branch_had_brought", {
            link: <a href={request.hiveLink(["history", undoneBy])}>{t("merge.that_undo")}</a>,
          })}
        </p>
      )}
      <PlannedForm
        to={request.hiveLink(["branches", request.param("name"), "merge"])}
        hidden={{ ...params, head: planned.commit }}
        button={t(params.into === "main" ? "merge.merge" : "merge.update")}
      >
        <DeleteField params={params} isOn={false} />
      </PlannedForm>
      <PlannedChanges preview={planned.preview} link={otherLink(request, params)} />
    </>
  );
}

function frame(request: HiveRequest, params: Params, body: View["body"]): View {
  const { hiveLink, param } = request;
  const name = param("name");
  const between = [
    { label: t("common.branches"), href: hiveLink(["branches"]) },
    { label: name, href: hiveLink(["branches", name]) },
  ];
  const title = params.into === "main" ? t("merge.merge_2", { name }) : t("merge.update_from_main", { name });
  return hivePage(request, "Branches", body, { title, between });
}

async function merge(request: HiveFormRequest): Promise<PageResult> {
  const { form } = request;
  const params = {
    into: check(into, form.text("into"), "into"),
    on_conflict: check(strategies, form.word("on_conflict") ?? "fail", "on_conflict"),
  };
  const choices = choicesIn(form);
  if (choices.length === 0) return apply(request, params, {});
  const open = choices.filter(([, { take }]) => take === "");
  const refused = {
    choices: new Map(choices),
    problems: new Map(open.map(([name]) => [name, t("merge.choose")])),
    notice: undefined,
    further: [],
    form,
  };
  const again = async (more: Partial<Refused>, status: number): Promise<PageResult> => ({
    ...(await request.runSlowRead((signal) =>
      preview({ ...request, signal }, { ...params, on_conflict: "fail" }, { ...refused, ...more }),
    )),
    status,
  });
  if (open.length > 0) return again({}, 422);
  try {
    const resolutions = choices.map(([, choice]) => toResolution(choice));
    const body = { on_conflict: params.on_conflict, resolutions, commit: form.word("commit") };
    return await apply(request, params, settlingOf(check(update, body, "form")));
  } catch (error) {
    if (isFailure(error, "precondition-failed")) return again({ notice: t("merge.has_moved_on") }, 409);
    if (isFailure(error, "text-conflict"))
      return again({ notice: t("merge.further"), further: error.data.conflicts }, 409);
    if (isFailure(error, "check-failed")) {
      const problems = error.data.findings.map((finding) => {
        const { locale, file, key } = finding;
        return [JSON.stringify([locale, file, key]), findingLine(finding)] as const;
      });
      return again(
        {
          notice: messageNow({ message: error.message, code: error.publicCode }),
          problems: new Map(problems),
        },
        422,
      );
    }
    const { state, status } = refusedBy(error, "merge", form);
    const problems = new Map<string, string>();
    const others: string[] = [];
    for (const [field, problem] of state.problems) {
      const [, index] = /^resolutions\.(\d+)/.exec(field) ?? [];
      const name = index === undefined ? undefined : choices[Number(index)]?.[0];
      if (name === undefined) others.push(problem);
      else problems.set(name, problem);
    }
    return again({ problems, notice: others[0] }, status);
  }
}

/** Merges, and goes to what it made. */
async function apply(
  request: HiveFormRequest,
  params: Params,
  settling: Partial<ReturnType<typeof settlingOf>>,
): Promise<PageResult> {
  const { storage, hive, hiveLink, param, form, context } = request;
  const resolutions = settling.resolutions?.map(({ take, ...place }) => ({
    ...place,
    take: typeof take === "object" ? { ...take, isTyped: true } : take,
  }));
  const deleteBranch = form.text("delete") === "yes";
  const wanted = { ...requestOf(request, params), ...settling, resolutions, deleteBranch };
  // No limit: the user has seen the deletions in the preview, and can undo them.
  const { commit, result, waiting } = await mergeBranch(storage, hive.slug, wanted, {
    ...context,
    maxDeletions: Infinity,
  });
  if (params.into === "branch")
    return { to: hiveLink(["branches", param("name")]), notice: "updated", waits: waiting };
  const notice = result.branchDeleted === false ? "merged-kept" : "merged";
  return { to: hiveLink(["history", commit]), notice, waits: waiting };
}

const path = "/hives/:slug/branches/:name/merge";
const ability = "write";

export const mergePages: readonly PageRoute[] = [
  { kind: "hive", path, ability, isSlow: true, handler: (request) => preview(request) },
  { kind: "hive-form", path, ability, handler: merge },
];
