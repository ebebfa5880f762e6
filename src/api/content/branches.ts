/** Branches of a Hive: create, list, delete, restore and merge them. */
import { z } from "zod";
import { maxBranchNameBytes } from "../../domain/commits/branch-name.ts";
import { conflictStrategies } from "../../domain/plans/conflict-strategies.ts";
import { changesBesideTexts } from "../../domain/commits/change-kinds.ts";
import { textProblem } from "../../domain/text.ts";
import {
  asRevision,
  commitName,
  count,
  defaulting,
  jsonObject,
  listOf,
  named,
  nullableText,
  pageMeta,
  text,
  textAddress,
} from "../objects.ts";
import { operations } from "../operation.ts";
import { flag, pageQuery } from "../page.ts";
import { author, plannedMoves, refPattern, stringPlace } from "./commits.ts";
import { conflictReason, conflictTexts } from "./conflicts.ts";
import { sourceWriteQuery } from "./writes.ts";

const newBranch = named("NewBranch", {
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

/** A branch in an answer. */
const branch = named("Branch", {
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
const deletedBranch = named("DeletedBranch", {
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

const merge = jsonObject({
  ...settling,
  delete: defaulting(
    z.boolean("must be true or false"),
    false,
    "Whether to delete the branch then. If it has further commits by then, it stays.",
  ),
});

/** How conflicts of a merge are settled, in a request. */
export const update = jsonObject(settling);

const updateResult = named("UpdateResult", {
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

const mergeResult = named("MergeResult", {
  ...updateResult.shape,
  branch_deleted: z
    .boolean()
    .optional()
    .meta({ description: "With `delete`: whether the branch was deleted." }),
  not_deleted: z
    .string()
    .optional()
    .meta({ description: "Why the branch was not deleted, although it was merged." }),
});

const branchChange = named("BranchChange", {
  change: z.enum(["created", "updated", "deleted", "cleared", "moved", ...changesBesideTexts]).meta({
    description:
      "What the branch did. `cleared`: it removed the translation, and the source string stays. `confirmed`: it found a stale translation to be right; `outdated`: it took that back. `approved`: it approved a translation that waited for a review; `waiting`: it has one reviewed again. `accepted`: it accepted a finding as a false alarm; `withdrawn`: it took that back. `note`: it changed the team's note; `app_note`: what the app says about a string that was there before; `comments`: what people say to each other about it. `picture`: it added, changed or removed a picture, whose first string, or the pattern of its strings, is named, and whose name is the text.",
  }),
  member: z
    .string()
    .optional()
    .meta({ description: "Of a `note` and an `app_note`: the member that was changed." }),
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
});

const changePage = named("BranchChangePage", {
  data: z.array(branchChange),
  base: commitName.nullable().meta({
    description: "The merge base: the last commit that the branch and `main` have in common.",
  }),
  main: commitName.meta({ description: "The commit of `main` with which the branch was compared." }),
  conflicts: count.meta({ description: "How many of all changes conflict with `main`." }),
  locales: z.record(z.string(), count).meta({ description: "How many changes there are by locale." }),
  meta: pageMeta,
});

const byKey =
  "Merged key by key, from the merge base: what only one side changed is taken, and what both changed in the same way is left. If both changed a key differently, nothing is written, unless `on_conflict` says which side wins, or `resolutions` what is taken for each. Translations go with deleted strings, and become stale if the merge changes their source text. A file that the target has not changed takes the order of the other side; in any other file, new strings come after the strings that they follow there. The commit has two parents.";

const path = "/api/hives/:slug/branches";
const merging = {
  query: sourceWriteQuery,
  hasDryRun: true,
  errors: ["text-conflict", "quota", "check-failed"],
  isRepeatable: true,
} as const;

export const branches = operations(
  {
    noun: "branch",
    about: "List, create, compare, merge and delete branches of the Hive.",
    path,
    key: "branch",
    names: "name",
    entity: branch,
    label: "name",
    group: "Branches",
    ability: "read",
    hasCommit: true,
    columns: ["name", "commit", "ahead", "behind", "time", "author"],
  },
  (op) => ({
    listBranches: op.list({
      summary: "List branches",
      description: "Sorted by name. `main` is not listed.",
    }),
    createBranch: op.create({
      summary: "Create a branch",
      description:
        "Takes the same time for a Hive of any size. Every branch has the settings of `main`, such as its locales.",
      body: newBranch,
      example: { name: "feature/login", from: "main" },
      errors: ["conflict", "quota"],
    }),
    getBranch: op.show({ summary: "Get a branch" }),
    deleteBranch: op.delete({
      summary: "Delete a branch",
      description:
        "The branch can be restored until `expires`. A Hive keeps as many deleted branches as it may have branches; beyond that, a branch cannot be deleted until an earlier one has expired. `main` cannot be deleted. `If-Match` is about the HEAD of the branch.",
      response: deletedBranch,
      hasCommit: false,
      errors: ["quota"],
    }),
    restoreBranch: op.act("restore", {
      summary: "Restore a deleted branch",
      description: "Of several deleted branches of that name, the one that was deleted last is restored.",
      status: 201,
      errors: ["conflict", "quota"],
    }),
    listBranchChanges: op.viewAt("changes", `${path}/:branch/changes`, {
      summary: "List what a branch changed",
      description:
        "Every key that the branch changed since its merge base with `main`: source strings first, then translations by locale, then what lies beside them. What conflicts with `main` has a `conflict`.",
      query: pageQuery.extend({
        conflicts: flag("With `true` or `1`, only the changes that conflict with `main`."),
      }),
      response: changePage,
    }),
    mergeBranch: op.act("merge", {
      ...merging,
      summary: "Merge a branch into main",
      description: `${byKey} Where the branch has no commit that \`main\` lacks, nothing is written.`,
      body: merge,
      example: { on_conflict: "fail", delete: true },
      response: mergeResult,
    }),
    updateBranch: op.act("update", {
      ...merging,
      summary: "Merge main into a branch",
      description: `${byKey} \`If-Match\` is about the HEAD of the branch.`,
      body: update,
      example: { on_conflict: "fail" },
      response: updateResult,
    }),
  }),
);
