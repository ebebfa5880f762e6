/** Merges of branches: what a branch changed, a branch into main, and main into a branch. */
import { shownCodes } from "../../domain/hives/hive-settings.ts";
import type { z } from "zod";
import type { Oid } from "../../domain/names.ts";
import { branchChanges, type BranchChanges } from "../../service/content/branch-changes.ts";
import {
  finishMerge,
  mergeBranch,
  type MergeRequest,
  type MergeResult,
} from "../../service/content/merges.ts";
import type { Versioned } from "../../service/content/queries.ts";
import { withExample } from "../openapi/route-docs.ts";
import { orPreview, previewOf } from "../pipeline/preview.ts";
import type { HiveRequest, HiveRoute, WriteRequest } from "../pipeline/route.ts";
import { respondJson, toJson } from "../responses/respond.ts";
import { rendered } from "../responses/respond-read.ts";
import {
  branchChangesQuery,
  branchChangesResponse,
  mergeBody,
  mergeResponse,
  updateBody,
  updateResponse,
  type BranchChangesResponse,
  type MergeResponse,
} from "../schemas/merge-schemas.ts";
import { toMeta, toOffsetLimit } from "../schemas/page.ts";
import { check, ignoredMembers } from "../schemas/schemas.ts";
import { sourceWriteQuery } from "../schemas/write-preconditions.ts";

async function changes({ storage, hive, param, query, signal }: HiveRequest): Promise<Versioned<Uint8Array>> {
  const asked = check(branchChangesQuery, query, "query");
  const { conflicts: onlyConflicts } = asked;
  const found = await branchChanges(storage, hive.slug, param("branch"), {
    ...toOffsetLimit(asked),
    onlyConflicts,
    signal,
  });
  return rendered(found, ["branch-changes", hive.slug, asked], ({ total, ...page }) =>
    toJson({ ...toChanges(page), meta: toMeta(asked, total) } satisfies BranchChangesResponse),
  );
}

function toChanges({
  changes: listed,
  base,
  main,
  conflicts,
  byLocale,
  settings,
}: Omit<BranchChanges, "total">): Omit<BranchChangesResponse, "meta"> {
  const shown = shownCodes(settings);
  return {
    data: listed.map(({ locale, before = null, after = null, ...change }) => ({
      ...change,
      locale: shown(locale),
      before,
      after,
    })),
    base: base ?? null,
    main,
    conflicts,
    locales: Object.fromEntries(Array.from(byLocale, ([locale, count]) => [shown(locale), count])),
  };
}

async function merge(caller: WriteRequest): Promise<Response> {
  const options = check(sourceWriteQuery, caller.query, "query");
  const sent = await caller.readJson();
  const { on_conflict: onConflict, delete: deleteBranch } = check(mergeBody, sent, "body");
  return run(caller, { into: "main", onConflict, deleteBranch }, options, ignoredMembers(mergeBody, sent));
}

async function update(caller: WriteRequest): Promise<Response> {
  const options = check(sourceWriteQuery, caller.query, "query");
  const sent = await caller.readJson();
  const { on_conflict: onConflict } = check(updateBody, sent, "body");
  return run(caller, { into: "branch", onConflict }, options, ignoredMembers(updateBody, sent));
}

async function run(
  caller: WriteRequest,
  asked: Omit<MergeRequest, "branch" | "canRead">,
  { dry_run: dryRun, max_deletions: maxDeletions }: z.output<typeof sourceWriteQuery>,
  warnings: readonly string[],
): Promise<Response> {
  const { storage, hive, param, canRead, context } = caller;
  const request = { ...asked, branch: param("branch"), canRead };
  const merged = await mergeBranch(storage, hive.slug, request, { ...context, dryRun, maxDeletions });
  return respondJson(
    { ...toMerge(merged.result), ...previewOf(merged, caller, warnings) },
    { commit: merged.commit },
  );
}

/** What the counts of its commit do not tell of a merge into main. */
async function repeatedMerge(caller: WriteRequest, commit: Oid): Promise<object> {
  const { delete: deleteBranch } = check(mergeBody, await caller.readJson(), "body");
  return repeated(caller, commit, deleteBranch);
}

