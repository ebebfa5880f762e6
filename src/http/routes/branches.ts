/** Branches: create, list, delete, restore and merge them. */
import { z } from "zod";
import { maxBranchNameBytes } from "../../domain/commits/branch-name.ts";
import { author, refPattern, plannedMoves, stringPlace } from "../schemas/history-schemas.ts";
import { conflictReason, conflictTexts } from "../schemas/schemas.ts";
import {
  count,
  named,
  listOf,
  pageOf,
  text,
  defaulting,
  jsonObject,
  nullableText,
  pageMeta,
  textAddress,
  asRevision,
  commitName,
} from "../../api/objects.ts";
import { conflictStrategies } from "../../domain/plans/conflict-strategies.ts";
import { sourceWriteQuery } from "../schemas/write-preconditions.ts";
import { textProblem, toTimestamp } from "../../domain/text.ts";
import {
  createBranch,
  deleteBranch,
  listBranches,
  restoreBranch,
  showBranch,
  type Branch,
} from "../../service/content/branches.ts";
import { withExample } from "../../api/operation.ts";
import { hiveGroup, type HiveRoute, type Answer, type WriteRequest } from "../pipeline/route.ts";
import { converted } from "../responses/respond.ts";
import { flag, pageQuery, toPage, toOffsetLimit } from "../../api/page.ts";
import { withoutNulls } from "../../domain/record.ts";
import { shownCodes } from "../../domain/hives/hive-settings.ts";
import type { Oid } from "../../domain/names.ts";
import { branchChanges } from "../../service/content/branch-changes.ts";
import {
  finishMerge,
  mergeBranch,
  type MergeRequest,
  type MergeResult,
} from "../../service/content/merges.ts";
import { orPreview } from "../pipeline/preview.ts";
import type { Encodable } from "../../domain/json-codec.ts";

const branchBody = named("NewBranch", {
  name: text.meta({
    minLength: 1,
    maxLength: maxBranchNameBytes,
    pattern: refPattern,
    description:
      "A name that git accepts and every file system can store, at most 200 bytes, and that does not look like a commit or a date.",
  }),
  from: text.meta(asRevision).nullish().meta({
    description: "The revision at which the branch begins, as `?at=` takes it; `main` if not given.",
  }),
});

export const branchResponse = named("Branch", {
  name: z.string(),
  commit: commitName.meta({ description: "The commit that the branch is at." }),
  base: commitName.nullable().meta({
    description: "The last commit that the branch and `main` have in common; `null` if there is none.",
  }),
  ahead: count.meta({ description: "The number of commits that only the branch has." }),
  behind: count.meta({ description: "The number of commits that only `main` has." }),
  changed_keys: z.record(z.string(), count).meta({
    description: "How many texts differ from `base`, by locale; locales without differences are left out.",
  }),
  time: z.iso.datetime().meta({ description: "The time of the last commit." }),
  author: author.meta({ description: "The author of the last commit." }),
});
const branchesResponse = pageOf("BranchPage", branchResponse);

export const branchDeletedResponse = named("DeletedBranch", {
  name: z.string(),
  expires: z.iso.datetime().meta({ description: "Until when the branch can be restored." }),
});

const onConflict = defaulting(
  z.enum(conflictStrategies, "must be fail, main or branch"),
  "fail",
  "What to do about keys that `main` and the branch changed differently: refuse the request, or take the texts of `main` or of the branch.",
);

/** More conflicts than these are settled for one side. */
const maxResolutions = 10_000;

const resolution = jsonObject({
  ...textAddress,
  member: text.optional().meta({ description: "Of a conflict in a note: its member." }),
  take: z
    .enum(["main", "branch"], "must be main or branch")
    .optional()
    .meta({ description: "The side whose text is taken, or nothing where it has none." }),
  text: text
    .refine((given) => given !== "", "must not be empty: to remove a text, take the side that has none")
    .refine((given) => textProblem(given) === undefined, "must not hold a NUL or half of a UTF-16 pair")
    .optional()
    .meta({
      description:
        "In place of `take`: another text, for all reasons but `moved` and `note`. It is checked, and waits for a review, as if it were written by itself.",
    }),
})
  .refine((given) => (given.take === undefined) !== (given.text === undefined), {
    path: ["take"],
    message: "must be main or branch, or text must be given in its place",
  })
  .meta({ id: "MergeResolution" });

const settling = {
  on_conflict: onConflict,
  resolutions: listOf(resolution, { max: maxResolutions }).optional().meta({
    description:
      "What is taken in conflicts, each for itself; `on_conflict` is about the others. One that names no conflict is a 422, and nothing is merged. `branch` for a string that cannot stand beside others removes these.",
  }),
  commit: commitName.optional().meta({
    description:
      "The commit at which the side that is merged must be, such as the one of `GET …/changes`; else it is a 412. `If-Match` is about the other side.",
  }),
};

