/** What the operations of branches do. */
import type { z } from "zod";
import { branches, type update } from "../../api/content/branches.ts";
import { toOffsetLimit, toPage } from "../../api/page.ts";
import { shownCodes } from "../../domain/hives/hive-settings.ts";
import type { Oid } from "../../domain/names.ts";
import { withoutNulls } from "../../domain/record.ts";
import { toTimestamp } from "../../domain/text.ts";
import { branchChanges } from "../../service/content/branch-changes.ts";
import {
  createBranch,
  deleteBranch,
  listBranches,
  restoreBranch,
  showBranch,
  type Branch,
} from "../../service/content/branches.ts";
import {
  finishMerge,
  mergeBranch,
  type MergeRequest,
  type MergeResult,
} from "../../service/content/merges.ts";
import { converted } from "../responses/respond.ts";
import { implementOnHive, slow, type HiveOperationRequest } from "../operations/implement.ts";

function toBranch(branch: Branch) {
  return { ...branch, time: toTimestamp(branch.time) };
}

/** How a request settles conflicts. */
export function settlingOf(body: z.output<typeof update>) {
  const resolutions = body.resolutions?.map(({ take, text: own = "", ...place }) => ({
    ...place,
    take: take ?? { text: own },
  }));
  return { onConflict: body.on_conflict, resolutions, commit: body.commit };
}

async function merge(
  { storage, hive, param, canRead, context }: HiveOperationRequest,
  options: Omit<MergeRequest, "branch" | "canRead">,
) {
  const request = { ...options, branch: param("branch"), canRead };
  const merged = await mergeBranch(storage, hive.slug, request, context);
  const { counts, ...details } = merged.result;
  return { ...merged, result: { ...counts, ...toDetails(details) } };
}

/** Completes a merge that was made before; its commit's counts do not tell the rest. */
async function finish(
  { storage, hive, param, context }: HiveOperationRequest,
  commit: Oid,
  deletesBranch: boolean,
): Promise<object> {
  const request = { branch: param("branch"), deleteBranch: deletesBranch };
  return toDetails(await finishMerge(storage, hive.slug, request, commit, context));
}

function toDetails({ merged, ...deletion }: Omit<MergeResult, "counts">) {
  return { merged: merged?.commit, undoneBy: merged?.undoneBy, ...deletion };
}

export const branchOperations = implementOnHive(
  branches,
  {
    listBranches: async ({ storage, hive, query, signal }) => {
      const page = await listBranches(storage, hive.slug, { ...toOffsetLimit(query), signal });
      return converted(page, (found) => toPage(found, query, toBranch));
    },
    createBranch: async ({ storage, hive, body, context }) => {
      const branch = await createBranch(storage, hive.slug, withoutNulls(body), context);
      return { result: toBranch(branch), commit: branch.commit };
    },
    getBranch: async ({ storage, hive, param, signal }) =>
      converted(showBranch(storage, hive.slug, param("branch"), signal), toBranch),
    deleteBranch: async ({ storage, hive, param, context }) => {
      const name = param("branch");
      const expires = await deleteBranch(storage, hive.slug, name, context);
      return { result: { name, expires: new Date(expires).toISOString() } };
    },
    restoreBranch: async ({ storage, hive, param, context }) => {
      const branch = await restoreBranch(storage, hive.slug, param("branch"), context);
      return { result: toBranch(branch), commit: branch.commit };
    },
    listBranchChanges: async ({ storage, hive, param, query, signal }) => {
      const page = { ...toOffsetLimit(query), onlyConflicts: query.conflicts, signal };
      const result = await branchChanges(storage, hive.slug, param("branch"), page);
      return converted(result, ({ byLocale, settings, ...changes }) => {
        const shown = shownCodes(settings);
        return {
          ...changes,
          ...toPage(changes, query, (change) => ({ ...change, locale: shown(change.locale) })),
          locales: new Map(Array.from(byLocale, ([locale, total]) => [shown(locale), total])),
        };
      });
    },
    mergeBranch: (request) => {
      const { body } = request;
      return merge(request, { into: "main", deleteBranch: body.delete, ...settlingOf(body) });
    },
    updateBranch: (request) => merge(request, { into: "branch", ...settlingOf(request.body) }),
  },
  {
    listBranches: slow,
    getBranch: slow,
    listBranchChanges: slow,
    mergeBranch: { repeated: (request, commit) => finish(request, commit, request.body.delete) },
    updateBranch: {
      repeated: (request, commit) => finish(request, commit, false),
      changesBranchInPath: true,
    },
  },
);
