/** The requests and responses of merges. */
import { z } from "zod";
import { conflictStrategies } from "../../domain/plans/conflict-strategies.ts";
import { commitName, conflictReason, conflictTexts, pageQuery } from "./schemas.ts";
import { plannedMoves, stringPlace } from "./move-schemas.ts";
import { flag } from "./write-preconditions.ts";
import { count, defaulting, jsonObject, named, nullableText, pageMeta } from "./objects.ts";

const onConflict = defaulting(
  z.enum(conflictStrategies, "must be fail, main or branch"),
  "fail",
  "What to do about keys that `main` and the branch changed differently: refuse the request, or take the texts of `main` or of the branch.",
);

export const mergeBody = jsonObject({
  on_conflict: onConflict,
  delete: defaulting(
    z.boolean("must be true or false"),
    false,
    "Whether to delete the branch then. If it has further commits by then, it stays.",
  ),
});

export const updateBody = jsonObject({ on_conflict: onConflict });

export const updateResponse = z.object({
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
  settled: count.meta({ description: "Conflicts that were settled by `on_conflict`." }),
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

export const branchChangesQuery = pageQuery.extend({
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
      locale: z.string(),
      file: z.string(),
      key: z.string(),
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