const mergeBody = jsonObject({
  ...settling,
  delete: defaulting(
    z.boolean("must be true or false"),
    false,
    "Whether to delete the branch then. If it has further commits by then, it stays.",
  ),
});

export const updateBody = jsonObject(settling);

const updateResponse = z.object({
  created: count.meta({ description: "Source strings that were added." }),
  updated: count.meta({ description: "Source strings whose text was changed." }),
  deleted: count.meta({ description: "Source strings that were deleted." }),
  moved: count.meta({ description: "Source strings that got another key or another file." }),
  translations_created: count.meta({ description: "Translations that were added." }),
  translations_updated: count.meta({ description: "Translations that were changed." }),
  translations_deleted: count.meta({
    description: "Translations that were removed, also with their source strings.",
  }),
  confirmed: count.meta({ description: "Stale translations that were confirmed." }),
  settled: count.meta({ description: "Conflicts that were settled by `resolutions` or `on_conflict`." }),
  dropped: count.meta({
    description: "Translations that were left out, because their locale or their source string is no more.",
  }),
  moves: plannedMoves,
  merged: commitName.optional().meta({
    description:
      "The earlier merge that brought the commits already; only where nothing was left to merge, or with `undone_by`.",
  }),
  undone_by: commitName.optional().meta({
    description:
      "The commit that took that merge back. Merging again does not bring its changes: undo this commit instead.",
  }),
});

export const mergeResponse = updateResponse.extend({
  branch_deleted: z
    .boolean()
    .optional()
    .meta({ description: "With `delete`: whether the branch was deleted." }),
  not_deleted: z
    .string()
    .optional()
    .meta({ description: "Why the branch was not deleted, although it was merged." }),
});
export type MergeResponse = z.infer<typeof mergeResponse>;

const branchChangesQuery = pageQuery.extend({
  conflicts: flag("With `true` or `1`, only the changes that conflict with `main`."),
});

export const branchChangesResponse = named("BranchChangePage", {
  data: z.array(
    named("BranchChange", {
      change: z
        .enum(["created", "updated", "deleted", "cleared", "confirmed", "approved", "moved", "note"])
        .meta({
          description:
            "What the branch did. `cleared`: it removed the translation, and the source string stays. `confirmed`: it found a stale translation to be right. `approved`: it approved a translation that waited for a review. `note`: it changed the team's note.",
        }),
      member: z.string().optional().meta({ description: "Of a `note`: the member that was changed." }),
      ...textAddress,
      before: nullableText.meta({ description: "The text in the merge base; `null` if there was none." }),
      after: nullableText.meta({ description: "The text in the branch; `null` if there is none." }),
      from: stringPlace.optional().meta({ description: "Of a `moved` string: where it was." }),
      conflict: named("BranchConflict", {
        reason: conflictReason,
        main: conflictTexts.shape.main,
        in_the_way: conflictTexts.shape.in_the_way,
      })
        .optional()
        .meta({ description: "What is different in `main`, if the change conflicts with it." }),
    }),
  ),
  base: commitName.nullable().meta({
    description: "The merge base: the last commit that the branch and `main` have in common.",
  }),
  main: commitName.meta({ description: "The commit of `main` with which the branch was compared." }),
  conflicts: count.meta({ description: "How many of all changes conflict with `main`." }),
  locales: z.record(z.string(), count).meta({ description: "How many changes there are by locale." }),
  meta: pageMeta,
});

function toBranch(branch: Branch) {
  return { ...branch, time: toTimestamp(branch.time) };
}

const path = "/api/hives/:slug/branches";
const onePath = `${path}/:branch`;

/** How a request settles conflicts. */
export function settlingOf(body: z.output<typeof updateBody>) {
  const resolutions = body.resolutions?.map(({ take, text: own = "", ...place }) => ({
    ...place,
    take: take ?? { text: own },
  }));
  return { onConflict: body.on_conflict, resolutions, commit: body.commit };
}

async function merge(
  { storage, hive, param, canRead, context }: WriteRequest,
  options: Omit<MergeRequest, "branch" | "canRead">,
): Promise<Answer<Encodable<MergeResponse>>> {
  const request = { ...options, branch: param("branch"), canRead };
  const merged = await mergeBranch(storage, hive.slug, request, context);
  const { counts, ...details } = merged.result;
  return { ...merged, result: { ...counts, ...toDetails(details) } };
}

/** Completes a merge that was made before; its commit's counts do not tell the rest. */
async function finish(
  { storage, hive, param, context }: WriteRequest,
  commit: Oid,
  mayDelete: boolean,
): Promise<object> {
  const request = { branch: param("branch"), deleteBranch: mayDelete };
  return toDetails(await finishMerge(storage, hive.slug, request, commit, context));
}