async function repeated(
  { storage, hive, param, context }: WriteRequest,
  commit: Oid,
  deleteBranch = false,
): Promise<object> {
  const request = { branch: param("branch"), deleteBranch };
  return toDetails(await finishMerge(storage, hive.slug, request, commit, context));
}

function toMerge({ counts, ...details }: MergeResult): MergeResponse {
  const { translationsCreated, translationsUpdated, translationsDeleted, ...others } = counts;
  return {
    ...others,
    translations_created: translationsCreated,
    translations_updated: translationsUpdated,
    translations_deleted: translationsDeleted,
    ...toDetails(details),
  };
}

function toDetails({
  merged,
  branchDeleted,
  notDeleted,
}: Omit<MergeResult, "counts">): Pick<
  MergeResponse,
  "merged" | "undone_by" | "branch_deleted" | "not_deleted"
> {
  return {
    merged: merged?.commit,
    undone_by: merged?.undoneBy,
    branch_deleted: branchDeleted,
    not_deleted: notDeleted,
  };
}

const path = "/api/hives/:slug/branches/:branch";

const countsExample: MergeResponse = {
  created: 3,
  updated: 1,
  deleted: 0,
  moved: 0,
  translations_created: 4,
  translations_updated: 0,
  translations_deleted: 0,
  confirmed: 0,
  settled: 0,
  dropped: 0,
};

const byKey =
  "Merged key by key, from the merge base: what only one side changed is taken, and what both changed in the same way is left. If both changed a key differently, nothing is written, unless `on_conflict` says which side wins. A translation whose source text changes by the merge becomes stale. The commit has two parents.";

export const mergeRoutes: readonly HiveRoute[] = [
  {
    kind: "hive-read",
    method: "GET",
    path: `${path}/changes`,
    ability: "read",
    handler: changes,
    isSlow: () => true,
    docs: {
      id: "listBranchChanges",
      group: "Branches",
      summary: "List what a branch changed",
      description:
        "Every key that the branch changed since its merge base with `main`: source strings first, then translations by locale. What conflicts with `main` has a `conflict`.",
      query: branchChangesQuery,
      response: withExample(branchChangesResponse, {
        data: [
          {
            change: "updated",
            locale: "en",
            file: "auth.php",
            key: "failed",
            before: "Sign-in failed.",
            after: "That did not work.",
            conflict: { reason: "text", main: "Login failed." },
          },
        ],
        base: "9f8e7d6c5b4a39281706f5e4d3c2b1a098765432",
        main: "1b2c3d4e5f60718293a4b5c6d7e8f90123456789",
        conflicts: 1,
        locales: { en: 1 },
        meta: { current_page: 1, last_page: 1, per_page: 100, total: 1 },
      }),
    },
  },
  {
    kind: "hive-write",
    method: "POST",
    path: `${path}/merge`,
    ability: "write",
    isRepeatable: true,
    repeated: repeatedMerge,
    handler: merge,
    docs: {
      id: "mergeBranch",
      group: "Branches",
      summary: "Merge a branch into main",
      description: `${byKey} Where the branch has no commit that \`main\` lacks, nothing is written.`,
      query: sourceWriteQuery,
      body: withExample(mergeBody, { on_conflict: "fail", delete: true }),
      response: withExample(orPreview(mergeResponse, "MergeResult"), {
        ...countsExample,
        branch_deleted: true,
      }),
      errors: ["text-conflict", "quota", "check-failed"],
    },
  },
  {
    kind: "hive-write",
    method: "POST",
    path: `${path}/update`,
    ability: "write",
    isRepeatable: true,
    repeated,
    changesBranchInPath: true,
    handler: update,
    docs: {
      id: "updateBranch",
      group: "Branches",
      summary: "Merge main into a branch",
      description: `${byKey} \`If-Match\` is about the HEAD of the branch.`,
      query: sourceWriteQuery,
      body: withExample(updateBody, { on_conflict: "fail" }),
      response: withExample(orPreview(updateResponse, "UpdateResult"), countsExample),
      errors: ["text-conflict", "quota", "check-failed"],
    },
  },
];
