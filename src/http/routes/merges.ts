/** Merges of branches: what a branch changed, a branch into main, and main into a branch. */
import { shownCodes } from "../../domain/hives/hive-settings.ts";
import type { Oid } from "../../domain/names.ts";
import { branchChanges } from "../../service/content/branch-changes.ts";
import {
  finishMerge,
  mergeBranch,
  type MergeRequest,
  type MergeResult,
} from "../../service/content/merges.ts";
import { withExample } from "../openapi/route-docs.ts";
import { orPreview } from "../pipeline/preview.ts";
import { hiveRead, hiveWrite, type Answer, type HiveRoute, type WriteRequest } from "../pipeline/route.ts";
import { converted } from "../responses/respond.ts";
import {
  branchChangesQuery,
  branchChangesResponse,
  mergeBody,
  mergeResponse,
  updateBody,
  updateResponse,
  type MergeResponse,
} from "../schemas/merge-schemas.ts";
import { metaExample, toMeta, toOffsetLimit } from "../schemas/page.ts";
import { sourceWriteQuery } from "../schemas/write-preconditions.ts";

async function merge(
  { storage, hive, param, canRead, context }: WriteRequest,
  options: Omit<MergeRequest, "branch" | "canRead">,
): Promise<Answer<MergeResponse>> {
  const request = { ...options, branch: param("branch"), canRead };
  const merged = await mergeBranch(storage, hive.slug, request, context);
  const { counts, ...details } = merged.result;
  const { translationsCreated, translationsUpdated, translationsDeleted, ...others } = counts;
  const result = {
    ...others,
    translations_created: translationsCreated,
    translations_updated: translationsUpdated,
    translations_deleted: translationsDeleted,
    ...toDetails(details),
  };
  return { ...merged, result };
}

/** Completes a merge that was made before; its commit's counts do not tell the rest. */
async function finish(
  { storage, hive, param, context }: WriteRequest,
  commit: Oid,
  deleteBranch: boolean,
): Promise<object> {
  const request = { branch: param("branch"), deleteBranch };
  return toDetails(await finishMerge(storage, hive.slug, request, commit, context));
}

function toDetails({ merged, branchDeleted, notDeleted }: Omit<MergeResult, "counts">) {
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
  "Merged key by key, from the merge base: what only one side changed is taken, and what both changed in the same way is left. If both changed a key differently, nothing is written, unless `on_conflict` says which side wins. Translations go with deleted strings, and become stale if the merge changes their source text. A file that the target has not changed takes the order of the other side; in any other file, new strings come after the strings that they follow there. The commit has two parents.";

export const mergeRoutes: readonly HiveRoute[] = [
  hiveRead({
    id: "listBranchChanges",
    path: `${path}/changes`,
    isSlow: () => true,
    group: "Branches",
    summary: "List what a branch changed",
    description:
      "Every key that the branch changed since its merge base with `main`: source strings first, then translations by locale, then notes. What conflicts with `main` has a `conflict`.",
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
      meta: metaExample,
    }),
    async handler({ storage, hive, param, query, signal }) {
      const page = { ...toOffsetLimit(query), onlyConflicts: query.conflicts, signal };
      const result = await branchChanges(storage, hive.slug, param("branch"), page);
      return converted(result, ({ changes, base, main, conflicts, byLocale, settings, total }) => {
        const shown = shownCodes(settings);
        return {
          data: changes.map(({ locale, before = null, after = null, ...change }) => ({
            ...change,
            locale: shown(locale),
            before,
            after,
          })),
          base: base ?? null,
          main,
          conflicts,
          locales: Object.fromEntries(Array.from(byLocale, ([locale, count]) => [shown(locale), count])),
          meta: toMeta(query, total),
        };
      });
    },
  }),
  hiveWrite({
    id: "mergeBranch",
    method: "POST",
    path: `${path}/merge`,
    ability: "write",
    isRepeatable: true,
    repeated: (request, commit) => finish(request, commit, request.body.delete),
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
    handler(request) {
      const { on_conflict: onConflict, delete: deleteBranch } = request.body;
      return merge(request, { into: "main", onConflict, deleteBranch });
    },
  }),
  hiveWrite({
    id: "updateBranch",
    method: "POST",
    path: `${path}/update`,
    ability: "write",
    isRepeatable: true,
    repeated: (request, commit) => finish(request, commit, false),
    changesBranchInPath: true,
    group: "Branches",
    summary: "Merge main into a branch",
    description: `${byKey} \`If-Match\` is about the HEAD of the branch.`,
    query: sourceWriteQuery,
    body: withExample(updateBody, { on_conflict: "fail" }),
    response: withExample(orPreview(updateResponse, "UpdateResult"), countsExample),
    errors: ["text-conflict", "quota", "check-failed"],
    handler: (request) => merge(request, { into: "branch", onConflict: request.body.on_conflict }),
  }),
];
