/** Merges a branch into main, or main into a branch, after a preview of the changes. */
import { z } from "zod";
import { isFailure } from "../../../domain/errors.ts";
import { conflictStrategies } from "../../../domain/plans/conflict-strategies.ts";
import { lastSettings } from "../../../service/content/overviews.ts";
import { mergeBranch, type MergeRequest, type MergeResult } from "../../../service/content/merges.ts";
import { hiveWriteContext, type CommitResult, type WriteContext } from "../../../service/write-context.ts";
import { check } from "../../schemas/schemas.ts";
import { PlannedChanges } from "../parts/changes.tsx";
import { Conflicts } from "../parts/conflicts.tsx";
import { countOf } from "../parts/facts.tsx";
import { hiveSteps, hiveTabs } from "../parts/navigation.ts";
import { languagesOf } from "../parts/languages.ts";
import { PostForm } from "../parts/post-form.tsx";
import { figure } from "../requests/reader.ts";
import type { HiveFormRequest, HiveRequest, PageResult, PageRoute, View } from "../requests/page.ts";

const into = z.enum(["main", "branch"]);
const strategies = z.enum(conflictStrategies);
const mergeQuery = z.strictObject({ into: into.default("main"), on_conflict: strategies.default("fail") });

async function preview(request: HiveRequest): Promise<View> {
  const { storage, hive, query } = request;
  const params = check(mergeQuery, query, "query");
  const context: WriteContext = { ...hiveWriteContext(storage, hive), dryRun: true, maxDeletions: Infinity };
  try {
    const planned = await mergeBranch(storage, hive.slug, requestOf(request, params), context);
    return frame(request, params, <Plan request={request} params={params} planned={planned} />);
  } catch (error) {
    if (!isFailure(error, "text-conflict")) throw error;
    const { conflicts, total } = error.data;
    const lang = languagesOf(await lastSettings(storage, hive.slug));
    const again = (strategy: string): string =>
      request.hiveLink(["branches", request.param("name"), "merge"], {
        into: params.into,
        on_conflict: strategy,
      });
    return frame(
      request,
      params,
      <>
        <p class="notice warn">
          {countOf(total, "conflict")}: main and the branch have changed {total === 1 ? "this" : "these"}{" "}
          differently.
        </p>
        <p class="actions">
          <a class="button" href={again("branch")}>
            Take those of the branch…
          </a>
          <a class="button" href={again("main")}>
            Take those of main…
          </a>
        </p>
        <Conflicts conflicts={conflicts} lang={lang} hiveLink={request.hiveLink} />
        {total > conflicts.length && <p>… and {figure(total - conflicts.length)} more.</p>}
      </>,
    );
  }
}

type Params = z.output<typeof mergeQuery>;

function requestOf({ param }: HiveRequest, params: Params): MergeRequest {
  return { branch: param("name"), into: params.into, onConflict: params.on_conflict, canRead: true };
}

function Plan({
  request,
  params,
  planned,
}: {
  readonly request: HiveRequest;
  readonly params: Params;
  readonly planned: CommitResult<MergeResult>;
}) {
  const count = planned.preview?.changes.length ?? 0;
  const undoneBy = planned.result.merged?.undoneBy;
  return (
    <>
      <p>
        {count === 0
          ? "No text would change."
          : `${countOf(count, "text")} would change, by one commit that can be undone.`}
      </p>
      {undoneBy !== undefined && (
        <p class="notice warn">
          What this branch had brought was undone. To bring it back, undo{" "}
          <a href={request.hiveLink(["history", undoneBy])}>that undo</a>.
        </p>
      )}
      <MergeForm request={request} params={params} head={planned.commit} />
      <PlannedChanges preview={planned.preview} hiveLink={request.hiveLink} />
    </>
  );
}

function MergeForm({
  request: { session, hiveLink, param },
  params,
  head,
}: {
  readonly request: HiveRequest;
  readonly params: Params;
  readonly head: string;
}) {
  const name = param("name");
  return (
    <PostForm session={session} to={hiveLink(["branches", name, "merge"])} class="stacked">
      <input type="hidden" name="head" value={head} />
      <input type="hidden" name="into" value={params.into} />
      <input type="hidden" name="on_conflict" value={params.on_conflict} />
      <label for="message">Why? It stands in the history.</label>
      <input id="message" name="message" maxlength={1000} />
      {params.into === "main" && (
        <label class="check">
          <input type="checkbox" name="delete" value="yes" /> Delete the branch then; it can be restored for
          30 days
        </label>
      )}
      <button class="primary">{params.into === "main" ? "Merge" : "Update"}</button>
    </PostForm>
  );
}

function frame(request: HiveRequest, params: Params, body: View["body"]): View {
  const { hiveLink, param } = request;
  const name = param("name");
  return {
    title: params.into === "main" ? `Merge ${name}` : `Update ${name} from main`,
    above: hiveSteps(
      request,
      { label: "Branches", href: hiveLink(["branches"]) },
      { label: name, href: hiveLink(["branches", name]) },
    ),
    tabs: hiveTabs(request, "Branches"),
    body,
  };
}

async function merge(request: HiveFormRequest): Promise<PageResult> {
  const { storage, hive, hiveLink, param, form, context } = request;
  const params = {
    into: check(into, form.text("into"), "into"),
    on_conflict: check(strategies, form.text("on_conflict"), "on_conflict"),
  };
  const wanted = { ...requestOf(request, params), deleteBranch: form.text("delete") === "yes" };
  // No limit: the user has seen the deletions in the preview, and can undo them.
  const { commit, result } = await mergeBranch(storage, hive.slug, wanted, {
    ...context,
    maxDeletions: Infinity,
  });
  if (params.into === "branch") return { to: hiveLink(["branches", param("name")]), notice: "updated" };
  const notice = result.branchDeleted === false ? "merged-kept" : "merged";
  return { to: hiveLink(["history", commit]), notice };
}

const path = "/hives/:slug/branches/:name/merge";

export const mergePages: readonly PageRoute[] = [
  { kind: "hive", path, ability: "write", isSlow: true, handler: preview },
  { kind: "hive-form", path, ability: "write", handler: merge },
];