function toDetails({ merged, ...deletion }: Omit<MergeResult, "counts">) {
  return { merged: merged?.commit, undoneBy: merged?.undoneBy, ...deletion };
}

const byKey =
  "Merged key by key, from the merge base: what only one side changed is taken, and what both changed in the same way is left. If both changed a key differently, nothing is written, unless `on_conflict` says which side wins, or `resolutions` what is taken for each. Translations go with deleted strings, and become stale if the merge changes their source text. A file that the target has not changed takes the order of the other side; in any other file, new strings come after the strings that they follow there. The commit has two parents.";

const { hiveRead, hiveWrite } = hiveGroup("Branches", "write");

export const branchRoutes: readonly HiveRoute[] = [
  hiveRead("listBranches", path, {
    summary: "List branches",
    description: "Sorted by name. `main` is not listed.",
    query: pageQuery,
    response: branchesResponse,
    isSlow: () => true,
    async handler({ storage, hive, query, signal }) {
      const page = await listBranches(storage, hive.slug, { ...toOffsetLimit(query), signal });
      return converted(page, (branches) => toPage(branches, query, toBranch));
    },
  }),
  hiveWrite("createBranch", "POST", path, {
    summary: "Create a branch",
    description:
      "Takes the same time for a Hive of any size. Every branch has the settings of `main`, such as its locales.",
    body: withExample(branchBody, { name: "feature/login", from: "main" }),
    status: 201,
    response: branchResponse,
    errors: ["conflict", "quota"],
    async handler({ storage, hive, body, context }) {
      const branch = await createBranch(storage, hive.slug, withoutNulls(body), context);
      return { result: toBranch(branch), commit: branch.commit };
    },
  }),
  hiveRead("getBranch", onePath, {
    summary: "Get a branch",
    response: branchResponse,
    isSlow: () => true,
    async handler({ storage, hive, param, signal }) {
      return converted(showBranch(storage, hive.slug, param("branch"), signal), toBranch);
    },
  }),
  hiveWrite("deleteBranch", "DELETE", onePath, {
    hasCommit: false,
    summary: "Delete a branch",
    description:
      "The branch can be restored until `expires`. A Hive keeps as many deleted branches as it may have branches; beyond that, a branch cannot be deleted until an earlier one has expired. `main` cannot be deleted. `If-Match` is about the HEAD of the branch.",
    response: branchDeletedResponse,
    errors: ["quota"],
    async handler({ storage, hive, param, context }) {
      const name = param("branch");
      const expires = await deleteBranch(storage, hive.slug, name, context);
      return { result: { name, expires: new Date(expires).toISOString() } };
    },
  }),
  hiveWrite("restoreBranch", "POST", `${onePath}/restore`, {
    summary: "Restore a deleted branch",
    description: "Of several deleted branches of that name, the one that was deleted last is restored.",
    status: 201,
    response: branchResponse,
    errors: ["conflict", "quota"],
    async handler({ storage, hive, param, context }) {
      const branch = await restoreBranch(storage, hive.slug, param("branch"), context);
      return { result: toBranch(branch), commit: branch.commit };
    },
  }),
  hiveRead("listBranchChanges", `${onePath}/changes`, {
    isSlow: () => true,
    summary: "List what a branch changed",
    description:
      "Every key that the branch changed since its merge base with `main`: source strings first, then translations by locale, then notes. What conflicts with `main` has a `conflict`.",
    query: branchChangesQuery,
    response: branchChangesResponse,
    async handler({ storage, hive, param, query, signal }) {
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
  }),
  hiveWrite("mergeBranch", "POST", `${onePath}/merge`, {
    isRepeatable: true,
    repeated: (request, commit) => finish(request, commit, request.body.delete),
    summary: "Merge a branch into main",
    description: `${byKey} Where the branch has no commit that \`main\` lacks, nothing is written.`,
    query: sourceWriteQuery,
    body: withExample(mergeBody, { on_conflict: "fail", delete: true }),
    response: orPreview(mergeResponse, "MergeResult"),
    errors: ["text-conflict", "quota", "check-failed"],
    handler(request) {
      const { body } = request;
      return merge(request, { into: "main", deleteBranch: body.delete, ...settlingOf(body) });
    },
  }),
  hiveWrite("updateBranch", "POST", `${onePath}/update`, {
    isRepeatable: true,
    repeated: (request, commit) => finish(request, commit, false),
    changesBranchInPath: true,
    summary: "Merge main into a branch",
    description: `${byKey} \`If-Match\` is about the HEAD of the branch.`,
    query: sourceWriteQuery,
    body: withExample(updateBody, { on_conflict: "fail" }),
    response: orPreview(updateResponse, "UpdateResult"),
    errors: ["text-conflict", "quota", "check-failed"],
    handler: (request) => merge(request, { into: "branch", ...settlingOf(request.body) }),
  }),
];
